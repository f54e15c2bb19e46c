"""Answers that are no summary, by what they say: nothing, an error or a refusal; English, German, French.

An error or a refusal is told by how a text, or a line of a short one, begins or is as a whole: a summary
that mentions one in passing is neither.
"""

from __future__ import annotations

import re

from ...base.read_json import json_value

_EMPTY = re.compile(
    r"(?:no (?:summary|content|response)\b.{0,40}"
    r"|(?:there(?:'s| is) )?nothing (?:here |left )?to summari[sz]e.{0,40}|n/?a|none|null|undefined"
    r"|\(?empty\)?|\[?no output\]?)[.!]?",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"(?:[a-z_.]*error|[a-z_.]*exception|fatal|panic|failed|failure)\s*(?:code\s*)?\d*\s*[:(\[]"
    r"|(?:an )?(?:unexpected |internal |unknown )?error (?:occurred|calling|connecting|communicating"
    r"|fetching|while|from|\d)"
    r"|(?:http(?:/[\d.]+)? ?|status:? ?|error ?)?[45]\d\d[ :,](?:\w+ ?){0,4}(?:error|gateway"
    r"|unavailable"
    r"|timeout|limit"
    r"|requests|unauthorized|forbidden|not found|overloaded)"
    r"|traceback \(most recent|curl: \(\d+\)|<!doctype|<html|<\?xml|(?:ba|da|z)?sh: |/bin/\w*sh: "
    r"|usage: \S+ [\[<-]"
    r"|rate limit(?:ed)? (?:exceeded|reached|error|hit)|too many requests|quota (?:has been )?exceeded"
    r"|overloaded\b(?! [a-z])"
    r"|(?:request|connection|operation|read|command) (?:timed out|timeout|refused|reset)(?! errors?\b)"
    r"|timed out$"
    r"|command not found"
    r"|context (?:length|window) exceeded|(?:this model's )?maximum context length"
    r"|internal server error"
    r"|bad gateway"
    r"|service (?:is )?(?:temporarily )?unavailable|(?:invalid|incorrect|no|missing) api key"
    r"|unauthorized[.!]?$|model \S+ not found"
    r"|permission denied(?! errors?\b)|exit(?:ed)? (?:status|code|with)\b|upstream \w+ error"
    r"|error (?:loading|reading|opening)\b"
    r"|failed to (?:connect|load|fetch|open|start|initiali[sz]e|authenticate|resolve|generate|send"
    r"|allocate)\b"
    r"|could not (?:resolve|connect|load|open) |fatal error\b|thread '.*' panicked|[\w.]+: (?:error"
    r"|fatal|panic)\b"
    r"|(?:the |your )?(?:input|prompt|request|context) (?:is |was )?too (?:long|large)"
    r"|unhandled exception|terminate called\b|there was an error\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:(?:i'?m|i am) (?:(?:very|so|really|terribly) )?(?:sorry|afraid)"
    r"|sorry(?=[,.!;:]|$| (?:but|i|for|to|about|that|you|we)\b)|(?:my )?apologies|i apologi[sz]e"
    r"|unfortunately,? (?:i|as)\b|i (?:can ?not|can'?t|won'?t|will not|could ?n[o']t|must decline"
    r"|have to decline|do not feel|don'?t feel)\b"
    r"|(?:i'?m|i am) (?:unable|not able|not allowed|not comfortable|programmed)|as an ai\b"
    r"|as a (?:large )?language model|this (?:request|content) (?:violates|cannot)|(?:please"
    r"|could you) (?:provide|share|paste|send)\b.{0,60}\b(?:conversation|text|transcript|content))",
    re.IGNORECASE,
)

# Fields of a JSON object that says nothing else than how something failed.
_OF_AN_ERROR = frozenset("error errors detail message code status type request_id statuscode msg".split())
SHORT = 400  # characters of an answer of which every line is looked at
FEWEST = 3  # words of a summary

# A line that is this and nothing else: how programs and shells say that they failed.
_CRASH = re.compile(
    r"(?:\S+: (?:line \d+: )?(?:\d+ )?|\[?\d+\]\s+\d+ )?\s*(?:segmentation fault|bus error(?:: \d+)?"
    r"|abort trap(?:: \d+)?|illegal instruction|floating point exception|killed|aborted|terminated"
    r"|out of memory|cannot allocate memory|no space left on device|broken pipe|core dumped"
    r"|cuda out of memory.*|stack overflow|access denied|forbidden|unauthorized|not found"
    r"|permission denied|connection refused|connection reset by peer|service unavailable"
    r"|gateway time-?out|timed? ?out|timeout|too many requests|rate limited|not logged in.*"
    r"|authentication required|session expired|payment required|bad request|no such file or directory"
    r"|command not found|operation not permitted|network is unreachable|speicherzugriffsfehler|getötet"
    r"|abgebrochen|beendet|busfehler|nicht genügend speicher|zugriff verweigert|keine berechtigung"
    r"|verbindung (?:abgelehnt|verweigert|unterbrochen)|zeitüberschreitung.*|befehl nicht gefunden"
    r"|kommando nicht gefunden|datei oder verzeichnis nicht gefunden|zu viele anfragen"
    r"|dienst nicht verfügbar|erreur de segmentation|processus arrêté|abandon|mémoire insuffisante"
    r"|accès refusé|permission non accordée|connexion refusée|délai (?:d'attente )?dépassé"
    r"|commande introuvable|fichier ou dossier introuvable|aucun fichier ou dossier de ce (?:type|nom)"
    r"|trop de requêtes|service indisponible)(?: ?\((?:core dumped|speicherabzug geschrieben|core dumpé"
    r"|[^)]{0,40})\)(?:  .*)?)?(?: \S+)?[.!]?",
    re.IGNORECASE,
)
# What only a service says to whom it will not serve, wherever in a short answer.
_DENIED = re.compile(
    r"\b(?:you(?:'ve| have)? (?:(?:already|currently) )?(?:exceeded|reached|hit|run out of"
    r"|used up) (?:your|the|all)|your (?:current )?(?:quota|plan|credit|credits|balance|api key|account"
    r"|subscription|trial|usage limit|limit)\b.{0,40}\b(?:exceeded|exhausted|expired|reached|too low"
    r"|insufficient|invalid|disabled|suspended|not active|reset)|usage limit (?:reached|exceeded)"
    r"|credit balance is too low|insufficient (?:quota|credits?|funds|balance)|insufficient_quota"
    r"|resource_exhausted|rate_limit_exceeded|billing (?:hard )?limit|check your plan and billing"
    r"|please (?:try|retry)\b.{0,20}\b(?:again|later)|try again (?:later|in \d+)|please run /login"
    r"|please (?:log|sign) in"
    r"|(?:model|requests?) (?:is|are) (?:currently )?(?:overloaded|unavailable|over capacity)"
    r"|(?:response|request|prompt|content|output) (?:was|has been|is) (?:blocked|flagged|filtered"
    r"|refused|rejected)|(?:sie haben|du hast|ihr|dein)\b.{0,40}\b(?:kontingent|guthaben|limit"
    r"|anfragelimit|nutzungslimit|quota|tarif).{0,60}\b(?:überschritten|erreicht|aufgebraucht|erschöpft"
    r"|ausgeschöpft|nicht aus|verbraucht)|(?:kontingent|guthaben|\w*limit"
    r"|quota)\b.{0,30}\b(?:überschritten|erreicht|aufgebraucht|erschöpft|ausgeschöpft)"
    r"|(?:bitte )?versuchen? (?:sie )?es (?:bitte )?(?:später|erneut|in \d+|noch einmal)"
    r"|vous avez (?:dépassé|atteint|épuisé) (?:votre|vos|le|la|les)"
    r"|(?:quota|limite|crédits?|solde)\b.{0,40}\b(?:dépassée?s?|atteinte?s?|épuisée?s?|insuffisante?s?)"
    r"|not available in your (?:country|region)"
    r"|(?:das )?modell ist (?:derzeit |zurzeit |momentan )?(?:überlastet|nicht verfügbar)"
    r"|(?:veuillez|merci de) (?:réessayer|vous (?:re)?connecter)|réessayez (?:plus tard|dans))",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"(?:(?:api|http|network|server|client|connection|authentication|runtime|internal|syntax) error\b"
    r"|(?:schwerer |interner |unerwarteter )?fehler(?:code)?\s*\d*\s*[:(]|ausnahme:|warnung:"
    r"|(?:es ist )?ein (?:\w+ )?fehler (?:ist )?aufgetreten|(?:interner )?serverfehler"
    r"|verbindungsfehler|zeitüberschreitung|erreur\s*(?:\w+ ){0,2}\d*\s*[:(]"
    r"|une erreur\b.{0,30}(?:s'est produite|est survenue)|erreur interne|échec\b.{0,30}:"
    r"|\S+: (?:.{0,120}: )?(?:no such file|permission denied|command not found|not found$"
    r"|connection refused|datei oder verzeichnis|kommando nicht|befehl nicht|aucun fichier"
    r"|commande introuvable)"
    r"|(?:unknown|invalid|unsupported|no such) (?:model|option|argument|command|flag|request)\b)",
    re.IGNORECASE,
)
# What a service or a refusal says in a few words: something of its own (a server, a key, this conversation)
# and what ails it, in one sentence.
_OWN = re.compile(
    r"\b(?:something|server|service|engine|model|network|socket|connect(?:ion)?|host|response|requests?"
    r"|authenticat\w+|credentials|api key|key|token|session|account|quota|limit|tier|credits?"
    r"|resources?|conversation|transcript|guidelines|content|etwas|dienst|modell|netzwerk|verbindung"
    r"|antwort|anfragen?|anmeldung|zugangsdaten|(?:api-)?schlüssel|sitzung|konto|kontingent|guthaben"
    r"|gespräch|unterhaltung|text|richtlinien|serveur|modèle|réseau|connecter|connexion|réponse"
    r"|requêtes?|demande|authentification|identifiants|clé|jeton|compte|limite|crédits?|ressources?"
    r"|règles)\b|lookup |getaddrinfo|request to ",
    re.IGNORECASE,
)
_AILS = re.compile(
    r"\b(?:over(?:loaded| capacity)|unavailable|unreachable"
    r"|not (?:\w+ )?(?:respond\w*|loaded|reach\w*|available|found|authenticated|ready|valid)|invalid"
    r"|expired|exhausted|exceeded|reached|run out|went wrong|gone wrong|failed|blocked|violates?"
    r"|hang up|lost|unable to|had an error|error generating|no such host|enotfound|empty"
    r"|prevent(?:s|ed)? me|upgrade to|überlastet"
    r"|nicht (?:\w+ )?(?:verfügbar|erreichbar|möglich|gefunden|ausreichend|gültig|geladen)|ungültig\w*"
    r"|abgelaufen|erschöpft|überschritten|fehlgeschlagen|schief\s?gelaufen|schiefgegangen|verstößt"
    r"|ablehnen|bitte warten|kein(?:e|en)? (?:gespräch|text|unterhaltung)|surchargée?|indisponible"
    r"|introuvable|impossible|invalides?|expirée?|épuisée?s?|dépassée?s?|échoué|enfrein\w+|aucune?)\b"
    r"|\bno (?:conversation|transcript)\b(?! (?:about|on|of)\b)",
    re.IGNORECASE,
)
# What work was done: then it is a summary, however short.
_WORK = re.compile(
    r"\b(?:fixed|added|resolved|implemented|updated|wrote|written|asked|discussed|agreed|decided|booked"
    r"|renewed|raised|retried|handled|solved|changed|repaired|replaced|removed|explained|investigated"
    r"|now|behoben|besprochen|geändert|ergänzt|repariert|geklärt|ersetzt|wurden?|corrigée?s?|ajoutée?s?"
    r"|résolue?s?|discutée?s?|modifiée?s?|décidée?|remplacée?s?)\b",
    re.IGNORECASE,
)
FEW = 25  # words of an answer of which such a sentence may be all

# Who a summary tells of: then nobody is spoken to.
_TELLS = re.compile(
    r"\b(?:the (?:user|customer|assistant|agent|team|client|group|speaker)s?|user|(?:der|die|den|dem"
    r"|des) (?:be)?nutzers?|nutzer(?:in)?"
    r"|(?:der|die|den|dem) (?:kunden?|kundin|assistent(?:en)?|anwenders?|agent(?:en)?|gruppe)"
    r"|l'(?:utilisateur|utilisatrice"
    r"|assistante?|agent)|(?:le|la|les) (?:clients?|cliente|groupe|équipe))\b",
    re.IGNORECASE,
)
# A refusal's first words, in other languages.
_REFUSAL_ELSEWHERE = re.compile(
    r"(?:(?:es )?tut mir (?:sehr |wirklich |außerordentlich )?leid|entschuldig(?:ung|en sie|e)\b"
    r"|ich bedau(?:e)?re|ich (?:habe|sehe|finde) (?:\w+ ){0,2}kein(?:e|en)?\b"
    r"|ich (?:kann|darf|möchte|werde|könnte) (?:\w+,? ){0,6}(?:nicht|keine?n?)\b"
    r"|ich bin (?:\w+ )?(?:nicht in der lage|nur ein)"
    r"|leider (?:kann|ist es|bin|darf|habe|konnte) (?:ich|mir|nicht)"
    r"|(?:dabei|damit|das|dazu) kann ich (?:\w+ ){0,3}nicht"
    r"|als (?:ki\b|künstliche|sprachmodell|ki-|großes sprachmodell)"
    r"|bitte (?:geben|stellen|senden|teilen|fügen|gib|schick)|es (?:scheint|sieht so aus), (?:als|dass)"
    r"|es (?:wurde|gibt|liegt) kein(?:e|en)? (?:gespräch|unterhaltung|text|inhalt|verlauf|nachricht"
    r"|zusammenfassung)|(?:je suis )?(?:vraiment |sincèrement )?désolée?\b|je regrette|je m'excuse"
    r"|(?:toutes )?mes excuses|pardon\b"
    r"|je (?:ne |n')(?:peux|puis|suis|pourrai|pourrais|veux|vois|dispose|ai)\b|il m'est impossible"
    r"|je refuse|malheureusement,? je|en tant qu(?:e |')(?:ia|intelligence|modèle|assistant)"
    r"|(?:veuillez|pourriez-vous|merci de)\b|(?:lo siento|no puedo|lamentablemente|como (?:una )?ia"
    r"|mi dispiace|non posso|purtroppo|desculpe|não posso|sinto muito|infelizmente|het spijt me"
    r"|sorry, maar|ik kan (?:\w+ )?niet|beklager|förlåt|przepraszam|извините|простите|к сожалению, я"
    r"|я не могу|申し訳|ごめん|すみません|抱歉|很抱歉|对不起|我无法|我不能|죄송))",
    re.IGNORECASE,
)
_REFUSAL_MORE = re.compile(
    r"(?:there(?:'s| is| was| are) no (?:conversation|text|transcript|content"
    r"|messages?)\b(?! (?:about|on|of)\b)"
    r"|no (?:conversation|text|transcript|messages?) (?:was|were|has|have|to|provided)\b"
    r"|(?:it )?(?:looks|seems|appears) (?:like|that|as)\b.{0,40}\b(?:haven't|didn't|have not|did not"
    r"|no conversation|empty|missing)|you (?:haven't|have not|didn't|did not) (?:provide|provided|share"
    r"|shared|include|included|paste|pasted|give|given)"
    r"|i (?:don't|do not) (?:see|have) (?:any|a|access|the)\b|i(?:'d| would) (?:rather not|need)"
    r"|i (?:must|have to) (?:\w+ )?(?:decline|refuse)|i refuse|i'd prefer not to"
    r"|let's talk about something|ich muss (?:\w+ ){0,4}ablehnen|aucune? (?:conversation|texte)\b"
    r"|i'm (?:just an? |happy to help))",
    re.IGNORECASE,
)
_HELP = re.compile(
    r"\bi(?:'m| am)? ?(?:can ?not|can'?t|won'?t|will not|unable to|not able to) (?:\w+ )?(?:help|assist"
    r"|comply|provide|summari[sz]e|fulfil+|process|continue|answer|share|create|generate|discuss"
    r"|do that|do this)\b|\b(?:kann|darf) ich (?:\w+ ){0,4}nicht (?:helfen|unterstützen|zusammenfassen"
    r"|beantworten|bearbeiten|erstellen)|\bich kann (?:\w+ ){0,5}nicht (?:\w+ )?(?:helfen|unterstützen"
    r"|zusammenfassen|beantworten|bearbeiten|erstellen)|\b(?:kann"
    r"|darf) ich (?:\w+ ){0,4}nicht weiterhelfen\b|\bje ne (?:peux|puis) pas (?:vous "
    r"|t')?(?:\w+ )?(?:aider|résumer|répondre|traiter|fournir|créer|assister|accéder)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:how (?:can|may) i (?:help|assist)|what (?:would you like|can i|should i)"
    r"|could you (?:please )?(?:provide|share|clarify|give|tell|send|paste)|would you like me"
    r"|let me know (?:how|what|if)|i'm ready (?:when|to)|please (?:paste|share|send|wait)"
    r"|bitte (?:melden|loggen)|wie kann ich|womit kann ich|was (?:möchten sie|möchtest du|soll ich)"
    r"|comment puis-je|que puis-je|en quoi puis-je|que souhaitez)",
    re.IGNORECASE,
)
_ACK = (
    r"(?:ok(?:ay|ey)?|k|yes|no|yep|yeah|sure(?: thing)?|done|ready|fine|great|perfect|good|right"
    r"|alright|certainly|absolutely|of course|understood|got it|i understand|noted|acknowledged|roger"
    r"|thanks?(?: you)?(?: very much)?|you(?:'re| are) welcome|hello|hi(?: there)?|hey|bye|please|wait"
    r"|loading|processing|working on it|one moment(?: please)?|here (?:you go|it is)|summary|a summary"
    r"|success|true|false|test|todo|tbd|ja|nein|klar|gut|fertig|erledigt|verstanden|natürlich|gerne?"
    r"|sicher|danke(?: schön)?|bitte|in ordnung|alles klar|einen moment(?: bitte)?|zusammenfassung"
    r"|hallo|oui|non|d'accord|bien(?: sûr| reçu| entendu)?|compris|entendu|merci(?: beaucoup)?|parfait"
    r"|fait|terminé|voilà|c'est fait|pas de problème|wird gemacht|mach(?:e)? ich|kein problem"
    r"|no problem|un instant|résumé|bonjour|certainement|très bien)"
)
_ONLY_ACK = re.compile(rf"(?:{_ACK}(?:[\s,.;:!…-]++|\Z))+", re.IGNORECASE)
_ACK_FIRST = re.compile(rf"(?:{_ACK}[,.;:!…-]+\s+)+", re.IGNORECASE)
_PREAMBLE = re.compile(
    r"(?:(?:here(?:'s| is| are)|below is|this is|the following is) (?:a|an|the|your"
    r"|my)?\b[^\n:.]{0,40}\b(?:summary|overview|recap)\b[^\n:.]{0,60}[:.]?|(?:i(?:'ve| have)"
    r"|the (?:conversation|text) (?:has been|was|is)) (?:\w+ )?summari[sz]ed\b[^\n.:]{0,40}[.!:]?"
    r"|i(?:'ll| will| am going to|'m going to| can)\b[^\n.]{0,40}\bsummar[^\n.]{0,80}[:.]?"
    r"|hier ist (?:die|eine|ihre|deine)\b[^\n:.]{0,40}\bzusammenfassung[^\n:.]{0,60}[:.]?"
    r"|ich (?:werde|fasse)\b[^\n.]{0,60}\bzusammen[^\n.]{0,40}[:.]?"
    r"|voici (?:un|le|votre)\b[^\n:.]{0,40}\brésumé[^\n:.]{0,60}[:.]?"
    r"|je vais\b[^\n.]{0,40}\brésum[^\n.]{0,60}[:.]?)\s*",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def straight(text: str) -> str:
    """The text with straight apostrophes."""
    return text.replace("\u2019", "'").replace("\u2018", "'")


def says_none(text: str) -> bool:
    """Whether an answer says that there is no summary."""
    return _EMPTY.fullmatch(text) is not None


def is_error(text: str) -> bool:
    """Whether an answer is an error: a JSON object with one, or what a program or service prints."""
    if (text[:1] + text[-1:]) == "{}" or (text[:2] + text[-2:]) == "[{}]":
        return _is_error_object(text)
    if len(text) >= 2000:
        return False
    plain = straight(text)
    if _ERROR.match(_bare(plain)):
        return True
    lines = [
        _bare(line)
        for line in plain.splitlines()
        if line.strip() and not line.lstrip().startswith(("-", "*", "•"))
    ]
    if not lines:
        return False
    if len(text) > SHORT:
        lines = lines[:1]
    elif _DENIED.search(plain) and not _TELLS.search(plain):
        return True
    return any(
        _CRASH.fullmatch(line) or _FAULT.match(line) or _ERROR.match(line) for line in lines
    ) or _is_complaint(plain)


def _is_complaint(text: str) -> bool:
    """Whether a few words that tell of no one and of no work say what ails a service or a request."""
    if len(_WORD.findall(text)) > FEW or _TELLS.search(text) or _WORK.search(text):
        return False
    return any(
        _OWN.search(sentence) is not None and _AILS.search(sentence) is not None
        for sentence in _SENTENCE.split(text)
    )


def _bare(text: str) -> str:
    return text.strip().lstrip("\"'*#[⚠❌✗ \ufe0f`").rstrip("\"'*`")


def _is_error_object(text: str) -> bool:
    value = json_value(text)
    value = value[0] if isinstance(value, list) else value
    return isinstance(value, dict) and (
        "error" in value
        or value.get("type") == "error"
        or {key.casefold() for key in value} <= _OF_AN_ERROR
    )


def is_refusal(text: str) -> bool:
    """Whether an answer is a refusal: as it begins, or in a short one where it says that it cannot help."""
    plain = straight(text)
    start = plain.lstrip("\"'*#> ")
    said = _ACK_FIRST.match(start)
    start = start[said.end() :] if said else start
    if any(pattern.match(start) for pattern in (_REFUSAL, _REFUSAL_MORE, _REFUSAL_ELSEWHERE)):
        return True
    if len(text) > SHORT or _TELLS.search(plain):
        return False
    return _HELP.search(plain) is not None or _ASKS.search(plain) is not None


def is_contentless(text: str) -> bool:
    """Whether an answer says nothing: an acknowledgement, an announcement of a summary, a word or two."""
    plain = straight(text).strip()
    said = _ACK_FIRST.match(plain)
    rest = _PREAMBLE.sub("", plain[said.end() :] if said else plain, count=1).strip(" \t\n*#_`\"'-")
    if not rest or _ONLY_ACK.fullmatch(rest):
        return True
    return len(_WORD.findall(rest)) + len(_UNSPACED.findall(rest)) // 2 < FEWEST
