"""What a sentence leans to without a cue: words that rules, reasons, doubt and choice are made of."""

from __future__ import annotations

INTERJECTIONS = frozenset("""
um uh er erm ehm hm hmm mm mmm mhm uhhuh mmhmm huh ah aha oh ooh eh wow hey yeah yep yup nah okay ok
kay alright yay hooray boo haha hahaha lol omg aw aww ugh oof ouch oops yikes phew gosh whoa
äh ähm öh tja naja ach jo disfmarker vocalsound
""".split())  # fmt: skip
_SHALL = """
must should may shall cannot need needs only all every any each no not none nobody nothing without
unless until before never always keep leave stay stays same allowed supposed expected required
insist insists want wants
throughout exactly please don doesn can won nur nie kein keine immer nicht muss bitte alle jede
"""
_WHY = """
because since due therefore hence reason given thus so as for which weil da damit denn wegen
"""
_WHY_WORDS = frozenset(_WHY.split()) - {"so", "as", "for", "which", "da"}
_UNSURE = """
yet still whether unclear unsure pending missing lacking hold open unknown someone somebody nobody could
couldn look question later what who why how answer noch ob niemand wer fehlt
"""
_CHOSEN = """
decide decided choose chose take took taken pick keep kept drop dropped agree agreed settle favour
favor prefer instead rather over out gave turned first then move moves will switch ourselves let wir
nehmen genommen
"""
_KINDS = [frozenset(words.split()) for words in (_SHALL, _WHY, _UNSURE, _CHOSEN)]
OWN = frozenset().union(*_KINDS)  # words that tell what kind of thing is said, and nothing of what
_HAN_KINDS = (  # the same where no blanks part the words
    ("只", "都", "必须", "不要", "请", "别", "不变"), ("因为", "理由", "原因", "所以"),
    ("还", "未", "谁", "待"), ("选", "用", "决定", "保留", "通过"),
)  # fmt: skip


def reasons(sentence: str) -> bool:
    """Whether a sentence has a word that reasons begin with."""
    text, words = _read(sentence)
    return not words.isdisjoint(_WHY_WORDS) or any(sign in text for sign in _HAN_KINDS[1])


def weight(sentence: str) -> int:
    """Of how many of these a sentence has words: what shall be, why, what is open, what was chosen."""
    text, words = _read(sentence)
    return sum(
        [
            not words.isdisjoint(some) or any(sign in text for sign in signs)
            for some, signs in zip(_KINDS, _HAN_KINDS, strict=True)
        ]
    )


def _read(sentence: str) -> tuple[str, frozenset[str]]:
    """A sentence's text where it may have words that no blanks part, and those that blanks part."""
    from .cues import apart, looked  # which a text that was read before does not need

    said = looked(sentence)
    return ("", said.words) if said.words is not None else (said.text, apart(said.text))
