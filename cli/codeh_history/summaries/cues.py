"""Recognise rules, decisions and open questions in sentences.

A rule is an order (a verb that forbids or demands, and its object) or a wish. Questions are only ever
open. A table has a pattern a line, read against the lower-case words and marks of a sentence between
spaces (a comma or dash is `;`); `^` is the beginning, after polite openings.
"""

from __future__ import annotations

from ..base.lazy import Pattern

LONGEST = 400  # characters of a sentence that may be a rule or a decision
FEWEST, DECIDES = 2, 3  # words of a rule, and of a decision: `So that's decided.` tells nothing

_WORDS = Pattern(r"[^\W_][\w'-]*|[.;:!?]")
_COMMAS = str.maketrans(",\u2013\u2014\u2019", ";;;'")
_OPENING = (
    r"^ (?:(?:and|but|also|so|then|absolutely|strictly|really|definitely|ok|okay|please|important|rule|note"
    r"|remember|reminder|constraint|btw|oh|right|[;:]) )*"
)
_NOT = "(?:not|never|isn't|wasn't|haven't|hasn't|didn't|aren't)"


def _phrases(table: str) -> Pattern:
    lines = table.replace("NOT", _NOT).strip().split("\n")
    anywhere = "|".join(line for line in lines if line[0] != "^")
    first = "|".join(line[1:] for line in lines if line[0] == "^")
    return Pattern(rf".*? (?:{anywhere}) |{_OPENING}(?:{first}) " if first else rf".*? (?:{anywhere}) ")


_RULE = _phrases(r"""
^(?:(?:you |we )?(?:never|always|don't|do not|dont))(?! (?:know|think|worry|mind|care|need|have|forget) )
^(?:avoid|refrain|stick|only|prefer|limit|ensure|unless|(?:stay|keep) away|hands off|make sure|until i)
^(?:under no circumstances|from (?:now|here) on|going forward|in (?:the )?future|as a rule|i'd rather)
^(?:remember that|do everything|stop|(?:whenever|(?:every|each) time)(?:(?! i | it )| (?:i|it) .* ;))
^use \S+ \S+
^(?:keep|leave|name|write|put|treat|ask|show|tell) .*?(?:only|not|never|always|every|each|all|alone)
^(?:keep|leave|write|put|ask|show|tell) .*?(?:before|unless|instead|below|under|than|after|same|short)
^(?:keep|leave|write|put|ask|show|tell) (?!it |this |that |these |some |me )\S+ .*?(?:in|as)
^no (?:more than .*|\S+ (?:\S+ )?(?:[.!]|in|on|for|inside|to|at|with|without|from|unless|before|until))
^(?:nothing|nobody|all|every|each|any) .*?(?:must|should|may|can|needs?|gets?|goe?s?|belongs?|has|have)
must(?:n't)?(?! be (?:the|a|why|so) | have )
may (?:not|only)|can only|at (?:all costs|most|least) \S+|without (?:asking|my|our|approval|permission)
sh(?:all|ould|ouldn't|an't) (?:not|never|always|only)|shouldn't|off[ -]limits|from now on|call me|before you
(?:is|are) (?:not |never )?(?:allowed|forbidden|prohibited|mandatory|required|frozen|read-only)
ha(?:s|ve) to (?:be|stay|remain|keep|work|run)|(?:stays?|remains?) (?:untouched|unchanged|as)
i(?:'d)? (?:always |only |really |would )?(?:prefer|insist|expect|forbid|hate)
i (?:want|need|like) (?:all|every|each|no|only|your|everything)
i (?:don't|do not|won't) (?:want|like|accept|allow|eat)|we (?:only|always|never|don't) \S+
please (?:use|keep|don't|do|always|never|only|avoid|stick|stop|answer)|our (?:convention|style|policy)
please .*?(?:every|each|all|always|never|only|first)|[;:] (?:don't|do|never)|: (?:every|all|each|no|always)
niemals|nie|immer|stets|auf keinen fall|unbedingt|nur noch|verwende|benutze|bitte (?:nie|nicht|immer|nur)
\S*(?:不要|不能|不得|禁止|必须|务必|一定要|永远|只能|请用|以后都|别)\S*
""")
_NO_RULE = _phrases(r"""
^(?:i|he|she|it|they|that|there|this|i've|it's|we've) (?:\S+ )?(?:never|always)
^(?:(?:(?:it|that|this) )?must be|if there|(?:pip|npm|git|cargo|apt|docker|sudo|cd|python3?|uv|yarn) \S+)
^no (?:problem|idea|worries|thanks|matter|need|doubt|longer|such|errors?|results?|changes?|match(?:es)?)
^(?:no .*?(?:found|yet|available|left)|(?:don't|do not) \S+ if)
^(?:write|draw|make|name|put|show|tell|give) (?:me )?(?:an?|which|the|two|three|four|five|ten)
(?:was|were|been|did) (?:not|never|always)|(?:don't|didn't|doesn't|won't|not) (?:want|need|have) to
never mind|not found|permission denied|(?:failed|had) to|could not|this time|i think|it says|thanks?
(?:use|keep|take|need|like|read|open) (?:the|my) (?:first|second|third|last|next)
must be (?:down|up|broken|wrong|missing|gone)|limit is|(?:every|each) time i .* ; (?:why|how|what|and|so)
""")
_DECISION = _phrases(r"""
decided|decision|chosen?|chose|agreed|settled on|opted|approved|signed off|conclusion|verdict|ruled out
rejected|picked|ended up with|root cause|turns out|resolved that|the plan is|going with|in favou?r of
let's (?:use|go|keep|drop|stick|instead)|switch(?:ed|ing)? (?:to|from)|we kept|we dropped
(?:issue|problem|bug|cause|fix) (?:is|was)(?! clear| obvious| understood| simple)
(?:i'll|we'll|i will|we will) (?:stay|stick|settle|keep|use|go|adopt|drop)
(?:we \S+|it is|it'll be|will|stays?|remains?|rather than|instead of) .*?(?:because|since|due to|given that)
entschieden|beschlossen|beschluss|es bleibt bei|wir (?:nehmen|bleiben|verwenden)
\S*(?:决定|选定|选了|采用|改用|就用)\S*
""")
_NOT_YET = _phrases(r"""
let me|let's (?:see|check|look)|i'll (?:check|look|start)|please (?:confirm|provide|tell)
NOT (?:yet|(?:been )?(?:decided|agreed|chosen|settled|approved))
""")
_OPEN = _phrases(r"""
NOT (?:been )?(?:decided|agreed|chosen|settled|approved)|to-?do|fixme|tbd|open question|still ha(?:s|ve) to
still (?:needs?|open|missing|unclear|broken|failing|pending|unknown)|next steps?|left to do|follow-?up
not (?:yet|done|finished|implemented|tested|sure)|blocked|waiting (?:for|on)|on hold|for (?:later|tomorrow)
remain(?:s|ing)? (?:to|work|tasks?|issues?|steps?|questions?)|unclear|unresolved|undecided|untested
nobody (?:has|knows)|someone (?:has|should|must) \S+|need to (?:find|check|decide|ask)
haven't (?:\S+ )?(?:looked|started|tested|checked|tried)|offen|noch nicht|ungeklärt|unklar
\S*(?:待定|待办|尚未|还没|未解决|不确定|下一步)\S*
""")
_BACK = _phrases(r"""
you (?:may|can)(?! not| only| never)|you are allowed to|you don't (?:have|need) to|feel free to
no(?:t| longer) (?:necessary|needed|required)|forget (?:\S+ )*?rule|i take (?:that|it) back
(?:is|are|it's) (?:ok|okay|fine|allowed) (?:now|again|to|after)|du darfst(?! nicht| nur| kein)
\S*(?:可以改了|可以用了|不用再|不必再)\S*
""")
_NEXT = Pattern(  # announces what comes next
    r" (?:(?:now|so|first|next|then|and|but|also|ok|okay|;) )*"
    r"(?:(?:\S+ )?let me|let's|i'll|i will|i need to|i have to|i should|i'm going to) "
)


def topic(sentence: str, *, user: bool) -> str:
    """Classify a sentence: `rule` (only a user's), `decision`, `open`, or ""."""
    if len(sentence) > LONGEST:
        return ""
    words = _words(sentence)
    states = not sentence.endswith(("?", "？", ":", "："))
    count = len(sentence.split()) if sentence.isascii() else DECIDES
    if user and states and count >= FEWEST and _RULE.match(words) and not _NO_RULE.match(words):
        return "rule"
    if states and count >= DECIDES and _DECISION.match(words) and not _NOT_YET.match(words):
        return "decision"
    return "open" if _OPEN.match(words) and not _NEXT.match(words) else ""


def announces(sentence: str) -> bool:
    """Whether a sentence only says what its speaker does next."""
    return _NEXT.match(_words(sentence)) is not None


def takes_back(sentence: str) -> bool:
    """Whether a user's sentence revokes a rule."""
    return not sentence.endswith(("?", "？")) and _BACK.match(_words(sentence)) is not None


def _words(sentence: str) -> str:
    """The words and marks of a sentence, separated and surrounded by spaces."""
    return f" {' '.join(_WORDS.findall(sentence.lower().translate(_COMMAS)))} "
