"""Which lines of a message its author wrote, and which of them may state a rule or decision.

Text is the author's until a sign of foreign text: a fence, quote, tag, log or table, a chat's time stamps,
the head of a mail, a greeting, a heading, or a line that announces a text. If its end is visible (a closed
fence, a signature, the blank line after a log), the author's text follows; otherwise only the last
paragraph is the author's, and states no rule. A heading or announcement that gives orders is no such sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..base.lazy import Pattern

PASTED, ROWS = 1_200, 25  # own characters, and lines, of a message that may state a rule
LONG = 2_000  # own characters of a message after which text counts as pasted
LAST = 3  # most lines of a last paragraph that is the author's
SENTENCE = 400  # most characters of a sentence that was wrapped
WIDE = 50  # least characters of a line that was wrapped
FOREIGN, OWN, MAY_RULE = range(3)

_ODD = Pattern("[^\\w ,.'\u2019\"!?`/-]")  # rare in prose
_PLAIN = bytes(number for number in range(128) if not _ODD.match(chr(number)))
_NOISE = Pattern(  # a shell, a diff, a check list, a comment, a stack, a log, a table, a path
    r"^(?:\$(?!\d)|[☐☑✓✔✗✘●>\u276f➜%|+\[]|//|/\*|-- |at \S+ \(|File \"|Traceback|\d+[:|,;](?!\d\d\b)\S"
    r"|[─━═│┌└├]{2,}|(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2} +\d{1,2})[ T]\d\d:\d\d|['\"]?/(?:[\w.-]+/){2,})"
)
_TAG = Pattern(r"\s*<(/?)([a-zA-Z][\w-]*)[^<>]*>")
_MARKER = Pattern(r"[>=<*#-]{2,}+ ?.*\b(?:(START|BEGIN)|END)\b")  # around a quoted text
_DATA = Pattern(  # code, an error
    r"\s*(?:(?:import|from|export|using|use|require|package|#include)\b.*[;'\">}]$|[\"'{}\[\]|>]"
    r"|(?:API )?[\w.]*(?:Error|Exception|Warning)(?:\[\w+\])?: |npm (?i:warn|err!|error) )"
)
_FIELD = Pattern(r"\s*([a-z_][\w.-]*)\s*[:=]\s")
_KEY = Pattern(r"[a-z_][\w-]*:$")
_PATH = Pattern(r"\s*['\"]?(?:/[^\s/]+)+['\"]?$")  # alone, as of a screenshot
_SHOWN = Pattern(  # code, a clause of a contract, a quotation
    "    |\t|\\s*\\d+\\.\\d+[\\d.]* [^\\W\\d_]"
    '|\\s*["\u201c-\u201f\xab\xbb\u2018\u201a].*["\u201c-\u201f\xab\xbb\u2019]\\s*$'
)
_CONTINUES = Pattern(  # begins the second line of a sentence
    r"(?:and|or|but|nor|if|unless|until|when|while|before|after|because|so|that|which|who|to|of|for|from|in"
    r"|on|at|by|with|without|except|than|as|into|under|over|und|oder|aber|wenn|bis|bevor|weil|dass|zu|von|für"
    r"|mit|ohne|außer|als|y|o|pero|si|hasta|antes|porque|que|de|en|con|sin)\b"
)
ITEM = Pattern(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_HEADING = Pattern(r"\s*#{1,6} |---+\s*$")
_TITLED = Pattern(r"(?i)\s*(?:title|titel|t[ií]tulo|titre|titolo|标题)[:：] ?\S")
_LABEL = Pattern(
    r"\s*(?:[-*+•#]+ |\d{1,3}[.)] )?[*_]{0,2}([^:：.!?;]{1,90}?)[*_]{0,2}"
    r"(?::[*_]{0,2}(?=[\s\"'`/\u201c\u201e\xab\u300c\u3040-\u9fff]|$)|：)"
)
_PROMPT_FIELD = Pattern(  # a heading or label of a prompt
    r"(?i)\W*(?:(?:\w+ ){0,2}(?:rules?|constraints?|requirements?|conventions?|preferences?|notes?|tasks?"
    r"|goals?|objectives?|context|background|instructions?|style|format|tone|language|length|audience|scope"
    r"|budget|deadline|steps|to-?do|important|reminder|don'?ts?|do not|never|always|please"
    r"|regeln?|vorgaben?|wichtig|achtung|bitte|nicht|aufgabe|ziel|kontext|reglas?|importante|tareas?|objetivo"
    r"|contexto|consignes?|règles?|tâche|objectif|regras?|regole)"
    r"(?: (?:for|of|when|in|on|für|bei|para|pour)\b.*)?"
    r"|.{0,12}(?:规则|要求|注意|重要|任务|目标|约束|背景|记住|ルール|条件|要件|目的|タスク|お願い))\W*$"
)
_OWN_LEAD_IN = Pattern(  # announces text by the author
    r"(?i)\W*(?:(?:please |bitte )?(?:do|don'?t|do not|never|always|make sure|keep|follow|remember|beachte"
    r"|halte)\b(?!.*\b(?:from|of)\b)|.*\b(?:i (?:want|need|expect|prefer|said|told|insist|repeat)|i'd like"
    r"|you (?:should|must|may not|to do))\b|(?:so |and |but )?(?:when|whenever|if|for|in|since|before|after"
    r"|while|wenn|falls|bei|für|beim|cuando|si|quand|pour)\s|(?:and|but|oh|ok|okay|next|now|also|again|p\.?s"
    r"|btw|by the way|(?:one|two|a few|some) .*things?|to be clear|for the record|as i)\b)"
)
_REPORTED_SPEECH = Pattern(  # somebody else speaks
    r"(?i).{0,60}?(?:(?<!\bi )(?<!\byou )(?<!\balready )\b(?:says|said|saying|telling|wrote|writes|told"
    r"|tells|wants (?:us|me|every|all)|asked (?:us|me|everyone|that)|replied|answered|reads|states"
    r"|claim(?:s|ed)|complain(?:s|ed)|warn(?:s|ed)|suggest(?:s|ed)|insists?|thinks|demands|posted|commented|recommends"
    r"|according to|schreibt|schrieb|sagt|sagte|meint|meinte|fordert|verlangt|laut|(?<!ich )will,? dass"
    r"|dice|dijo|escribió|según|sostiene|afirma|dit|écrit|selon|prétend|disse|diz|segundo|ha scritto)\b"
    r"|(?<!我)(?:说|写道|写着|表示|提到|规定)|と言|によると|によれば|と書)"
)
_TEXT = (
    r"(?:\b(?:prompts?|e-?mails?|mails?|messages?|letters?|texts?|comments?|reviews?|feedback|issues?|tickets?"
    r"|readme|docs?|documents?|pages?|articles?|posts?|threads?|chats?|transcripts?|notes from|policy"
    r"|manual|contract|guide|rules|postmortem|description|discussion|list|sheet|leaflet|handout|briefing|statement"
    r"|agreement|card|wiki|quote|poem|recipe|nachricht|brief|beitrag|vertrag|correo|mensaje|carta|texto"
    r"|lettre|texte)\b|邮件|消息|文章|文档|评论|信|提示词|记录|合同|メール|文書|コメント|プロンプト|メッセージ)"
)
_NAMED = Pattern(rf"(?i).*{_TEXT}")
_TITLE = Pattern(rf"(?i)\s*(?:the|my|our|a|an|another|from|\w+['\u2019]s)\b[^.!?:]*{_TEXT}[^.!?:]*$")
_THIS = Pattern(  # a text that follows
    r"(?i).*(?:\b(?:th(?:is|ese|at)|following|below|here(?:'s| is| are)|diese\w*|folgende\w*|est[ea]|ce|cet"
    rf"|cette|voici|questa?)\b(?: [\w'-]+){{0,4}} |[这下以此この次]\S{{0,6}}){_TEXT}"
)
_DRAFT = Pattern(
    r"(?i).*\b(?:draft|here(?:'s| is| are)? (?:a|an|one|your|some)|suggest\w*|entwurf|borrador)\b"
)
_MAIL = Pattern(
    r"(?i)\s*(?:from|to|cc|subject|sent|von|an|betreff|de|para|asunto|objet|发件人|主题)[:：] ?\S"
)
_DEAR = r"dear|liebe\w*|sehr geehrte\w*|estimad\w+|querid\w+|ch[eè]re?s?|prezad\w+"
_GREETING = Pattern(
    rf"(?i)\s*(?:{_DEAR}|hi|hello|hey|hallo|guten tag|moin|hola|bonjour|ol[aá]|ciao|caro|gentile"
    rf"|尊敬的|各位)\b[^.!?]{{0,40}}[,，:：]\s*$|\s*(?:{_DEAR}) [^,.!?]{{2,40}}, \S"
)
_SIGNED = Pattern(
    r"(?i)\s*(?:best|(?:(?:kind|best|warm) )?(?:regards|wishes)|cheers|thanks|thank you|yours|sincerely"
    r"|love|\w+ gr[üu](?:ß|ss)en?|mit freundlichen .*|lg|vg|mfg|gruß|saludos|un abrazo|cordialement"
    r"|bien à vous|atenciosamente|abraços|cordiali saluti|此致|祝好|よろしくお願い\w*)\b[^.!?]{0,25}$"
)
_DATE = r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|(?:to|yester)day|heute|gestern|hoy|ayer),?(?: at| um)? *"
_CLOCK = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?: ?[ap]m)?"
_NAME = r"[^\W\d][\w.'@-]*(?: [\w.'@-]+){0,2}"
_TURN = Pattern(rf"(?i)\s*\W?(?:{_DATE})?{_CLOCK}[\])]? *+[-\u2013\u2014|<]? *{_NAME}[:>]")  # 10:02 Ann: hi
_TURN_HEAD = Pattern(  # Ann 10:02
    rf"(?i)\s*@?{_NAME}(?<! at)(?<! um)(?<! by)(?<! las) *+[-\u2013\u2014·|,(\[]* *(?:{_DATE})?{_CLOCK}\W*$"
    r"|\s*@?[\w.-]+ (?:commented|wrote)\b[^:]{0,20}$|[^.!?:]{1,50}[·@].{0,30} ago$"
)
_RESUMES = Pattern(r"(?i)[?？]|\b(?:i|i'm|my|me|ich|mir|mich|meine?|yo|mi|je|moi|eu|meu|io)\b|[我私]")
_OPENED = Pattern('[\u201c\u201e\xab\u300c\u300e]|(?:^|[\\s(])"(?=\\w)')
_CLOSED = Pattern('[\u201d\xbb\u300d\u300f]|(?<=[\\w.!?,])"(?!\\w)')


def rows(text: str, most: float = LONG, *, user: bool = False) -> Iterator[tuple[str, bool, bool]]:
    """Yield each line of a text, whether its author wrote it, and whether it may state a rule or decision.

    The author's text after `most` characters counts as pasted. A wrapped line is joined with the next.
    """
    lines = _unwrapped(text.split("\n"))
    size = count = 0
    origins = _Message(lines).origins() if user else _of_model(lines)
    for line, origin in zip(lines, origins, strict=True):
        if origin != FOREIGN:
            size, count = size + len(line), count + 1
        own = origin != FOREIGN and size <= most
        yield line, own, own and origin == MAY_RULE and size <= PASTED and count <= ROWS


def quoting(text: str, *, quoted: bool) -> bool:
    """Whether a quotation between markers is open after a text; `quoted`: whether one was open before."""
    markers = (match for line in text.split("\n") if (match := _MARKER.match(line)))
    for marker in markers:
        quoted = marker[1] is not None
    return quoted


def is_prose(line: str) -> bool:
    """Whether a line is prose, not a log, a prompt, a table, data or code."""
    line, whole = line.strip(), line
    if len(line) < 2 or _NOISE.match(line) or _DATA.match(whole):
        return False
    field = _FIELD.match(whole)
    if field and not is_own(field[1]):
        return False
    if line.isascii():  # several times as fast
        odd = len(line.encode().translate(None, _PLAIN))
    else:
        odd = len(_ODD.findall(line))
    return odd <= 0.2 * len(line) and not line.endswith(("{", "};", ");"))


def fence_after(line: str, open: str) -> str:
    """Return the code fence ("": none) that is open after this line; `open`: the one before it."""
    mark = line[:3]
    if not open:
        return mark if mark in ("```", "~~~") and mark not in line[3:] else ""
    return "" if mark == open and not line.strip(mark[0]) else open


def _unwrapped(lines: Sequence[str]) -> list[str]:
    """Join the lines of wrapped sentences."""
    joined: list[str] = []
    for line in lines:
        if joined and line[:1].islower() and _is_wrapped(joined[-1], line):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
    return joined


def _is_wrapped(before: str, line: str) -> bool:
    """Whether a line ends within a sentence that the next line, in lower case, continues."""
    ends = before[-1:].isalpha() or before[-1:] in (",", ")")
    if not ends or len(before) > SENTENCE:
        return False
    return (len(before) >= WIDE or _CONTINUES.match(line) is not None) and is_prose(before)


class _Message:
    """The lines of a user's message, with the origin of each one on its own."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._origins = _by_line(lines, user=True)
        self._signed = _last(lines, _SIGNED)
        heads = [number for number, line in enumerate(lines) if _TURN_HEAD.match(line)]
        apart = any(after > before + 1 for before, after in pairwise(heads))
        self._turn = max(_last(lines, _TURN), heads[-1] if apart else -1)  # the last of a chat

    def origins(self) -> list[int]:
        """The origin of each line: `FOREIGN`, `OWN`, or `MAY_RULE`: may state a rule or decision."""
        lines, origins, last = self._lines, self._origins, self._last_paragraph()
        resumes = any(map(_RESUMES.search, lines[last:]))
        kind, begin, end, rest = MAY_RULE, 0, 0, MAY_RULE  # origin of a text, and of the rest
        for number, line in enumerate(lines):
            if number >= end and origins[number] != FOREIGN and line.strip():
                kind, begin, end = self._text(number)
                if end > len(lines):  # its end is not visible
                    end, rest = (last, MAY_RULE if resumes else OWN) if last > begin else (len(lines), OWN)
            if begin <= number < end:
                origins[number] = min(origins[number], kind)
            elif number >= end:
                origins[number] = min(origins[number], rest)
        return origins

    def _text(self, number: int) -> tuple[int, int, int]:
        """Origin, begin and end of the text at or after a line; an invisible end is past the last line."""
        lines, beyond = self._lines, len(self._lines) + 1
        line = lines[number].rstrip()
        if (end := self._end_of_letter(number)) > 0:
            return FOREIGN, number, end
        if _HEADING.match(line) and not _PROMPT_FIELD.match(line):
            return OWN, number, beyond
        after = next((at for at in range(number + 1, len(lines)) if lines[at].strip()), len(lines))
        follows = after < len(lines) and self._origins[after] != FOREIGN and not self._end_of_letter(after)
        if not follows or len(line) > SENTENCE:
            return MAY_RULE, 0, 0
        if _TITLED.match(line):
            return OWN, after, beyond
        if not line.endswith((":", "：")):
            names = after > number + 1 and (_THIS.match(line) or _TITLE.match(line))
            return (FOREIGN, after, beyond) if names else (MAY_RULE, 0, 0)
        label = _LABEL.match(line)
        if label is not None and is_own(label[1]):
            yaml = _KEY.match(line) and lines[after][:1] == " "
            return (OWN, after, self._end_of_paragraph(after)) if yaml else (MAY_RULE, 0, 0)
        if _NAMED.match(line) or _REPORTED_SPEECH.match(line) or _HEADING.match(lines[after]):
            return FOREIGN, after, beyond
        listed = after == number + 1 or ITEM.match(lines[after])
        return OWN, after, self._end_of_paragraph(after) if listed else beyond

    def _end_of_letter(self, number: int) -> int:
        """The end of the letter, mail or chat that begins at a line; 0 if none does."""
        line = self._lines[number]
        if number <= self._turn and (_TURN.match(line) or _TURN_HEAD.match(line)):
            return self._end_of_paragraph(self._turn)
        signed = self._signed > number
        end = self._end_of_paragraph(self._signed) if signed else len(self._lines)
        if _GREETING.match(line):  # a user's own message may begin with a greeting
            return end if number or any(map(str.strip, self._lines[end:])) else 0
        headed = _MAIL.match(line) and any(map(_MAIL.match, self._lines[number + 1 : number + 4]))
        return end if headed else 0

    def _end_of_paragraph(self, number: int) -> int:
        lines = self._lines
        return next((at for at in range(number, len(lines)) if not lines[at].strip()), len(lines))

    def _last_paragraph(self) -> int:
        """The first line of the last paragraph if it is short and not the only one; else 0."""
        filled = [number for number, line in enumerate(self._lines) if line.strip()]
        for number in reversed(filled):
            if number and not self._lines[number - 1].strip():
                return number if filled[-1] - number < LAST else 0
        return 0


def _last(lines: Sequence[str], what: Pattern) -> int:
    return next((number for number in reversed(range(len(lines))) if what.match(lines[number])), -1)


def _of_model(lines: Sequence[str]) -> list[int]:
    """The origin of each line of a model's message; a draft for somebody states no decision."""
    origins = _by_line(lines, user=False)
    drafts = (at for at, line in enumerate(lines) if line.endswith(":") and _DRAFT.match(line))
    first = next(drafts, len(lines)) + 1
    return [*origins[:first], *(min(OWN, mark) for mark in origins[first:])]


def is_own(label: str) -> bool:
    """Whether the author's text follows a label: `Rules`, `One more thing`; not `Bob`, `He says`."""
    ends = (label, label.rpartition(", ")[2])
    return any(
        _PROMPT_FIELD.match(end) or (_OWN_LEAD_IN.match(end) and not _REPORTED_SPEECH.match(end))
        for end in ends
    )


def _by_line(lines: Sequence[str], *, user: bool) -> list[int]:
    """The origin of each line, by its form, by what encloses it and, in a log, by its neighbours."""
    origins: list[int] = []
    fence = tag = ""
    quoted = False
    log: list[int] | None = None  # lines of prose after a line of a log
    size, endless = 0, False
    for number, line in enumerate(lines):
        size += len(line)
        opened = _TAG.match(line)
        before, fence = fence, fence_after(line.strip(), fence)
        fenced = bool(before or fence)
        if opened is not None and not fenced:
            tag = opened[2] if not opened[1] and f"</{opened[2]}>" not in line else ""
        marker = _MARKER.match(line) if user else None
        quoted = bool(marker[1]) if marker else quoted
        enclosed = fenced or opened is not None or quoted or bool(tag)
        origins.append(
            FOREIGN if enclosed or endless or not (is_prose(line) or _HEADING.match(line)) else MAY_RULE
        )
        if not user or enclosed or not line.strip():
            log = None
        elif origins[number] == FOREIGN:  # lines between two lines of a log belong to it
            for at in log or ():
                origins[at] = FOREIGN
            log = [] if not _PATH.match(line) else log
        elif log is not None:
            log.append(number)
            endless = size > LONG  # a long log continues in prose
            origins[number] = FOREIGN if line[:1] == " " or endless else OWN
        elif _SHOWN.match(line):
            origins[number] = OWN
    return origins


def own_sentences(sentences: Sequence[str], *, user: bool) -> Iterator[bool]:
    """Whether each sentence of a line is its author's: not reported speech, nor in a longer quotation.

    In a user's message, nor after a label (`Bob: `) up to a sentence with `I` or a question.
    """
    labelled = quoted = False
    for sentence in sentences:
        label = _LABEL.match(sentence)
        foreign = user and label is not None and not is_own(label[1])
        labelled = foreign or (labelled and not _RESUMES.search(sentence))
        opened = len(_OPENED.findall(sentence)) - len(_CLOSED.findall(sentence))
        yield not (labelled or quoted or opened > 0 or _REPORTED_SPEECH.match(sentence))
        quoted = quoted if not opened else opened > 0
