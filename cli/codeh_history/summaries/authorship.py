"""Which lines of a message its author wrote, and which of them may state a rule or decision.

A line is another's by its form (a log, code, a table), by what encloses it (a fence, a quote, a tag), or
because another's text begins before it: a mail, a letter, a chat, a document, or what a line announces.
Such a text goes on to the last paragraph, which is the author's again if it is short, and may state a rule
if it says `I` or asks something. A heading or announcement that gives orders begins no such text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest

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
_TITLE = Pattern(
    rf"(?i)\s*(?:the|my|our|a|an|another|from|\w+['\u2019]s)\b[^.!?:]*{_TEXT}[^.!?:]*$"
    rf"|\s*(?:\w+ )?{_TEXT} (?:from|by) [^.!?:]*$"
)
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
    rf"(?i)\s*@?{_NAME}(?<! at)(?<! um)(?<! by)(?<! las) *+[-\u2013\u2014·|,(\[ ]*(?:{_DATE})?{_CLOCK}\W*$"
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
    origins = _of_user(lines) if user else _of_model(lines)
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


def _of_user(lines: Sequence[str]) -> list[int]:
    """The origin of each line of a user's message."""
    origins = _by_line(lines, user=True)
    filled = [number for number, line in enumerate(lines) if line.strip()]
    begin, origin = _another_text(lines, filled, origins)
    last = _last_paragraph(lines, filled)
    letter = any(_GREETING.match(line) or _MAIL.match(line) for line in lines[begin : begin + 1])
    ends = last > begin and (not letter or any(map(_SIGNED.match, lines[begin:last])))
    ends = ends and not (_TURN.match(lines[last]) or _TURN_HEAD.match(lines[last]))  # the chat goes on
    end = last if ends else len(lines)
    rest = MAY_RULE if any(map(_RESUMES.search, lines[end:])) else OWN
    most = [MAY_RULE] * begin + [origin] * (end - begin) + [rest] * (len(lines) - end)
    return list(map(min, origins, most))


def _another_text(lines: Sequence[str], filled: Sequence[int], origins: list[int]) -> tuple[int, int]:
    """Where another's text begins, and the origin of its lines; at the end if there is none.

    Lists that may be another's get their origin at once, because their end is visible.
    """
    for number, after in zip_longest(filled, filled[1:], fillvalue=len(lines)):
        line = lines[number].rstrip()
        if origins[number] == FOREIGN:
            continue
        if _begins_letter(lines, number):
            return number, FOREIGN
        if _HEADING.match(line) and not _PROMPT_FIELD.match(line):
            return number, OWN
        if after < len(lines) and origins[after] != FOREIGN and not _begins_letter(lines, after):
            origin = _announced(line, lines[after], apart=after > number + 1)
            if origin == OWN and ITEM.match(lines[after]):
                end = _end_of_list(lines, after)
                origins[after:end] = [min(OWN, mark) for mark in origins[after:end]]
            elif origin != MAY_RULE:
                return after, origin
    return len(lines), MAY_RULE


def _begins_letter(lines: Sequence[str], number: int) -> bool:
    """Whether a mail, letter or chat begins at a line."""
    line, below = lines[number], lines[number + 1 :]
    if _GREETING.match(line):  # a user's own message may begin with one
        return number > 0 or any(map(_SIGNED.match, below[:-2]))
    if _MAIL.match(line):
        return any(map(_MAIL.match, below[:3]))
    return bool(_TURN.match(line) or (_TURN_HEAD.match(line) and any(map(_TURN_HEAD.match, below[1:]))))


def _announced(line: str, after: str, *, apart: bool) -> int:
    """The origin of the lines below a line; `after`: the next one, `apart`: after blank lines."""
    if len(line) > SENTENCE:
        return MAY_RULE
    if not line.endswith((":", "：")):
        named = apart and (_THIS.match(line) or _TITLE.match(line))
        return FOREIGN if named else OWN if _TITLED.match(line) else MAY_RULE
    label = _LABEL.match(line)
    if label is not None and is_own(label[1]):
        return OWN if _KEY.match(line) and after[:1] == " " else MAY_RULE  # YAML
    named = _NAMED.match(line) or _REPORTED_SPEECH.match(line) or _HEADING.match(after)
    return FOREIGN if named else OWN


def _end_of_list(lines: Sequence[str], number: int) -> int:
    """The next line after a blank one that is neither an item nor indented."""
    after = range(number + 1, len(lines))
    ends = (at for at in after if not lines[at - 1].strip() and not ITEM.match(lines[at]))
    return next((at for at in ends if lines[at][:1].strip()), len(lines))


def _last_paragraph(lines: Sequence[str], filled: Sequence[int]) -> int:
    """The first line of the last paragraph if it is short and not the only one; else 0."""
    first = next((number for number in reversed(filled) if not number or not lines[number - 1].strip()), 0)
    return first if first and filled[-1] - first < LAST else 0


def _of_model(lines: Sequence[str]) -> list[int]:
    """The origin of each line of a model's message; a draft for somebody states no decision."""
    origins = _by_line(lines, user=False)
    drafts = (at for at, line in enumerate(lines) if line.endswith(":") and _DRAFT.match(line))
    first = next(drafts, len(lines)) + 1
    return [*origins[:first], *(min(OWN, mark) for mark in origins[first:])]


@lru_cache(maxsize=1 << 12)
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
