"""Which sentences say what shall be, what was decided, what is still open: in English, German and Chinese.

A rule is an order that holds (a verb that forbids or demands, and what), or a wish; a sentence is never
rewritten, only chosen. A question is none of these but an open end.
"""

from __future__ import annotations

import re

LONGEST = 400  # characters of a sentence that may be a rule or a decision
FEWEST, DECIDES = 2, 3  # words of a rule, and of a decision: `So that's decided.` tells nothing

_LEAD = (  # what may stand before an order
    r"^(?:(?:and|but|also|so|then|absolutely|strictly|really|definitely|whatever happens|ok(?:ay)?|please"
    r"|important|rule|note|remember|reminder|constraint"
    r"|one (?:more )?(?:rule|thing)"
    r"|from now on|going forward|in (?:the )?future|as a rule|in general|by the way|btw)\b[,:]? +)*"
)
_RULE = re.compile(
    _LEAD + r"(?:(?:you |we )?(?:never|always|do not|don['’]?t)\b(?! (?:know|think|worry|mind|care"
    r"|get me|forget you)\b)"
    r"|(?:avoid|refrain from|stick (?:to|with)|steer clear|stay away|keep away|hands off|only|prefer"
    r"|limit|make sure|ensure"
    r"|stop \w+ing|whenever|every time|each time|unless|until i|under no circumstances|at no point)\b"
    r"|(?:use|keep|leave|name|write|put|treat|ask (?:me|us|before)|show me|tell me) (?!it\b|up\b|on\b"
    r"|going\b|me (?:the|how|what|why|more))\S+ "
    r"(?=.*\b(?:only|not|never|always|every|each|all|any|alone|untouched|before|unless|instead|below"
    r"|under|short|in|as|for|to|than|after|the same)\b)"
    r"|no (?!idea|problem|worries|thanks|matter|need|wonder|doubt|luck|such|longer|one\b|\w+ (?:found"
    r"|yet|available|matche?s?|left)\b)"
    r"[\w-]+(?: [\w-]+){0,5}? (?:in|on|for|inside|to|at|with|without|from|unless|before|until"
    r"|please)\b.*[.!]$"
    r"|(?:nothing|nobody|no ?one|none|nowhere)\b.*\b(?:may|must|should|can|gets?|goes|touch\w*|but)\b)"
    r"|\b(?:must(?:n['’]t)?(?! (?:be (?:\w+ing|a|the|why|so)|have)\b)|may (?:not|only)|can only"
    r"|sh(?:all|ould)(?:n['’]t| not| never| always| only)"
    r"|(?:is|are|am) (?:not |never )(?:to|allowed)|(?:is|are) (?:off[- ]limits|forbidden|prohibited"
    r"|mandatory|required|taboo|frozen|read-only)"
    r"|not (?:allowed|supposed) to|ha(?:s|ve) to (?:be|stay|remain|keep|work|run)|needs? to (?:be|stay)"
    r"|no exceptions|at all costs"
    r"|off[- ]limits|without (?:asking|my|our|approval|permission|telling)|from now on|at (?:most"
    r"|least) \S+"
    r"|(?:stays?|remains?) (?:as (?:it is|is)|untouched|unchanged|frozen))\b"
    r"|^(?:all|every|each|any)\b[^?]*\b(?:must|should|need|needs|gets?|goes|go|belongs?|has to|have to"
    r"|shall|may)\b"
    r"|\bi(?:['’]d| would)? (?:always |only |really |strongly )?(?:prefer|insist|expect|forbid|hate)\b"
    r"|\bi(?:['’]d| would)? (?:want|need|like) (?:all|every|each|no|only|your) \S+"
    r"|\bi (?:do not|don['’]t|won['’]t) (?:want|like|accept|need|allow|eat)\b|\bmy (?:preference"
    r"|preferred)\b|\bcall me\b"
    r"|\bplease (?:use|keep|don['’]t|do not|always|never|only|avoid|stick|answer|write)\b"
    r"|\bour (?:convention|style|policy|standard)\b|\bwe (?:only|always|never|don['’]t|do not) (?:use"
    r"|do|write|allow|ship|commit|touch|push|deploy)\b"
    r"|\b(?:niemals|nie|immer|stets|ab (?:jetzt|sofort)|künftig|auf keinen fall|keinesfalls|unbedingt"
    r"|darf(?:st)? (?:nicht|nur|kein\w*)"
    r"|dürfen (?:nicht|nur)|soll(?:st|en)? nicht|nur noch|mindestens|höchstens|verboten|verwende"
    r"|benutze|achte darauf|bitte (?:nie|nicht|immer|nur|kein\w*))\b"
    r"|不要|不能|不可|不得|不准|不许|禁止|严禁|必须|务必|一定要|总是|始终|永远|绝不|从不|一律|只能|只用|请用|请使用|从现在|以后都|切勿|别(?!的|人)"
)  # fmt: skip
_ORDER = re.compile(  # an order that holds, by its shape
    r"^(?:please )?(?:use (?!it\b)\S+ \S|remember (?:that|to)\b|do everything\b|from (?:here|now) on\b"
    r"|i[\'’]d rather\b)"
    r"|^no (?!problems?|ideas?|worries|thanks|errors?|results?|outputs?|changes?"
    r"|match)[a-z-]+(?: [a-z-]+){0,2}[.!]$"
    r"|\bplease\b.*\b(?:every|each|all|always|never|only|respect)\b|[,;] (?:do not|don[\'’]t"
    r"|never) (?!know|think)"
    r"|\b(?:before you|for my (?:ok|approval)|we only (?:support|want)|i (?:want|need) everything)\b"
    r"|: (?:every|all|each|no) "
)
_NO_RULE = re.compile(  # what was or is so, politeness, and what programs print
    r"^(?:i|he|she|it|they|that|there|this)(?:['’]\w+)? (?:\w+ )?(?:never|always)\b|\bnever ?mind\b"
    r"|\bhow you\b|^if there\b"
    r"|\bmust(?:['’]ve| have)\b|^(?:it |that |this )?must be\b|\b(?:was|were|had to|has been"
    r"|have been) (?:never|always)\b"
    r"|\bthank(?:s| you)\b|^(?:pip|npm|git|cargo|apt|brew|docker|sudo|\$|cd|python\d?|uv|yarn"
    r"|curl)\b [^,;]*$"
    r"|\b(?:not found|no such|permission denied|failed to|could not|cannot find|was not|did not"
    r"|found to)\b"
    r"|\b(?:n['’]t|not) (?:want|need|have) to\b"
    r"|\b(?:this time|at the moment|i think|that seems|it says|(?:pass|fails?) now)\b"  # asked or so once
    r"|\bmust be (?:down|up|broken|wrong|missing|gone|offline)\b|^limit (?:is|was)\b"
    r"|\b(?:use|keep|take|need|like|read|open) (?:the (?:first|second|third|fourth|last|next|\w+ i)"
    r"|my last)\b"
    r"|^(?:please )?(?:write|draw|make|name|put|show me|tell me|give me) (?:an?|the|which|two|three|four"
    r"|five|ten|\d+) (?!.*\b(?:always|never|every|each|only|before|instead)\b)"
    r"|^(?:every time|each time|whenever) (?:i|it) [^,]*(?:$|, (?:why|how|what|and|so)\b)"
    r"|^it (?:stays?|remains?|only)\b.*\bwhen\b|^only the \w+ \w+ (?:fails?|works?)\b"
)
_DECISION = re.compile(
    r"\b(?:decided|decision|chose|chosen|agreed|settled on|opted|approved|signed off|going with"
    r"|goes with|went with|go with|let['’]?s (?:use|go|keep|drop|stick)"
    r"|switch(?:ed|ing)? (?:to|from)|the plan is|conclusion|verdict|ruled out|rejected|picked"
    r"|ended up with|in favou?r of|resolved that|(?:i|we) (?:kept|dropped|prefer)"
    r"|(?:i|we)(?:['’]ll| will) (?:stay|stick|settle|keep|use|go|adopt|drop)|(?:i['’]m|we['’]re|we are"
    r"|i am) (?:using|keeping|dropping|picking|choosing|adopting|staying)"
    r"|it (?:is|it['’]ll be),? (?:because|since)|root cause|turns out|(?:issue|problem|bug|cause"
    r"|fix) (?:is|was)"
    r"|entschieden|entscheidung|beschlossen|geeinigt|beschluss|es bleibt bei|wir (?:nehmen|bleiben"
    r"|verwenden))\b"
    r"|\b(?:will|stays?|gets?|goes|moves?|remains?|we (?:take|want|do)|rather than"
    r"|instead of)\b.*\b(?:because|since|so that|given that|due to|as (?:it|that|they))\b"
    r"|决定|选定|选择了|选了|选用|同意|采用|改用|结论|就(?:用|选|按)"
)
_AT_ONCE = re.compile(  # what is done next, or somebody is asked for; and what is not decided yet
    r"^(?:now|next|first|ok|okay|good|great|and)?,? ?(?:let me|let['’]s (?:see|check|look)"
    r"|i['’]ll (?:check|now|start|look))\b"
    r"|\bplease (?:confirm|provide|let me know|tell me)|(?:n['’]t|\bnot|\bnever)(?: yet"
    r"| been)* (?:decided|agreed|chosen|settled|approved)"
)
_OPEN = re.compile(
    r"\b(?:(?:\w+n['’]t|not|never)(?: yet| been)* (?:decided|agreed|chosen|settled|approved)|to-?do"
    r"|fixme|tbd|open question|still (?:needs?|has to|have to|open|missing|unclear|broken"
    r"|failing|pending|unknown)|not (?:yet|done|finished|implemented|tested)"
    r"|remain(?:s|ing) (?:to|work|tasks?|issues?|steps?|questions?)|next steps?|left to do"
    r"|follow[- ]?up|blocked|waiting (?:for|on)|on hold|unclear|unresolved|undecided|unanswered"
    r"|untested|unfinished|for (?:later|tomorrow)|to be (?:decided|done|settled|clarified|confirmed)"
    r"|not (?:sure|been|decided|looked)|nobody (?:has|knows)|someone (?:has to|should|must)"
    r"|need to (?:find out|check|decide|ask)|have(?:n['’]t| not) (?:\w+ )?(?:looked|started|tested"
    r"|checked|tried)|offen|noch nicht|ungeklärt|unklar|zu klären)\b"
    r"|待定|待办|尚未|还没|未解决|不清楚|不确定|待确认|未完成|下一步"
)
_BACK = re.compile(  # takes back what was forbidden or demanded
    r"\b(?:you (?:may|can|are allowed to)(?! (?:not|only|never)\b|['’])|you don['’]t (?:have|need) to"
    r"|feel free to"
    r"|(?:not|no longer) (?:necessary|needed|required)|(?:is|are) (?:ok|okay|fine|allowed) (?:now|again"
    r"|after all)"
    r"|it['’]s (?:ok|okay|fine) to|forget (?:about )?(?:the|my|that) rule|i take (?:that|it) back"
    r"|du darfst(?! nicht| nur| kein))\b|可以(?:改|动|用)了|不用再|不必再"
)


def topic(sentence: str, *, user: bool) -> str:
    """What kind of thing a sentence says: `rule` (of users alone), `decision`, `open`, or "" for none."""
    if len(sentence) > LONGEST:
        return ""
    if user and rule(sentence):
        return "rule"
    if decision(sentence):
        return "decision"
    return "open" if open_end(sentence) else ""


def rule(sentence: str) -> bool:
    """Whether a user's sentence says what shall hold, or what he wants."""
    text = sentence.lower()
    if _is_question(sentence) or _short(sentence) or not (_RULE.search(text) or _ORDER.search(text)):
        return False
    return _NO_RULE.search(text) is None


def takes_back(sentence: str) -> bool:
    """Whether a user's sentence allows again what was forbidden."""
    return not _is_question(sentence) and _BACK.search(sentence.lower()) is not None


def decision(sentence: str) -> bool:
    """Whether a sentence says what was decided or found out."""
    text = sentence.lower()
    if _is_question(sentence) or _short(sentence, DECIDES) or not _DECISION.search(text):
        return False
    if sentence.endswith((":", "：")):  # "The issue is likely that:" only announces it
        return False
    return _AT_ONCE.search(text) is None


def open_end(sentence: str) -> bool:
    """Whether a sentence names something still to be done; not one that says what is done next, at once."""
    text = sentence.lower()
    return _OPEN.search(text) is not None and not text.startswith(("let me", "now let me", "i'll now"))


def _is_question(sentence: str) -> bool:
    return sentence.endswith(("?", "？"))


def _short(sentence: str, fewest: int = FEWEST) -> bool:
    return sentence.isascii() and len(sentence.split()) < fewest
