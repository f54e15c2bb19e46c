"""Recognise rules, decisions and open questions in sentences: English, German and Chinese.

A rule is an order (a verb that forbids or demands, and its object) or a wish. Questions are only ever
open. The tables have comma-separated phrases: `^` is the beginning of the sentence (after polite
openings), `a/b` either word, `*` any word, `...` any number of words, `$` the end, `;` a comma or dash;
words after `but:` must not follow.
"""

from __future__ import annotations

import re
from functools import cache

LONGEST = 400  # characters of a sentence that may be a rule or a decision
FEWEST, DECIDES = 2, 3  # words of a rule, and of a decision: `So that's decided.` tells nothing

_PATTERNS = {"*": r"\S+ ", "...": r"(?:\S+ )*?", "$": r"(?:[.!] )?$"}
_WORDS = re.compile(r"[^\W_][\w'-]*|[.;:!?]")
_COMMAS = str.maketrans(",\u2013\u2014\u2019", ";;;'")
_NEXT = (  # a model announces what it does next
    r" (?:(?:now|so|first|next|then|and|but|also|ok|okay|;) )*"
    r"(?:(?:\S+ )?let me|let's|i'll|i will|i need to|i have to|i should|i'm going to) "
)
_OPENINGS = frozenset("""
    and but also so then absolutely strictly really definitely ok okay please important rule note remember
    reminder constraint btw oh right ; :
""".split())  # fmt: skip

_RULE = """
^never/always but: know/think/worry/mind/care, ^do not but: know/think/worry/mind/care,
^don't/dont but: know/think/worry/mind/care/get/forget,
^you/we never/always/don't but: know/think/need/have, ^avoid, ^refrain from, ^stick to/with, ^steer clear,
^stay/keep away, ^hands off, ^only, ^prefer, ^limit, ^make sure, ^ensure, ^stop * but: it,
^whenever but: i/it, ^every/each time but: i/it, ^whenever i/it ... ;, ^every/each time i/it ... ;,
^unless, ^until i, ^under no circumstances, ^at no point, ^from now/here on, ^going forward, ^in future,
^in the future, ^as a rule, ^one more rule, ^do everything, ^i'd rather, ^remember that/to,
^whatever happens, ^use * * but: first/second/third/fourth/last/next/my, ^use * $,
^keep/leave/name/write/put/treat/ask/show/tell ... \
only/not/never/always/every/each/all/any/alone/untouched/before/unless/instead/below/under/than/after/same,
^keep/leave/name/write/put/treat * ... short/in/as/for/to,
^no * in/on/for/inside/to/at/with/without/from/unless/before/until/please ... $,
^no * * in/on/for/inside/to/at/with/without/from/unless/before/until/please ... $, ^no * * $, ^no * $,
^nothing/nobody/none/nowhere ... may/must/should/can/get/gets/go/goes/touch/touches/but,
^all/every/each/any ... must/should/need/needs/gets/go/goes/belong/belongs/has/have/shall/may,
must/mustn't but: be/have, must be but: the/a/why/so, may not/only, can only,
shall/should not/never/always/only, shan't/shouldn't, is/are/am allowed, is/are/am not/never allowed/to,
is/are off-limits/forbidden/prohibited/mandatory/required/taboo/frozen/read-only, not allowed/supposed to,
has/have to be/stay/remain/keep/work/run, need/needs to be/stay, no exceptions, at all costs, off-limits,
off limits, without asking/my/our/approval/permission/telling, from now on, at most/least *,
stay/stays/remain/remains untouched/unchanged/frozen, stay/stays/remain/remains as it,
stay/stays/remain/remains as is, i/i'd prefer/insist/expect/forbid/hate,
i/i'd always/only/really/strongly/would prefer/insist/expect/forbid/hate,
i want/need/like all/every/each/no/only/your/everything *, i'd like all/every/each/no/only/your *,
i don't/won't want/like/accept/need/allow/eat, i do not want/like/accept/need/allow/eat, my preference,
call me, please use/keep/don't/do/always/never/only/avoid/stick/answer/write but: confirm,
please ... every/each/all/always/never/only/respect, our convention/style/policy/standard,
we only/always/never/don't use/do/write/allow/ship/commit/touch/push/deploy,
we do not use/do/write/allow/ship/commit/touch/push/deploy, we only support/want, ; do/don't/never,
before you, for my ok/approval, : every/all/each/no/never/always/don't/do, niemals, nie, immer, stets,
ab jetzt/sofort, künftig,
auf keinen fall, keinesfalls, unbedingt, darf/darfst/dürfen nicht/nur/kein/keine/keinen,
soll/sollst/sollen nicht, nur noch, mindestens, höchstens, verboten, verwende, benutze, achte darauf,
bitte nie/nicht/immer/nur/kein/keine/keinen
"""
_NO_RULE = """
^i/he/she/it/they/that/there/this/i've/it's/we've never/always,
^i/he/she/it/they/that/there/this * never/always, never mind, nevermind, how you, ^if there, must have,
must've, ^must be, ^it/that/this must be but: run, was/were/been never/always, had to never/always,
thank/thanks, ^pip/npm/git/cargo/apt/brew/docker/sudo/cd/python/python3/uv/yarn/curl *, not found,
no such, permission denied, failed to, could not, cannot find, was/did not, found to,
don't/didn't/doesn't/won't/not want/need/have to, this time, at the moment, i think, that seems, it says,
pass/fail/fails now, must be down/up/broken/wrong/missing/gone/offline, ^limit is/was,
use/keep/take/need/like/read/open the * i, use/keep/take/need/like/read/open my last,
use/keep/take/need/like/read/open the first/second/third/fourth/last/next,
^every/each time i/it ... ; why/how/what/and/so, ^whenever i/it ... ; why/how/what/and/so,
^it stay/stays/remain/remains/only ... when, ^only the * * fail/fails/work/works, ^don't/do not * if,
^no problem/problems/idea/ideas/worries/thanks/matter/need/wonder/doubt/luck/such/longer/one,
^no error/errors/result/results/output/outputs/change/changes/match/matches,
^no * found/yet/available/match/matches/left, ^no ... found,
^write/draw/make/name/put/show/tell/give a/an/which/two/three/four/five/ten,
^show/tell/give me a/an/the/which/two/three/four/five/ten
"""
_NOT = "not/never/isn't/wasn't/haven't/hasn't/didn't/aren't"
_SETTLED = "decided/agreed/chosen/settled/approved"
_STAYS = "will/stay/stays/get/gets/goes/move/moves/remain/remains"
_DECISION = f"""
decided, decision, chose, chosen, agreed, settled on, opted, approved, signed off,
going/goes/went/go with, let's/lets use/go/keep/drop/stick/instead, switch/switched/switching to/from,
the plan is, conclusion, verdict, ruled out, rejected, picked, ended up with, in favour/favor of,
resolved that, i/we kept/dropped/prefer, i'll/we'll stay/stick/settle/keep/use/go/adopt/drop,
i/we will stay/stick/settle/keep/use/go/adopt/drop,
i'm/we're using/keeping/dropping/picking/choosing/adopting/staying,
we/i are/am using/keeping/dropping/picking/choosing/adopting/staying, it is/'ll because/since,
it is ; because/since, it'll be ; because/since, root cause, turns out,
issue/problem/bug/cause/fix is/was but: clear/obvious/understood/simple,
entschieden, entscheidung, beschlossen, geeinigt, beschluss,
es bleibt bei, wir nehmen/bleiben/verwenden, {_STAYS} ... because/since, {_STAYS} ... so/given that,
{_STAYS} ... due to, {_STAYS} ... as it/that/they, we take/want/do ... because/since/due,
we take/want/do ... so/given that, rather than ... because/since/due/as,
instead of ... because/since/due/as
"""
_NOT_YET = f"""
let me, let's see/check/look, i'll check/now/start/look, please confirm/provide/tell, please let me,
{_NOT} {_SETTLED}, {_NOT} yet/been {_SETTLED}
"""
_OPEN = f"""
{_NOT} {_SETTLED}, {_NOT} yet/been {_SETTLED}, todo, to-do, to do :, fixme, tbd, open question,
still need/needs/open/missing/unclear/broken/failing/pending/unknown, still has/have to,
not yet/done/finished/implemented/tested/sure/been/decided/looked,
remain/remains/remaining to/work/task/tasks/issue/issues/step/steps/question/questions, next step/steps,
left to do, follow-up, followup, follow up, blocked, waiting for/on, on hold, unclear, unresolved,
undecided, unanswered, untested, unfinished, for later/tomorrow,
to be decided/done/settled/clarified/confirmed, nobody has/knows, someone has to, someone should/must,
need to find/check/decide/ask, haven't looked/started/tested/checked/tried,
haven't * looked/started/tested/checked/tried, have not looked/started/tested/checked/tried, offen,
noch nicht, ungeklärt, unklar, zu klären
"""
_BACK = """
you may/can but: not/only/never, you are allowed to, you don't have/need to, feel free to,
not necessary/needed/required, no longer necessary/needed/required, is/are ok/okay/fine/allowed now/again,
is/are ok/okay/fine/allowed after all, it's ok/okay/fine to, forget the/my/that/about ... rule,
forget rule, i take that/it back, du darfst but: nicht/nur/kein
"""
_TABLES = {
    "rule": _RULE, "no rule": _NO_RULE, "decision": _DECISION, "not yet": _NOT_YET,
    "open": _OPEN, "back": _BACK,
}  # fmt: skip
# Chinese is written without blanks: its phrases stand anywhere.
_CHINESE = {
    "rule": "不要 不能 不可 不得 不准 不许 禁止 严禁 必须 务必 一定要 总是 始终 永远 绝不 从不"
    " 一律 只能 只用 请用 请使用 从现在 以后都 切勿 别",
    "decision": "决定 选定 选择了 选了 选用 同意 采用 改用 结论 就用 就选 就按",
    "open": "待定 待办 尚未 还没 未解决 不清楚 不确定 待确认 未完成 下一步",
    "back": "可以改了 可以动了 可以用了 不用再 不必再",
}


def topic(sentence: str, *, user: bool) -> str:
    """Classify a sentence: `rule` (only a user's), `decision`, `open`, or ""."""
    if len(sentence) > LONGEST:
        return ""
    words = _words(sentence)
    if user and _is_rule(sentence, words):
        return "rule"
    if _is_decision(sentence, words):
        return "decision"
    announced = re.match(r" (?:\S+ )?let me " if user else _NEXT, words)
    return "open" if not announced and _says(words, sentence, "open") else ""


def takes_back(sentence: str) -> bool:
    """Whether a user's sentence revokes a rule."""
    return not _is_question(sentence) and _says(_words(sentence), sentence, "back")


def _is_rule(sentence: str, words: str) -> bool:
    """Whether a user's sentence states a rule or a wish."""
    if _is_question(sentence) or _is_short(sentence, FEWEST) or not _says(words, sentence, "rule"):
        return False
    return not _says(words, sentence, "no rule")


def _is_decision(sentence: str, words: str) -> bool:
    """Whether a sentence states a decision or a finding; one that ends in a colon only announces it."""
    if _is_question(sentence) or _is_short(sentence, DECIDES) or sentence.endswith((":", "：")):
        return False
    return _says(words, sentence, "decision") and not _says(words, sentence, "not yet")


def _is_question(sentence: str) -> bool:
    return sentence.endswith(("?", "？"))


def _is_short(sentence: str, fewest: int) -> bool:
    return sentence.isascii() and len(sentence.split()) < fewest


def _words(sentence: str) -> str:
    """The words and marks of a sentence, separated and surrounded by spaces."""
    return f" {' '.join(_WORDS.findall(sentence.lower().translate(_COMMAS)))} "


def _says(words: str, sentence: str, table: str) -> bool:
    """Whether a sentence has one of a table's phrases."""
    if not sentence.isascii() and any(phrase in sentence for phrase in _CHINESE.get(table, "").split()):
        return True
    phrases = _phrases(table)
    opening, at = True, 1
    for word in words.split():
        for anchored, pattern in phrases.get(word, ()):
            if (opening or not anchored) and pattern.match(words, at):
                return True
        opening = opening and word in _OPENINGS
        at += len(word) + 1
    return False


@cache
def _phrases(table: str) -> dict[str, list[tuple[bool, re.Pattern[str]]]]:
    """Compile a table: for each first word its phrases, and whether they must begin the sentence."""
    phrases: dict[str, list[tuple[bool, re.Pattern[str]]]] = {}
    for phrase in _TABLES[table].replace("\n", " ").split(","):
        text, _, without = phrase.partition(" but: ")
        words = text.strip().lstrip("^").split()
        pattern = "".join(_PATTERNS.get(word) or f"(?:{_either(word)}) " for word in words)
        not_next = f"(?!(?:{_either(without.strip())}) )" if without else ""
        entry = text.strip()[0] == "^", re.compile(pattern + not_next)
        for word in words[0].split("/"):
            phrases.setdefault(word, []).append(entry)
    return phrases


def _either(words: str) -> str:
    return "|".join(map(re.escape, words.split("/")))
