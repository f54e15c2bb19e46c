"""Which sentences are worth keeping word for word: rules, wishes, decisions, open ends; by cue words.

English, German and Chinese. A sentence is never rewritten, only chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

_SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~"
_BLANKS = {ord(sign): " " for sign in f"{_SIGNS}—–…“”‘’„«»"}
_ASCII_BLANKS = bytes.maketrans(_SIGNS.encode(), b" " * len(_SIGNS))
_WORD = re.compile(r"[^\W\d_]{2,}")
_TYPED = {  # what is typed in haste, and what cues are written for
    **{f"{word}nt": f"{word}n't" for word in (
        "do", "does", "did", "ca", "wo", "is", "are", "was", "were", "has", "have", "had", "must", "should",
        "would", "could", "need",
    )},
    "ive": "i've", "im": "i'm", "youre": "you're", "theyre": "they're", "thats": "that's",
    "lets": "let's", "whats": "what's", "u": "you", "ur": "your", "pls": "please", "plz": "please",
    "idk": "i don't know", "dunno": "don't know", "gotta": "have to",
    "bc": "because", "cuz": "because", "cos": "because", "thru": "through",
    "prob": "probably", "tmrw": "tomorrow", "tomorow": "tomorrow", "asap": "soon",
}  # fmt: skip
_TYPED_WORD = re.compile(r"(?<![\w'])[a-z]+(?![\w'])")


class Said(NamedTuple):
    """A sentence in lower case, its words, and the cues that may be in it.

    None for both where words may stand together (no ASCII): then any cue may.
    """

    text: str
    words: frozenset[str] | None
    cues: frozenset[Cue] | None


@lru_cache(maxsize=1)
def looked(sentence: str) -> Said:
    """A sentence as cues are looked for in it; of the last one it is known."""
    text = sentence.lower()
    if text.isascii():  # as most are, and several times as fast
        words = frozenset(text.encode().translate(_ASCII_BLANKS).decode().split())
        if not _TYPED.keys().isdisjoint(words):
            text = _TYPED_WORD.sub(lambda found: _TYPED.get(found[0], found[0]), text)
            words = frozenset(text.encode().translate(_ASCII_BLANKS).decode().split())
    else:
        words = apart(text)
        if not all(map(str.isascii, words)):
            return Said(text, None, None)
    return Said(text, words, frozenset(_cues(words)))


def apart(text: str) -> frozenset[str]:
    """The words that blanks and signs part."""
    return frozenset(text.translate(_BLANKS).split())


def _cues(words: frozenset[str]) -> Iterator[Cue]:
    """The cues that may be in a sentence of these words."""
    for word in words & _BY_WORD.keys():
        for cue, others in _BY_WORD[word]:
            if not others or not others.isdisjoint(words):
                yield cue


class Cue:
    """A pattern that is looked for only where one of its words stands, which takes a tenth of the time."""

    def __init__(self, pattern: str, words: str, *, signs: str = "") -> None:
        """`words`: one of them is in each match, should the sentence be ASCII.

        `a+b|c` is a word that many sentences have: a match with it has one of the others too. `signs`: the
        pattern of what is looked for where words may stand together, which takes as long as all else.
        """
        self._source = pattern
        self.signs = signs
        for given in words.split():
            word, _, others = given.partition("+")
            _BY_WORD.setdefault(word, []).append((self, frozenset(others.split("|") if others else ())))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self._source)

    def may(self, said: Said) -> bool:
        return said.cues is None or self in said.cues

    def found(self, said: Said) -> bool:
        if not self.may(said):
            return False
        if self.pattern.search(said.text):
            return True
        return said.words is None and self.signs != "" and re.search(self.signs, said.text) is not None


_BY_WORD: dict[
    str, list[tuple[Cue, frozenset[str]]]
] = {}  # each with its words of which one must be there too


_NOT = (
    r"(?:do not|don['\u2019]?t)\b"
    r"(?! (?:know|think|see|get|have|need|want|mean|really|worry|mind|care|be afraid)\b)"
)
# Cues are looked for in lower case, at the starts of words, which takes a third of the time.
_STRONG = Cue(
    r"\b(?=\w)(?:(?:never|always|must(?:n't)?|sh(?:all|ould) not|shouldn'?t|may not|not allowed"
    r"|forbidden"
    r"|prohibited|at (?:most|least) (?:\d[\d.,]*|one|two|three|four|five|six|ten|half|twice)"
    r"|no (?:more|later|longer|fewer|less) than|from now on|make sure|ensure"
    r"|under no circumstances"
    r"|required?|requirements?|constraints?|mandatory|backwards?[- ]compatib\w+|hands off|off limits"
    r"|deadline)\b"
    r"|^(?:please )?(?:use|avoid|stick (?:to|with)|refrain|prefer|keep (?:your hands|away)"
    r"|leave) (?!it\b)"
    r"|(?:going forward|in (?:the )?future|hereafter|henceforth|as a rule|no exceptions|off-limits"
    r"|every time)\b"
    r"|(?:steer clear|stay away|keep away|is not to be|are not to|isn't allowed|strictly|at no point)\b"
    r"|only (?:use|touch|change|edit|modify|if|when|in|on|with|for|after|the)\b"
    r"|(?:use|touch|change|edit|modify) only\b|^(?:important|rule|note|constraint|remember)\b\s*[:,]"
    rf"|(?:please|and|but|so|just|or|then|also|to) {_NOT}"
    r"|i (?:do not|don['\u2019]?t) (?:want|like|need|accept|wish|use|eat|have|ever)\b"
    r"|(?:^|(?<=[,;:.] ))no (?!need\b|idea\b|problem\b|worries\b|thanks\b)[\w.-]+(?: [\w.-]+){0,5}!)"
    r"|leave (?!it\b)[\w ./-]{1,60} (?:alone|untouched)\b|ha(?:s|ve) to (?:stay|remain)\b"
    rf"|(?:^|[,;:.(!\u2014-] *)(?:(?:you|we) )?{_NOT}",
    """
    never always must mustn shouldn shouldnt not no allowed forbidden prohibited at+most|least
    now+from sure+make ensure circumstances require required requirement requirements constraint
    constraints mandatory backward backwards hands off deadline use avoid stick refrain prefer keep
    leave has+stay|remain have+stay|remain forward future hereafter henceforth rule
    exceptions time+every steer away strictly only important note remember don dont
    """,
)
_BEGINNING = Cue(  # what holds from now on, told by how the sentence begins
    # of a whole kind of things: `Each module needs a header`, `Nobody but me pushes`, `No globals here`
    r"^(?:(?:and |but |also,? |please,? )?(?:all|every|each|any|nobody|no ?one|none)\b[^?]*?"
    r"\b(?:needs?|gets?|goes|go|belongs?|must|should|may|(?:is|are) (?:to|only)|but (?:me|us|i)"
    r"|except)\b"
    r"|(?:and |but |also,? |please,? )?no (?!(?:need|idea|problem|worries|thanks|matter|wonder"
    r"|doubt|way|luck"
    r"|chance|change|changes|difference|errors?|output|sign|trace|longer|more|one|results?)\b)"
    r"[\w-]+(?: [\w-]+)? (?:in|on|for|inside|within|to|at|with|outside|from)\b"
    # how to go about all that follows: `Keep answers short`, `Stop adding comments`, `Ask me before`
    r"|(?:please,? )?(?:keep (?!\w+ing\b|on\b|at|up\b|(?:that|this|it|in|you)\b)"
    r"|(?:stop|quit) \w+ing\b|ask (?:me|us)\b)"
    r"|(?:please,? )?(?:before|after|whenever|when|every time|each time|unless|until|if) "
    r"(?:you|each|every|any)\b[^?]*,(?! *(?:i|it|he|she|they|we|you|that|this|there|how|what|who|why|where"
    r"|like|then|let me)\b))",
    """
    all every each any nobody no noone none keep stop quit ask before+you|each|every|any after+you|each
    whenever when+you|each|every|any unless until if+you|each|every|any
    """,
)
_STANDING = Cue(  # the same, by the shape of the sentence
    r"\b(?=\w)(?:(?:before|whenever|unless|until) (?:you|each|every|any|i say|i tell|i['\u2019]ve)\b"
    r"|without (?:asking|my|our|approval|permission|telling)"
    r"|(?:whatever|no matter what) (?:you|happens)|no matter (?:how|which|who)|under any circumstances?"
    r"|at all costs|(?:(?:nowhere|nothing|no ?one|nobody|none|anywhere) else(?! ?(?:,|to\b))"
    r"|may only|can only be)\b"
    r"|(?:is|are) to be (?!(?:expected|seen|found|done|decided|settled|honest)\b)|(?:is"
    r"|are) to (?:stay|remain)"
    r"|stays? (?:as (?:it is|is|they are)|put|untouched|unchanged|frozen)\b"
    r"|(?:hands|fingers) (?:off|away)|let (?!me\b|us\b|it\b|['\u2019])[\w ./-]{1,60} be\b(?! \w)"
    r"|i (?:can(?:no|['\u2019])t|won['\u2019]t) have\b|i(?:['\u2019]d| would)? (?:ask you|insist"
    r"|expect you)\b"
    r"|i['\u2019]d rather (?:you|we|not)|(?:essential|crucial|vital|imperative) (?:that|to)\b"
    r"|important (?:to (?:me|us) )?that\b"
    r"|(?:non-negotiable|taboo|off the table|(?:is|are) (?:frozen|read-only|locked))\b|not supposed to"
    r"|throughout\b|we (?:don['\u2019]t|do not|only|never|always) "
    r"(?:do|use|write|allow|ship|commit|touch|accept|put|add|call|log|mix|rely)\b"
    r"|belongs? (?:in|into|under|to)\b)",
    """
    before+you|each|every|any|i whenever unless until without whatever all+at any+under
    matter circumstance circumstances costs else anywhere only+may|be is+to|frozen|read|locked
    are+to|frozen|read|locked stay+as|put|untouched|unchanged|frozen stays hands fingers let+be
    i+have|ask|insist|expect|rather
    essential crucial vital imperative important+that|to negotiable taboo table+off supposed+not
    throughout we+do|don|dont|only|never|always belong belongs
    """,
)
_NO_RULE = re.compile(  # what was or is so, not what shall be
    r"\b(?:i|you|they|he|she|it|that|there)(?:'\w+| (?:can|could|have|has|had|was|were|did|do|does"
    r"|would))"
    r" (?:never|always)\b"
    r"|\b(?:i|we|he|she|it|they) (?:never|always)"
    r" (?:\w+ed|is|are|found|got|had|was|were|heard|knew|saw|did|came|went)\b"
    r"|\b(?:is|are|was|were|am|been|\w+['\u2019](?:s|re|m)) (?:never|always)\b(?! (?:to|be)\b)"
    r"|\b(?:i|they|he|she|it|that) (?:\w+ )?(?:never|always)\b|\bhow you (?:never|always)\b"
    r"|\b(?:thanks|thank you|glad|for) (?:for )?(?:never|always)\b|\bremind\w* me to (?:never|always)\b"
    r"|\bi(?:['\u2019]\w+)?(?: \w+){0,3} (?:make|made|making) sure\b"
    r"|^(?:it |that |this )?must (?:be|feel)\b(?=[\w ,]*!|(?: \w+){1,3}\W*$)|\bmust-haves?\b"
    r"|\bdon['\u2019]t have\b.*\b(?:at the moment|right now|with me|on me|handy|yet)\b|^if there's\b"
    r"|\bnever ?mind\b|\bmust(?:'ve| have (?:been|\w+ed|had|got|felt)"
    r"| be\b(?= (?:\w+ing|a|the|why|where|really|so|such|very|quite|pretty)\b))"
)
_REQUEST = (  # a question that asks for something to be done
    r"\b(?:can|could|will|would) (?:you|we|i)\b|\bplease\b|\bpls\b|okay ?\?|ok ?\?|right ?\?"
    r"|\b(?:kannst|könntest|könnten|würden|bitte)\b|[请吗吧]"
)
_OTHERS = Cue(  # the same in German and Chinese
    r"\b(?=\w)(?:niemals|nie wieder|nie|immer|stets|ab (?:jetzt|sofort|heute)|künftig|in zukunft"
    r"|tabu|auf keinen fall|keinesfalls"
    r"|unbedingt|muss(?! noch)|müssen(?! (?:wir |sie )?noch)|musst"
    r"|darf(?:st)? (?:nicht|nur|kein\w*)|dürfen (?:nicht|nur)|soll(?:st"
    r"|en)? nicht|nur noch"
    r"|mindestens|höchstens|verboten|pflicht|bitte (?:nie|nicht|immer|nur|keine?)|wichtig:|regel:"
    r"|denk daran|achte"
    r"|verwende|benutze|nimm|lass die finger|ohne ausnahme|ich (?:möchte|will) (?:kein|nicht|dass"
    r"|immer|nur)\w*)\b",
    """
    niemals nie tabu immer stets ab zukunft keinen keinesfalls unbedingt muss musst darf darfst soll
    sollst sollen nur mindestens verboten pflicht bitte wichtig regel denk achte verwende benutze
    nimm lass ohne ich
    """,
    signs=(
        r"不要|不能|不可|不得|不准|不许|禁止|严禁|必须|必須|务必|一定要|总是|始终|永远|绝不|绝对|从不"
        r"|一律|只能|只用|只允许"
        r"|请用|请使用|从现在(?:起|开始)|从今以后|以后(?:都|请)|今后|至少|最多|不超过|记住|记得|规定|切勿"
        r"|别(?!的|人)"
    ),
)
_WEAK = Cue(
    r"\b(?=\w)(?:avoid|without|unless|except|instead of|rather than|stick (?:to|with)|ha(?:s|ve) to"
    r"|needs? to (?:be|stay)"
    r"|keep (?:it|the|all|every\w*|our|my|to)|leave .{1,40} (?:alone|as is|untouched)|should"
    r"|limit(?:s|ed|ing|ations?)?|budget|below"
    r"|under \d|over \d|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|stay as)\b",
    """
    avoid without unless except instead rather stick has+to have+to need+be|stay needs+be|stay keep
    leave should limit limits limited limiting limitation limitations budget below under over
    by+monday|tuesday|wednesday|thursday|friday|saturday|sunday stay+as
    """,
)
_ASKED = Cue(r"^(?:please )?(?:use|put|remember|stop)\b", "use put remember stop")
_WISH = Cue(
    r"\bi(?:'d| would)? (?:really |usually |strongly )?(?:prefer|rather|hate|love|want|need)\b"
    r"|\bi (?:really )?like\b"
    r"|\bmy (?:preference|preferred|favou?rite|name|user|email|e-mail|account|card|id|time ?zone|editor"
    r"|team|address"
    r"|phone|order|reservation|booking|stack|machine|setup)\b|\bcall me\b|\b(?:we|our team) (?:use"
    r"|prefer"
    r"|run|deploy)\b"
    r"|\bour (?:convention|style|policy|stack|standard)\w*\b|\bi(?:'m| am) (?:allergic|vegan|vegetarian"
    r"|based|working|using)\b"
    r"|\bplease (?:use|don'?t|do not|always|never|keep|avoid)\b",
    """
    i+prefer|rather|hate|love|want|need|like|allergic|vegan|vegetarian|based|working|using
    my call+me we+use|prefer|run|deploy our please+use|don|dont|do|always|never|keep|avoid
    """,
)
_DECISION = Cue(
    r"\b(?=\w)(?:decided|decision|chose|chosen|agreed|settled on|opted|approved|going with"
    r"|go(?:es)? with"
    r"|went with"
    r"|let'?s (?:use|go|keep|do|make|drop|stick)|we(?:'ll| will) (?:use|go|keep|do|drop|stick)"
    r"|switch(?:ed|ing)? (?:to|from)"
    r"|the plan is|plan:|final(?:ly)? (?:answer|choice)|conclusion|we(?:'re| are) (?:going|using"
    r"|keeping|dropping)"
    r"|(?:i|we) (?:picked|settled|ruled out|rejected|preferred|kept|dropped|will go)|the (?:call"
    r"|verdict|choice) is|it is,? (?:because|since)|(?:verdict|decision|resolution|final word"
    r"|outcome)\b: ?"
    r"|made up (?:my|our) minds?|in favou?r of|resolved that\b|my (?:choice|pick|vote) (?:is|fell|goes)"
    r"|the one (?:that )?(?:we|i)(?:['\u2019]ll| will)? (?:take|use|keep|pick|go)"
    r"|(?:i|we)(?:['\u2019]ll| will) (?:stay|stick|settle|remain|switch|move to|adopt)"
    r"|(?:i['\u2019]m|i am|we['\u2019]re|we are) (?:picking|choosing|taking|adopting|staying"
    r"|sticking|settling"
    r"|switching|moving to|opting)"
    r"|entschieden|entscheidung|beschlossen|einigen uns|geeinigt|wir (?:nehmen|bleiben|machen"
    r"|verwenden)|festgelegt|beschluss|es bleibt bei|wir (?:setzen auf|entscheiden|wählen|lassen)"
    r"|(?:wird|werden) (?:nicht )?(?:übernommen|verworfen))\b",
    """
    decided decision chose chosen agreed settled opted approved going go goes went let lets we
    switch switched switching plan final finally conclusion picked ruled rejected preferred kept
    dropped call verdict choice it+because|since entschieden entscheidung beschlossen einigen geeinigt wir
    festgelegt resolution outcome word+final made+mind|minds favor favour resolved my+choice|pick|vote
    one+we|i picking choosing taking adopting staying sticking settling moving+to opting beschluss
    bleibt+es wird+übernommen|verworfen werden+übernommen|verworfen
    i+stay|stick|settle|remain|switch|adopt|move
    """,
    signs=(
        r"决定|选定|选择了|选了|选用|确定(?:用|使用|采用)|同意|采用|定下来|结论"
        r"|就(?:用|选|按|这么)|改用|不再(?:用|使用)"
    ),
)
_REASONED = Cue(  # what shall be, with the reason: `The importer stays on threads, since …`
    r"\b(?=\w)(?:(?:will|won['\u2019]t|gets?|goes|stays?|remains?|keeps?|moves?|wins?|won|prefers?"
    r"|we (?:take|want|do|use)|rather than|instead of)\b"
    r".*[,;:]? (?:because|since|given that|due to|so that|in order to|for the sake of|as (?:it|that"
    r"|they|we|this))\b"
    r"|(?:wird|werden|bleibt|bleiben|kommt|nehmen)\b.*\b(?:weil|da|damit|denn)\b)",
    """
    because since given+that due+to so+that order+in sake as+it|that|they|we|this weil da damit denn
    """,
    signs=r"(?:用|选|留|改|保留|放弃).*(?:因为|原因是|理由是|由于|以便)",
)
_FOUND = Cue(
    r"\b(?:root cause|(?:issue|problem|bug|reason|cause|culprit|fix) (?:is|was|lies)|turns out"
    r"|caused by)\b",
    "cause issue problem bug reason culprit fix turns caused",
)
_AT_ONCE = re.compile(
    r"(?:now|next|first|ok|okay|good|and)?,? ?(?:let me|let's (?:see|check|look)|i'll (?:check|now))\b"
)
_NO_DECISION = re.compile(  # what is done at once, what somebody is asked for, what is not decided
    rf"^(?:{_AT_ONCE.pattern}|(?:if so|falls ja)\b"
    r"|.*\bplease (?:confirm|provide|specify|let me know|tell me))"
    r"|(?:n['\u2019]t|\bnot|\bnever)(?: yet| been)* (?:decided|agreed|chosen|settled|approved|picked)"
)
_OPEN = Cue(
    r"\b(?=\w)(?:to-?do|fixme|tbd|still (?:needs?|(?:has|have) (?:to|no|not)|open|fail\w*|missing)"
    r"|not (?:yet|done|finished|implemented)"
    r"|remain(?:s|ing) (?:to|work|tasks?|issues?|items?|steps?|problems?|questions?)|next steps?"
    r"|left to do|follow[- ]?up|blocked|waiting (?:for|on)|open question"
    r"|(?:\w+n['\u2019]t|not|never)(?: yet| been)* (?:decided|agreed|chosen|settled|approved|picked)"
    r"|(?:have|has|need|needs|'d|should|must|ought) to find out (?:if|whether|who|what|when|where|why|how)"
    r"|to be (?:decided|done|settled|clarified|confirmed|determined|seen)"
    r"|(?:can['\u2019]?t|cannot|don['\u2019]?t|do not) (?:tell|know|say) (?:yet|whether)"
    r"|not sure (?:yet|whether|if|how)|on hold|wonder(?:ing)? (?:if|whether|why|how)"
    r"|remains? (?:a mystery|open|unknown)|to be continued|on my list|at some point|lacks?\b"
    r"|(?:do|not) forget to|needs? (?:an answer|a decision|another look)|no (?:answer|reply|idea) yet"
    r"|remaining: "
    r"|left for|(?:never|not) (?:got|get|gotten) (?:around|round) to|half[- ](?:finished|done)|(?:is"
    r"|are|still) (?:pending|outstanding|incomplete)"
    r"|(?:is|are|was|were) (?:parked|postponed|deferred)|(?:parked|postponed|deferred) (?:for|until"
    r"|to)|(?:has|have|was|were|is|are)(?:n['\u2019]t| not)(?: been)?"
    r" (?:started|finished|tested|verified|checked|migrated|implemented|covered|documented|wired"
    r"|tried|looked|replied)"
    r"|untested|unfinished|(?:some(?:one|body)|we|i) (?:should|must|ought to|have to|has to)"
    r" (?:look|check|find|figure|still|test|ask|investigate|revisit)|nobody (?:has|knows)"
    r"|still (?:missing|unknown|broken"
    r"|pending|unsure|not)|for tomorrow|for later|(?:come|get) back to (?:this|that|it|the)\b"
    r"|unclear|unresolved|unanswered|undecided|later we|we(?:'ll| will) need|need to (?:find out|check"
    r"|decide|ask)"
    r"|offen(?:e frage)?|noch nicht|ungeklärt|unklar|fehl(?:t|en) noch|noch (?:fehlen|offen|zu)"
    r"|steht noch aus|muss noch|müssen (?:wir |sie )?noch|zu klären|nicht geklärt|unerledigt)\b",
    """
    agreed+not|never|t chosen+not|never|t approved+not|never|t picked+not|never|t
    todo to+do fixme tbd still not+yet|done|finished|implemented remain remains remaining next left
    follow followup blocked waiting question decided done unclear unresolved unanswered undecided
    later need offen offene noch unklar fehlt fehlen steht nicht+geklärt unerledigt
    settled clarified confirmed determined seen+be yet tell+whether know+whether say+whether
    got+around|round get+around|round|back gotten half pending outstanding is+incomplete are+incomplete
    parked postponed deferred started tested verified checked migrated implemented covered documented
    wired tried looked+not|t replied wonder wondering mystery continued list+on point+at lack lacks
    forget answer+an|no decision+a look+another|should|must idea+no reply+no untested unfinished finished
    should+check|find|figure|still|test|ask|investigate|revisit must+check|find|figure|still|test|ask
    must+investigate|revisit ought have+to has+to check+to find+to nobody tomorrow back+come sure+not
    hold+on
    """,
    signs=(
        r"待定|待办|尚未|还没|未解决|不清楚|不确定|需要确认|待确认|悬而未决|未完成|还不(?:知道|清楚|确定)"
        r"|有待|遗留|下一步|还要|还需"
    ),
)


def none(sentence: str) -> bool:
    """Whether no cue is in a sentence, so far as its words tell."""
    found = looked(sentence).cues
    return found is not None and not found


def rule(sentence: str) -> float:
    """How surely a user's sentence is a constraint or a preference: 0 (no) to 4."""
    said = looked(sentence)
    strong = 0
    if _STRONG.may(said):
        text = said.text
        if any(word in text for word in ("never", "always", "must", "t have", "if there", " sure")):
            text = _NO_RULE.sub(" ", text)
        strong = len({found[0] for found in _STRONG.pattern.finditer(text)})
    strong += _OTHERS.found(said) + (_BEGINNING.found(said) or _STANDING.found(said))
    if sentence.endswith(("?", "？")) and not (strong and re.search(_REQUEST, said.text)):
        return 0.0
    sure = 2.0 * min(strong, 1) + 0.5 * max(strong - 1, 0)
    return min(4.0, sure + _WISH.found(said) + 0.5 * (_ASKED.found(said) or _WEAK.found(said)))


def decision(sentence: str) -> int:
    """How surely a sentence says what was decided (2) or found out (1)."""
    said = looked(sentence)
    found = 2 if _DECISION.found(said) or _REASONED.found(said) else int(_FOUND.found(said))
    if not found or sentence.endswith(("?", "？")) or _NO_DECISION.search(said.text):
        return 0
    short = sentence.isascii() and len(_WORD.findall(sentence)) < 3
    return 0 if short else found


def open_end(sentence: str) -> bool:
    """Whether a sentence names something still to be done; not one that says what is done next, at once."""
    said = looked(sentence)
    return _OPEN.found(said) and not _AT_ONCE.match(said.text)
