"""Sentences, and which of them are worth keeping word for word: rules, wishes, decisions, open ends.

By cue words (English): a sentence is never rewritten, only chosen.
"""

from __future__ import annotations

import re

LONGEST = 320  # characters of a sentence; a longer one is cut at a word

_FENCE = re.compile(r"^ {0,3}(```++|~~~++)[^\n]*+\n.*?(?:^ {0,3}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"^(?:[-*+•]\s+|\(?\d{1,3}[.)]\s+|>\s*|#{1,6}\s+)+")
_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=\S)|(?<=[。！？；])[”’」』）]*(?=\S)")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|dr|mr|mrs|ms|no|\w|\d+)\.$", re.IGNORECASE
)
_NEAR = 60  # characters before the end of a sentence that tell whether it is one
_WORD = re.compile(r"[^\W\d_]{2,}")
_ODD = re.compile("[^\\w ,.'\u2019\"!?`/-]")  # what prose has little of
_NOISE = re.compile(
    r"^(?:[$>\u276f➜%|+\[]|at \S+ \(|File \"|Traceback|\d+[:|]|[─━═│┌└├]{2,}|['\"]?/(?:[\w.-]+/){2,})"
)

_NOT = r"(?:do not|don['\u2019]?t)\b(?! (?:know|think|see|get)\b)"
# Cues are looked for in lower case, at the starts of words, which takes a third of the time.
_STRONG = re.compile(
    r"\b(?=\w)(?:(?:never|always|must(?:n't)?|sh(?:all|ould) not|shouldn'?t|may not|not allowed|forbidden"
    r"|prohibited|at most|at least|no (?:more|later|longer|fewer|less) than|from now on|make sure|ensure"
    r"|under no circumstances"
    r"|required?|requirements?|constraints?|mandatory|backwards?[- ]compatib\w+|hands off|off limits"
    r"|deadline)\b"
    r"|^(?:please )?(?:use|avoid|stick (?:to|with)|refrain|prefer|keep (?:your hands|away)|leave) (?!it\b)"
    r"|(?:going forward|in (?:the )?future|hereafter|henceforth|as a rule|no exceptions|off-limits"
    r"|every time)\b"
    r"|(?:steer clear|stay away|keep away|is not to be|are not to|isn't allowed|strictly|at no point)\b"
    r"|only (?:use|touch|change|edit|modify|if|when|in|on|with|for|after|the)\b"
    r"|(?:use|touch|change|edit|modify) only\b|^(?:important|rule|note|constraint|remember)\b\s*[:,]"
    rf"|(?:please|and|but|so|you|we|just|or|then|also|to) {_NOT}"
    r"|i (?:do not|don['\u2019]?t) (?:want|like|need|accept|wish|use|eat|have|ever)\b"
    r"|no (?!need\b|idea\b|problem\b|worries\b|thanks\b)[\w.-]+(?: [\w.-]+){0,3}!)"
    rf"|(?:^|[,;:.(!\u2014-] *){_NOT}"
)
_NO_RULE = re.compile(  # what was or is so, not what shall be
    r"\b(?:i|you|they|he|she|it|that|there)(?:'\w+| (?:can|could|have|has|had|was|were|did|do|does|would))"
    r" (?:never|always)\b"
    r"|\bnever ?mind\b|\bmust(?:'ve| have been| be\b(?= (?:\w+ing|a|the|why|where)\b))"
)
_OTHERS = re.compile(  # the same in German and Chinese
    r"\b(?=\w)(?:niemals|nie wieder|nie|immer|stets|ab (?:jetzt|sofort|heute)|künftig|in zukunft"
    r"|auf keinen fall|keinesfalls"
    r"|unbedingt|muss|müssen|musst|darf(?:st)? (?:nicht|nur|kein\w*)|dürfen (?:nicht|nur)|soll(?:st"
    r"|en)? nicht|nur noch"
    r"|mindestens|höchstens|verboten|pflicht|bitte (?:nie|nicht|immer|nur|keine?)|wichtig:|regel:"
    r"|denk daran|achte"
    r"|verwende|benutze|nimm|lass die finger|ohne ausnahme|ich (?:möchte|will) (?:kein|nicht|dass"
    r"|immer|nur)\w*)\b"
    r"|(?=[^\x00-\x7f])(?:不要|不能|不可|不得|不准|不许|禁止|严禁|必须|必須|务必|一定要|总是|始终|永远|绝不|绝对|从不"
    r"|一律|只能|只用|只允许"
    r"|请用|请使用|从现在(?:起|开始)|从今以后|以后(?:都|请)|今后|至少|最多|不超过|记住|记得|规定|切勿"
    r"|别(?!的|人))"
)
_WEAK = re.compile(
    r"\b(?=\w)(?:avoid|without|unless|except|instead of|rather than|stick (?:to|with)|ha(?:s|ve) to"
    r"|needs? to (?:be|stay)"
    r"|keep (?:it|the|all|every\w*|our|my|to)|leave .{1,40} (?:alone|as is|untouched)|should|limit\w*"
    r"|budget|below"
    r"|under \d|over \d|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|stay as)\b"
    r"|^(?:please )?(?:use|put|remember|stop)\b"
)
_WISH = re.compile(
    r"\bi(?:'d| would)? (?:really |usually |strongly )?(?:prefer|rather|hate|love|want|need)\b"
    r"|\bi (?:really )?like\b"
    r"|\bmy (?:preference|preferred|favou?rite|name|user|email|e-mail|account|card|id|time ?zone|editor"
    r"|team|address"
    r"|phone|order|reservation|booking|stack|machine|setup)\b|\bcall me\b|\b(?:we|our team) (?:use|prefer"
    r"|run|deploy)\b"
    r"|\bour (?:convention|style|policy|stack|standard)\w*\b|\bi(?:'m| am) (?:allergic|vegan|vegetarian"
    r"|based|working|using)\b"
    r"|\bplease (?:use|don'?t|do not|always|never|keep|avoid)\b"
)
_DECISION = re.compile(
    r"\b(?=\w)(?:decided|decision|chose|chosen|agreed|settled on|opted|approved|going with|go(?:es)? with"
    r"|went with"
    r"|let'?s (?:use|go|keep|do|make|drop|stick)|we(?:'ll| will) (?:use|go|keep|do|drop|stick)"
    r"|switch(?:ed|ing)? (?:to|from)"
    r"|the plan is|plan:|final(?:ly)? (?:answer|choice)|conclusion|we(?:'re| are) (?:going|using"
    r"|keeping|dropping)"
    r"|(?:i|we) (?:picked|settled|ruled out|rejected|preferred|kept|dropped|will go)|the (?:call"
    r"|verdict|choice) is"
    r"|entschieden|entscheidung|beschlossen|einigen uns|geeinigt|wir (?:nehmen|bleiben|machen"
    r"|verwenden)|festgelegt)\b"
    r"|(?=[^\x00-\x7f])(?:决定|选定|选择了|确定(?:用|使用|采用)|同意|采用|定下来|结论)"
)
_FOUND = re.compile(
    r"\b(?:root cause|(?:issue|problem|bug|reason|cause|culprit|fix) (?:is|was|lies)|turns out"
    r"|caused by)\b"
)
_OPEN = re.compile(
    r"\b(?=\w)(?:to-?do|fixme|tbd|still (?:need|has|have|open|fail\w*|missing)|not (?:yet|done|finished"
    r"|implemented)"
    r"|remain(?:s|ing) (?:to|work|tasks?|issues?|items?|steps?|problems?|questions?)|next steps?"
    r"|left to do|follow[- ]?up|blocked|waiting (?:for|on)|open question|to be (?:decided|done)"
    r"|unclear|unresolved|unanswered|undecided|later we|we(?:'ll| will) need|need to (?:find out|check"
    r"|decide|ask)"
    r"|offen(?:e frage)?|noch nicht|ungeklärt|unklar|fehlt noch|steht noch aus|muss noch|zu klären)\b"
    r"|(?=[^\x00-\x7f])(?:待定|待办|尚未|还没|还没有|未解决|不清楚|需要确认|待确认|悬而未决|未完成)"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, without its code blocks, list marks and what is no prose."""
    found: list[str] = []
    for line in _FENCE.sub("\n", text).splitlines():
        line = _MARK.sub("", line.strip()).strip()
        if not is_prose(line):
            continue
        found += (clip(sentence, LONGEST) for sentence in split(line))
    return [sentence for sentence in found if _WORD.search(sentence)]


def split(line: str) -> list[str]:
    """The sentences of a line, each as it stands."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(line):
        before = line[max(start, end.end() - _NEAR) : end.end()].split()
        if not _ABBREVIATION.search(before[-1]):
            found.append(line[start : end.end()].strip())
            start = end.end()
    return [*found, rest] if (rest := line[start:].strip()) else found


def is_prose(line: str) -> bool:
    """Whether a line is something said, not a log, a prompt, a table or code."""
    if len(line) < 2 or _NOISE.search(line):
        return False
    return len(_ODD.findall(line)) <= 0.2 * len(line) and not line.endswith(("{", "};", ");"))


def clip(text: str, room: int) -> str:
    """The text on one line, in at most `room` characters, cut at a word."""
    text = " ".join(text.split())
    if len(text) <= room:
        return text
    head = text[: max(room - 1, 1)]
    cut = head.rfind(" ")
    return (head[:cut] if cut > room // 2 else head).rstrip(" ,;:") + "…"


def rule(sentence: str) -> float:
    """How surely a user's sentence is a constraint or a preference: 0 (no) to 4."""
    sentence = _NO_RULE.sub(" ", sentence.lower())
    strong = len({found[0] for found in _STRONG.finditer(sentence)}) + bool(_OTHERS.search(sentence))
    if sentence.endswith("?") and not strong:
        return 0.0
    wish, weak = _WISH.search(sentence) is not None, _WEAK.search(sentence) is not None
    return min(4.0, 2.0 * min(strong, 1) + 0.5 * max(strong - 1, 0) + wish + 0.5 * weak)


def decision(sentence: str) -> int:
    """How surely a sentence says what was decided (2) or found out (1)."""
    if sentence.endswith(("?", "？")) or (len(_WORD.findall(sentence)) < 3 and sentence.isascii()):
        return 0
    sentence = sentence.lower()
    return 2 if _DECISION.search(sentence) else int(bool(_FOUND.search(sentence)))


def open_end(sentence: str) -> bool:
    """Whether a sentence names something still to be done."""
    return bool(_OPEN.search(sentence.lower()))


def gist(text: str, room: int) -> str:
    """The first sentence that says something: no filler (`Perfect!`), no heading of a list."""
    said = sentences(text)
    full = [s for s in said if len(_WORD.findall(s)) >= 3 and not s.endswith(":") and not is_filler(s)]
    best = (full or said or [""])[0]
    return clip(best, room)


def is_filler(text: str) -> bool:
    """Whether a prompt asks for nothing of its own: `ok`, `continue`, `thanks`, a lone slash command."""
    words = _NOD.sub("", text.lower().strip(" .,!?…#。！？，"))
    slash = words.startswith("/") and " " not in words
    return slash or words in _FILLER or not re.search(r"\w\w", _THANKS.sub("", words))


_NOD = re.compile(r"^(?:(?:ok|okay|yes|yeah|great|perfect|alright|good|fine|sure)\b[,.!]? +)+")
_THANKS = re.compile(
    r"\b(?:thank(?:s| you)|(?:so|very) much|a lot|again|for (?:all )?(?:your|the) \w+"
    r"|that(?:'s| is| looks| sounds)|all|great|perfect|good|nice|excellent|wonderful|ok|okay|yes|stop|bye"
    r"|goodbye|appreciate it|i)\b"
)
_FILLER = frozenset((
    "ok", "okay", "yes", "y", "yeah", "yep", "no", "n", "nope", "continue", "go on", "go ahead", "thanks",
    "thank you", "thx", "great", "perfect", "nice", "good", "cool", "sure", "please", "done", "next",
    "proceed", "again", "try again", "hi", "hello", "hey", "wtf", "sleep", "do it", "yes please",
    "please continue", "please proceed", "danke", "danke dir", "vielen dank", "weiter",
    "mach weiter", "ja", "nein",
    "passt", "gut", "super", "perfekt", "hallo", "genau", "klar", "好", "好的", "谢谢", "谢谢你",
    "继续", "是的", "对", "可以", "你好",
    "嗯", "没问题", "明白", "明白了", "收到", "mm", "mm-hmm", "uh-huh", "hmm", "right", "yep",
    "cool thanks", "sounds great",
))  # fmt: skip
