"""Answers that are no summary, by what they say: nothing, an error or a refusal; English, German, French.

An error or a refusal is told by how a text, or a line of a short one, begins or is as a whole: a summary
that mentions one in passing is neither.
"""

from __future__ import annotations

import re

import orjson

_EMPTY = re.compile(
    r"(?:no (?:summary|content|response)\b.{0,40}|(?:there(?:'s| is) )?nothing (?:here "
    r"|left )?to summari[sz]e.{0,40}"
    r"|n/?a|none|null"
    r"|undefined|\(?empty\)?|\[?no output\]?)[.!]?",
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
    r"(?:(?:i'?m|i am) (?:(?:very|so|really|terribly) )?(?:sorry|afraid)|sorry(?=[,.!;:]|$"
    r"| (?:but|i|for"
    r"|to|about|that|you|we)\b)|(?:my )?apologies"
    r"|i apologi[sz]e"
    r"|unfortunately,? (?:i|as)\b|i (?:can ?not|can'?t|won'?t|will not|could ?n[o']t|must decline"
    r"|have to decline|do not feel"
    r"|don'?t feel)\b|(?:i'?m|i am) (?:unable|not able|not allowed|not comfortable"
    r"|programmed)|as an ai\b"
    r"|as a (?:large )?language model|this (?:request|content) (?:violates|cannot)"
    r"|(?:please|could you) (?:provide|share|paste|send)\b.{0,60}\b(?:conversation|text|transcript"
    r"|content))",
    re.IGNORECASE,
)

SHORT = 400  # characters of an answer of which every line is looked at
FEWEST = 3  # words of a summary

# A line that is this and nothing else: how programs and shells say that they failed.
_CRASH = re.compile(
    r"(?:\S+: (?:line \d+: )?(?:\d+ )?|\[?\d+\]\s+\d+ )?\s*"
    r"(?:segmentation fault|bus error(?:: \d+)?|abort trap(?:: \d+)?|illegal instruction"
    r"|floating point exception|killed|aborted"
    r"|terminated"
    r"|out of memory|cannot allocate memory|no space left on device|broken pipe|core dumped"
    r"|cuda out of memory.*"
    r"|stack overflow|access denied|forbidden|unauthorized|not found|permission denied"
    r"|connection refused"
    r"|connection reset by peer|service unavailable|gateway time-?out|timed? ?out|timeout"
    r"|too many requests"
    r"|rate limited|not logged in.*|authentication required|session expired|payment required"
    r"|bad request"
    r"|no such file or directory|command not found|operation not permitted|network is unreachable"
    r"|speicherzugriffsfehler|getötet|abgebrochen|beendet|busfehler|nicht genügend speicher"
    r"|zugriff verweigert"
    r"|keine berechtigung|verbindung (?:abgelehnt|verweigert|unterbrochen)|zeitüberschreitung.*"
    r"|befehl nicht gefunden"
    r"|kommando nicht gefunden|datei oder verzeichnis nicht gefunden|zu viele anfragen"
    r"|dienst nicht verfügbar"
    r"|erreur de segmentation|processus arrêté|abandon|mémoire insuffisante|accès refusé"
    r"|permission non accordée"
    r"|connexion refusée|délai (?:d'attente )?dépassé|commande introuvable"
    r"|fichier ou dossier introuvable"
    r"|aucun fichier ou dossier de ce (?:type|nom)|trop de requêtes|service indisponible)"
    r"(?: ?\((?:core dumped|speicherabzug geschrieben|core dumpé"
    r"|[^)]{0,40})\)(?:  .*)?)?(?: \S+)?[.!]?",
    re.IGNORECASE,
)
# What only a service says to whom it will not serve, wherever in a short answer.
_DENIED = re.compile(
    r"\b(?:you(?:'ve| have)? (?:(?:already|currently) )?(?:exceeded|reached|hit|run out of"
    r"|used up) (?:your|the|all)"
    r"|your (?:current )?(?:quota|plan|credit|credits|balance|api key|account|subscription|trial"
    r"|usage limit|limit)\b"
    r".{0,40}\b(?:exceeded|exhausted|expired|reached|too low|insufficient|invalid|disabled|suspended"
    r"|not active|reset)"
    r"|usage limit (?:reached|exceeded)|credit balance is too low|insufficient (?:quota|credits?|funds"
    r"|balance)"
    r"|insufficient_quota|resource_exhausted|rate_limit_exceeded|billing (?:hard )?limit"
    r"|check your plan and billing"
    r"|please (?:try|retry)\b.{0,20}\b(?:again|later)|try again (?:later|in \d+)|please run /login"
    r"|please (?:log|sign) in"
    r"|(?:model|requests?) (?:is|are) (?:currently )?(?:overloaded|unavailable|over capacity)"
    r"|(?:response|request|prompt|content|output) (?:was|has been|is) (?:blocked|flagged|filtered"
    r"|refused|rejected)"
    r"|(?:sie haben|du hast|ihr|dein)\b.{0,40}\b(?:kontingent|guthaben|limit|anfragelimit|nutzungslimit"
    r"|quota|tarif)"
    r".{0,60}\b(?:überschritten|erreicht|aufgebraucht|erschöpft|ausgeschöpft|nicht aus|verbraucht)"
    r"|(?:kontingent|guthaben|\w*limit|quota)\b.{0,30}"
    r"\b(?:überschritten|erreicht|aufgebraucht|erschöpft|ausgeschöpft)"
    r"|(?:bitte )?versuchen? (?:sie )?es (?:bitte )?(?:später|erneut|in \d+|noch einmal)"
    r"|vous avez (?:dépassé|atteint|épuisé) (?:votre|vos|le|la|les)"
    r"|(?:quota|limite|crédits?|solde)\b.{0,40}\b(?:dépassée?s?|atteinte?s?|épuisée?s?|insuffisante?s?)"
    r"|not available in your (?:country|region)|(?:das )?modell ist (?:derzeit |zurzeit "
    r"|momentan )?(?:überlastet|nicht verfügbar)"
    r"|(?:veuillez|merci de) (?:réessayer|vous (?:re)?connecter)|réessayez (?:plus tard|dans))",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"(?:(?:api|http|network|server|client|connection|authentication|runtime|internal|syntax) error\b"
    r"|(?:schwerer |interner |unerwarteter )?fehler(?:code)?\s*\d*\s*[:(]|ausnahme:|warnung:"
    r"|(?:es ist )?ein (?:\w+ )?fehler"
    r" (?:ist )?aufgetreten|(?:interner )?serverfehler|verbindungsfehler|zeitüberschreitung"
    r"|erreur\s*(?:\w+ ){0,2}\d*\s*[:(]|une erreur\b.{0,30}(?:s'est produite|est survenue)"
    r"|erreur interne|échec\b.{0,30}:"
    r"|\S+: (?:.{0,120}: )?(?:no such file|permission denied|command not found|not found$"
    r"|connection refused"
    r"|datei oder verzeichnis|kommando nicht|befehl nicht|aucun fichier|commande introuvable)"
    r"|(?:unknown|invalid|unsupported|no such) (?:model|option|argument|command|flag|request)\b)",
    re.IGNORECASE,
)
# What a service or a refusal says in a few words: something of its own (a server, a key, this conversation)
# and what ails it, in one sentence.
_OWN = re.compile(
    r"\b(?:something|server|service|engine|model|network|socket|connect(?:ion)?|host|response"
    r"|requests?|authenticat\w+"
    r"|credentials|api key|key|token|session|account|quota|limit|tier|credits?|resources?"
    r"|conversation|transcript"
    r"|guidelines|content|etwas|dienst|modell|netzwerk|verbindung|antwort|anfragen?|anmeldung"
    r"|zugangsdaten"
    r"|(?:api-)?schlüssel|sitzung|konto|kontingent|guthaben|gespräch|unterhaltung|text"
    r"|richtlinien|serveur|modèle"
    r"|réseau|connecter|connexion|réponse|requêtes?|demande|authentification|identifiants|clé"
    r"|jeton|compte|limite"
    r"|crédits?|ressources?|règles)\b|lookup |getaddrinfo|request to ",
    re.IGNORECASE,
)
_AILS = re.compile(
    r"\b(?:over(?:loaded| capacity)|unavailable|unreachable|not (?:\w+ )?(?:respond\w*|loaded"
    r"|reach\w*|available|found"
    r"|authenticated|ready|valid)|invalid|expired|exhausted|exceeded|reached|run out"
    r"|went wrong|gone wrong|failed"
    r"|blocked|violates?|hang up|lost|unable to|had an error|error generating|no such host"
    r"|enotfound|empty"
    r"|prevent(?:s|ed)? me|upgrade to|überlastet|nicht (?:\w+ )?(?:verfügbar"
    r"|erreichbar|möglich"
    r"|gefunden|ausreichend|gültig|geladen)|ungültig\w*|abgelaufen|erschöpft|überschritten"
    r"|fehlgeschlagen"
    r"|schief\s?gelaufen|schiefgegangen|verstößt|ablehnen|bitte warten|kein(?:e"
    r"|en)? (?:gespräch|text|unterhaltung)"
    r"|surchargée?|indisponible|introuvable|impossible|invalides?|expirée?|épuisée?s?"
    r"|dépassée?s?|échoué|enfrein\w+"
    r"|aucune?)\b|\bno (?:conversation|transcript)\b(?! (?:about|on|of)\b)",
    re.IGNORECASE,
)
# What work was done: then it is a summary, however short.
_WORK = re.compile(
    r"\b(?:fixed|added|resolved|implemented|updated|wrote|written|asked|discussed|agreed"
    r"|decided|booked|renewed"
    r"|raised|retried|handled|solved|changed|repaired|replaced|removed|explained|investigated"
    r"|now|behoben|besprochen"
    r"|geändert|ergänzt|repariert|geklärt|ersetzt|wurden?|corrigée?s?|ajoutée?s?|résolue?s?"
    r"|discutée?s?|modifiée?s?"
    r"|décidée?|remplacée?s?)\b",
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
    r"|ich bedau(?:e)?re"
    r"|ich (?:habe|sehe|finde) (?:\w+ ){0,2}kein(?:e|en)?\b|ich (?:kann|darf|möchte|werde"
    r"|könnte) (?:\w+,? ){0,6}(?:nicht|keine?n?)\b"
    r"|ich bin (?:\w+ )?(?:nicht in der lage|nur ein)"
    r"|leider (?:kann|ist es|bin|darf|habe|konnte) (?:ich|mir|nicht)|(?:dabei|damit|das"
    r"|dazu) kann ich (?:\w+ ){0,3}nicht"
    r"|als (?:ki\b|künstliche|sprachmodell|ki-|großes sprachmodell)|bitte (?:geben|stellen"
    r"|senden|teilen"
    r"|fügen|gib|schick)"
    r"|es (?:scheint|sieht so aus), (?:als|dass)|es (?:wurde|gibt|liegt) kein(?:e"
    r"|en)? (?:gespräch|unterhaltung|text|inhalt|verlauf|nachricht|zusammenfassung)"
    r"|(?:je suis )?(?:vraiment |sincèrement )?désolée?\b|je regrette|je m'excuse"
    r"|(?:toutes )?mes excuses|pardon\b"
    r"|je (?:ne |n')(?:peux|puis|suis|pourrai|pourrais|veux|vois|dispose|ai)\b|il m'est impossible"
    r"|je refuse"
    r"|malheureusement,? je|en tant qu(?:e |')(?:ia|intelligence|modèle|assistant)|(?:veuillez"
    r"|pourriez-vous|merci de)\b"
    r"|(?:lo siento|no puedo|lamentablemente|como (?:una )?ia|mi dispiace|non posso|purtroppo|desculpe"
    r"|não posso"
    r"|sinto muito|infelizmente|het spijt me|sorry, maar|ik kan (?:\w+ )?niet|beklager|förlåt"
    r"|przepraszam"
    r"|извините|простите|к сожалению, я|я не могу|申し訳|ごめん|すみません"
    r"|抱歉|很抱歉|对不起|我无法|我不能|죄송))",
    re.IGNORECASE,
)
_REFUSAL_MORE = re.compile(
    r"(?:there(?:'s| is| was| are) no (?:conversation|text|transcript|content"
    r"|messages?)\b(?! (?:about|on|of)\b)"
    r"|no (?:conversation|text"
    r"|transcript|messages?) (?:was|were|has|have|to|provided)\b|(?:it )?(?:looks|seems"
    r"|appears) (?:like"
    r"|that|as)\b.{0,40}"
    r"\b(?:haven't|didn't|have not|did not|no conversation|empty|missing)|you (?:haven't"
    r"|have not|didn't"
    r"|did not)"
    r" (?:provide|provided|share|shared|include|included|paste|pasted|give|given)|i (?:don't"
    r"|do not) (?:see|have) (?:any|a|access|the)\b"
    r"|i(?:'d| would) (?:rather not|need)|i (?:must|have to) (?:\w+ )?(?:decline|refuse)|i refuse"
    r"|i'd prefer not to|let's talk about something|ich muss (?:\w+ ){0,4}ablehnen"
    r"|aucune? (?:conversation|texte)\b"
    r"|i'm (?:just an? |happy to help))",
    re.IGNORECASE,
)
_HELP = re.compile(
    r"\bi(?:'m| am)? ?(?:can ?not|can'?t|won'?t|will not|unable to|not able to) (?:\w+ )?(?:help|assist"
    r"|comply|provide"
    r"|summari[sz]e|fulfil+|process|continue|answer|share|create|generate|discuss|do that|do this)\b"
    r"|\b(?:kann|darf) ich (?:\w+ ){0,4}nicht (?:helfen|unterstützen|zusammenfassen|beantworten"
    r"|bearbeiten|erstellen)"
    r"|\bich kann (?:\w+ ){0,5}nicht (?:\w+ )?(?:helfen|unterstützen|zusammenfassen|beantworten"
    r"|bearbeiten|erstellen)"
    r"|\b(?:kann|darf) ich (?:\w+ ){0,4}nicht weiterhelfen\b"
    r"|\bje ne (?:peux|puis) pas (?:vous |t')?(?:\w+ )?(?:aider|résumer|répondre|traiter|fournir|créer"
    r"|assister|accéder)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:how (?:can|may) i (?:help|assist)|what (?:would you like|can i|should i)"
    r"|could you (?:please )?(?:provide|share|clarify"
    r"|give|tell|send|paste)|would you like me|let me know (?:how|what|if)|i'm ready (?:when|to)"
    r"|please (?:paste|share|send|wait)|bitte (?:melden|loggen)|wie kann ich|womit kann ich"
    r"|was (?:möchten sie|möchtest du|soll ich)|comment puis-je|que puis-je|en quoi puis-je"
    r"|que souhaitez)",
    re.IGNORECASE,
)
_ACK = (
    r"(?:ok(?:ay|ey)?|k|yes|no|yep|yeah|sure(?: thing)?|done|ready|fine|great|perfect|good"
    r"|right|alright"
    r"|certainly"
    r"|absolutely|of course|understood|got it|i understand|noted|acknowledged|roger"
    r"|thanks?(?: you)?(?: very much)?"
    r"|you(?:'re| are) welcome|hello|hi(?: there)?|hey|bye|please|wait|loading|processing|working on it"
    r"|one moment(?: please)?|here (?:you go|it is)|summary|a summary|success|true|false|test|todo|tbd"
    r"|ja|nein|klar|gut|fertig|erledigt|verstanden|natürlich|gerne?|sicher|danke(?: schön)?|bitte"
    r"|in ordnung|alles klar"
    r"|einen moment(?: bitte)?|zusammenfassung|hallo"
    r"|oui|non|d'accord|bien(?: sûr| reçu| entendu)?|compris|entendu|merci(?: beaucoup)?|parfait|fait"
    r"|terminé|voilà|c'est fait|pas de problème|wird gemacht|mach(?:e)? ich|kein problem|no problem"
    r"|un instant|résumé|bonjour|certainement|très bien)"
)
_ONLY_ACK = re.compile(rf"(?:{_ACK}(?:[\s,.;:!…-]++|\Z))+", re.IGNORECASE)
_ACK_FIRST = re.compile(rf"(?:{_ACK}[,.;:!…-]+\s+)+", re.IGNORECASE)
_PREAMBLE = re.compile(
    r"(?:(?:here(?:'s| is| are)|below is|this is|the following is) (?:a|an|the|your|my)?\b[^\n:.]{0,40}"
    r"\b(?:summary|overview|recap)\b[^\n:.]{0,60}[:.]?"
    r"|(?:i(?:'ve| have)|the (?:conversation|text) (?:has been|was"
    r"|is)) (?:\w+ )?summari[sz]ed\b[^\n.:]{0,40}[.!:]?"
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
    try:
        value = orjson.loads(text)
    except ValueError:
        return False
    said = {
        "error",
        "errors",
        "detail",
        "message",
        "code",
        "status",
        "type",
        "request_id",
        "statuscode",
        "msg",
    }
    value = value[0] if isinstance(value, list) else value
    return isinstance(value, dict) and (
        "error" in value or value.get("type") == "error" or {key.casefold() for key in value} <= said
    )


def is_refusal(text: str) -> bool:
    """Whether an answer is a refusal: as it begins, or in a short one where it says that it cannot help."""
    plain = straight(text)
    start = plain.lstrip("\"'*#> ")
    said = _ACK_FIRST.match(start)
    start = start[said.end() :] if said else start
    for pattern in (_REFUSAL, _REFUSAL_MORE, _REFUSAL_ELSEWHERE):
        if pattern.match(start):
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
