"""Secrets recognised by a pattern: key files, headers, URLs, password files, command lines."""

from __future__ import annotations

import re
from binascii import Error as NotBase64
from binascii import a2b_base64
from collections.abc import Iterator
from typing import Any

from . import values
from .rules import Rule, WordRule, compiled, pattern_rule
from .spans import Span, decoded

_Q = r"\\{0,6}[\"'`]?"
_SEP = rf"{_Q}\s{{0,8}}[:=,]\s{{0,8}}{_Q}"


def _is_basic_auth(_: str, match: re.Match[str]) -> bool:
    """Whether the secret is base64 of `user:password`."""
    try:
        return b":" in a2b_base64(match["secret"] + "==")
    except NotBase64:
        return False


def _has_secret_cookie(_: str, match: re.Match[str]) -> bool:
    pairs = (pair.partition("=")[2] for pair in match["secret"].split(";"))
    return any(len(value) >= 16 or (len(value) >= 8 and values.is_mixed(value)) for value in pairs)


def _is_not_port(_: str, match: re.Match[str]) -> bool:
    return re.match(r"\d{1,5}(?:[/?#]|$)|[/?#\\]", match["secret"]) is None


def _is_mixed(_: str, match: re.Match[str]) -> bool:
    return values.is_mixed(match["secret"]) and not values.is_number(match["secret"])


def _is_not_prose(_: str, match: re.Match[str]) -> bool:
    return not values.is_prose(match["secret"].strip())


def _is_credential(_: str, match: re.Match[str]) -> bool:
    secret = match["secret"]
    plain = values.is_mixed(secret) and not values.is_code(secret) and "," not in match[0][: -len(secret)]
    return (bool(match["scheme"]) or plain) and not values.is_placeholder(secret.split()[-1])


def _is_npm_auth(text: str, match: re.Match[str]) -> bool:
    before = text[match.start() - 1 : match.start()]
    return values.is_mixed(match["secret"]) and not (before.isalnum() or before in (".", "_", "$"))


def _in_role_statement(text: str, match: re.Match[str]) -> bool:
    """Whether it is part of an SQL statement: `ALTER ROLE app WITH PASSWORD '…'`."""
    before = text[max(0, match.start() - 20) : match.start()]
    return before.rstrip().lower().endswith((" with", " encrypted"))


def _starts_a_line(text: str, match: re.Match[str]) -> bool:
    line = text[max(0, match.start() - 120) : match.start()].rpartition("\n")[2]
    return bool(re.fullmatch(r"(?:.{0,40}[\"'\s])?[\w.*-]{1,80}", line))


# Kind, prefixes (separated by commas; lower case unless case matters), and the pattern that begins there;
# optionally a further condition, and offsets before the prefix where the pattern may begin instead. The bounds
# keep the time linear when a prefix repeats.
_TABLE: tuple[tuple[Any, ...], ...] = (
    ("private-key", "private-lines:",
     r"(?i:private-lines:)\s*\d{1,4}(?:\s|\\[rn]){1,24}(?P<secret>(?:[A-Za-z0-9+/=]{1,100}(?:\s|\\[rn]){1,24}){1,200})"),
    ("twilio-key", "AC", r"AC[0-9a-f]{32}[\"']?[,;:|\s]{1,4}[\"']?(?P<secret>[0-9a-f]{32})(?!\w)"),
    ("azure-secret", "Q~", r"(?<![\w~.-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{30,36}(?![\w~.-])", None, (4,)),
    ("aws-key", "akia,asia",
     r"(?:AKIA|ASIA)[A-Z0-9]{16}[\"']?[,;:|\s]{1,4}[\"']?(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])"),
    ("authorization", "authorization",
     (rf"(?i)authorization(?:{_SEP}(?:value{_SEP})?|\s{{1,4}}[\"'])(?P<secret>(?P<scheme>bearer|basic|token|digest|negotiate|ssws|apikey|api-key|key|bot|splunk"
     r"|genie-?key|aws4-hmac-sha256|hawk|oauth|ntlm|jwt|discogs|sso-key|zoho-oauthtoken|klaviyo-api-key)\s+[^\s\"',;\\]{3,}"
     r"|[^\s\"',;\\()\[\]{}]{16,})"), _is_credential),
    ("bearer", "bearer", r"(?i)bearer(?:\s|%20|\+){1,4}(?P<secret>(?=[A-Za-z._~+/-]{0,80}\d)[A-Za-z0-9._~+/-]{20,}=*)"),
    ("api-key-header", "api-key,apikey,-art-api,auth-token,auth-key,access-token,subscription-key,x-honeycomb-team",
     rf"[\w-]{{6,20}}{_Q}\s{{0,4}}:\s{{0,4}}{_Q}(?P<secret>(?=[A-Za-z_.-]{{0,80}}[\d+/=])[^\s\"',;\\]{{6,}})"),
    ("cookie", "cookie",
     rf"(?i)cookie{_Q}\s{{0,4}}[:=,]\s{{0,4}}{_Q}(?P<secret>[\w.-]{{1,64}}=[^\s;\"'\\]{{0,2048}}(?:;\s{{0,4}}[\w.-]{{1,64}}=[^\s;\"'\\]{{0,2048}}){{0,100}})",
     _has_secret_cookie),
    ("url-password", "://",
     r"://[^\s/:@\"'<>`]{0,200}:(?P<secret>[^\s\"'<>`]{1,200})@(?=[\w\[.%-])", _is_not_port),
    ("signature", "&sig=,?sig=", r".sig=(?P<secret>[^\s&\"'<>`;]{6,512})"),
    ("query-key", "?key=,&key=,?code=,&code=,?sid=,&sid=,?auth=,&auth=,?pw=,&pw=,?sessionid=,&sessionid=,?appid=,&appid=",
     r"[?&]\w{2,9}=(?P<secret>(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_.~%-]{16,})"),
    ("telegram-token", ":aa", r"(?:(?<!\w)|(?<=bot))\d{8,10}:AA[A-Za-z0-9_-]{33}(?![\w-])", None, (8, 9, 10)),
    ("mailchimp-key", "-us", r"(?<!\w)[0-9a-f]{32}-us\d{1,2}(?!\w)", None, (32,)),
    ("netrc", "login,machine", r"\w{5,7}\s{1,8}\S{1,128}\s{1,8}(?:account\s{1,8}\S{1,128}\s{1,8})?password\s{1,8}\"?(?P<secret>(?<=\")[^\"\n]{2,512}|[^\s\"']{2,512})"),
    ("pgpass", ":5432:,:5433:,:5434:,:5435:,:5436:,:5437:,:5438:,:5439:,:6432:,:6543:,:25060:,:26257:,:*:",
     r":(?:\d{4,5}|\*):[^:\s]{1,64}:[^:\s]{1,64}:(?P<secret>(?:\\[:\\]|[^\s:\"'\\]){3,256})(?=[\s\"'\\]|$)", _starts_a_line),
    ("docker-auth", 'auth",auth\\', r"\"?auth\\{0,6}\"\s{0,8}:\s{0,8}\\{0,6}\"(?P<secret>[A-Za-z0-9+/]{8,2048}={0,2})\\{0,6}\"", _is_basic_auth),
    ("npm-auth", ":_auth,:_password", r":_(?:authToken|auth|password)[ ][\"']?(?P<secret>[^\s\"'$]{2,512})"),
    ("npm-auth", "_auth", rf"_auth(?:Token|TOKEN)?{_Q}\s{{0,4}}[=:]\s{{0,4}}{_Q}(?P<secret>[A-Za-z0-9+/_-]{{8,2048}}={{0,2}})", _is_npm_auth),
    ("sql-password", "identified",
     r"(?i)identified\s{1,8}(?:with\s{1,8}\S{1,40}\s{1,8}(?:by|as)|by)\s{1,8}(?:password\s{1,8})?(?P<q>\\{0,6}[\"'])(?P<secret>[^\"'\n\\]{1,256})"),
    ("url-password", "://", r"://(?P<secret>(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,200})(?::x-oauth-basic|:x-token-auth|:)?@"),
    ("url-password", "jdbc:oracle:", r"(?i)jdbc:oracle:\w{1,10}:[^/\s:@]{1,64}/(?P<secret>[^@\s\"']{1,128})@"),
    ("login", "httpbasicauth(,basicauth(,httpdigestauth(,auth=(",
     r"(?i)[\w=]{5,20}\(\s{0,4}[\"'][^\"'\n]{1,64}[\"'],\s{0,4}[\"'](?P<secret>[^\"'\n]{5,128})[\"']"),
    ("login", "getconnection(,mysqli_connect(,mysql_connect(,mysqli(,pdo(,connect(",
     (r"(?i)\w{3,20}\(\s{0,4}(?:[\w.$]{1,40}|[\"'][^\"'\n]{0,120}[\"']),\s{0,4}[\"'][^\"'\n]{1,64}[\"'],"
      r"\s{0,4}[\"'](?P<secret>(?=[^\"'\n]{0,60}[\d!#$%^*+])[^\"'\n]{4,128})[\"']")),
    ("login", "jwt.sign(,jwt.verify(,jwt.encode(,jwt.decode(",
     r"jwt\.\w{4,6}\([^\"'\n]{1,200}[\"'](?P<secret>(?=[^\"'\n]{0,60}\d)[^\"'\n]{8,256})[\"']"),
    ("login", "client(", r"(?i)client\(\s{0,4}[\"'](?P<secret>(?=[\w-]{0,60}\d)[A-Za-z0-9_-]{32,256})[\"']"),
    ("login", "networkcredential(,login(",
     r"(?i)[\w=]{5,20}\(\s{0,4}[\"'][^\"'\n]{1,64}[\"'],\s{0,4}[\"'](?P<secret>(?=[^\"'\n]{0,60}[\d!#$%^*+])[^\"'\n]{5,128})[\"']"),
    ("login", "login,creds,credentials,zugangsdaten",
     r"\w{5,12}(?::\*{0,2}| is| are| lauten| sind)\s{1,4}[\w.@+-]{1,64}\s{0,4}(?: /|:)\s{0,4}(?P<secret>[^\s\"'`/]{4,128})", _is_mixed),
    ("login", "npmauthident", r"(?i)npmAuthIdent:\s{1,4}[\"']?[^\s:\"']{1,64}:(?P<secret>[^\s\"']{2,256})"),
    ("azure-key", '"keyname', r"(?i)\"keyname\"\s{0,4}:[^{}]{1,200}?\"value\"\s{0,4}:\s{0,4}\"(?P<secret>[A-Za-z0-9+/]{40,}={0,2})\""),
    ("option", 'curl"', r"curl\"(?:,\s{0,4}\"[^\"\n]{0,200}\"){0,20}?,\s{0,4}\"(?:-u|--user|--proxy-user)\",\s{0,4}\"[^\s:\"]{1,128}:(?P<secret>[^\"\n]{1,256})\""),
    ("option", 'mysql",mysqldump",mysqladmin",mariadb",sshpass"', r"\w{5,10}\"(?:,\s{0,4}\"[^\"\n]{0,200}\"){0,20}?,\s{0,4}\"-p(?:\",\s{0,4}\")?(?P<secret>[^\"\s=-][^\"\n]{1,256})\""),
    ("odbc-password", "pwd={,password={", r"(?i)\w{3,8}=\{(?P<secret>(?=[^{}\n]{0,128}[^\w.{}\n])[^{}\n]{3,128})\}"),
    ("variable", "variable",
     (r"(?i)variable\s\"[\w-]{0,40}(?:pass|pwd|secret|token|key|credential)[\w-]{0,40}\"\s{0,4}\{[^{}]{0,600}?\bdefault\s{0,20}=\s{0,4}"
      r"\"(?P<secret>[^\"\n]{3,512})\"")),
    ("option", "password-command,password_command,_password_command,passcommand,_passcommand,passwordeval,passcmd",
     (r"(?i)_?pass(?:word)?[-_]?(?:command|eval|cmd)(?:\\{0,6}[\"'])?[\s=:,]{1,8}(?:\\{0,6}[\"'])?\s{0,4}(?:\S{0,40}/)?(?:echo|printf)\s{1,4}"
      r"(?:(?:-\w{1,3}|[\"']?%s(?:\\n)?[\"']?)\s{1,4}){0,3}(?:\\{0,6}[\"'])?(?P<secret>[^\s\"'`$\\][^\"'`\n\\$]{2,256})")),
    ("login", "sonar.login,dsonar.login,sonar_login", rf"(?i)d?sonar[._]login{_Q}\s{{0,4}}[=:> ,]\s{{0,4}}{_Q}(?P<secret>[A-Za-z0-9_]{{40,64}})"),
    ("login", "__contribsys__com,contribsys.com", r"(?i)(?:__)?contribsys(?:__|\.)com[\"']?\s{0,4}[=: ]\s{0,4}[\"']?(?P<secret>[0-9a-f]{8}:[0-9a-f]{8})"),
    ("url-password", "://", r"://(?P<secret>[0-9a-f]{8}:[0-9a-f]{8})@(?:gems|enterprise)\.contribsys\.com"),
    ("community", "snmp-server", r"(?i)snmp-server\s{1,4}community\s{1,4}(?P<secret>[^\s\"']{2,64})"),
    ("sql-password", "password", r"(?i)password\s{1,8}\\{0,6}'(?P<secret>[^'\n\\]{2,256})\\{0,6}'", _in_role_statement),
    ("sql-password", "password(", r"(?i)password\('(?P<secret>[^'\n]{1,256})'\)", _is_not_prose),
    ("wifi", "wifi:", r"(?i)wifi:(?:[^\n:]{1,8}:(?:\\.|[^;\n\\]){0,64};){0,4}p:(?P<secret>(?:\\.|[^;\n\\]){1,128});"),
    ("password-hash", "{SSHA},{SSHA256},{SSHA512},{SHA},{SMD5},{CRYPT},{PBKDF2}", r"\{[A-Z0-9]{3,7}\}[A-Za-z0-9+/=$.]{20,200}"),
    ("private-key", "openvpn", r"(?i)openvpn static key v1-----(?P<secret>[0-9a-f\s\\nr]{32,1200})"),
)  # fmt: skip
# Commands, and the pattern of a secret in their line.
_COMMANDS: tuple[tuple[str, str], ...] = (
    ("curl http https xh httpx", r"(?<=\s)(?:-[a-zA-Z]{0,6}u|-[UaE]|--user|--proxy-user|--auth|--cert)[ =]?[\"']?[^\s:\"'$]{1,128}:(?P<secret>[^\s\"']{1,256})"),
    ("curl", r"(?<=\s)--oauth2-bearer[ =][\"']?(?P<secret>[^\s\"'$]{6,4096})"),
    ("curl", r"(?<=\s)(?:-b)[ =]?[\"']?[\w.-]{1,64}=(?P<secret>[^\"'\n]{8,2048})"),
    ("mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump mycli sshpass xfreerdp 7z 7za 7zr rar unrar", r"(?<=\s)-h?p(?P<quote>[\"']?)(?P<secret>[^\s\"'=-][^\s\"']{1,256})"),
    ("sshpass evil-winrm az twine useradd usermod mongo mongosh mongodump mongorestore mongoexport hydra crackmapexec nxc netexec cqlsh influx arangosh rabbitmqadmin",
     r"(?<=\s)-p[ =][\"']?(?P<secret>[^\s\"'=-][^\s\"']{2,256})"),
    ("docker podman buildah skopeo helm nerdctl oras crane regctl", r"\slogin\s(?:[^\n|;&]{0,200}\s)?-p[ =]?[\"']?(?P<secret>[^\s\"'=-][^\s\"']{2,256})"),
    ("redis-cli valkey-cli", r"(?<=\s)(?:-a|--pass)[ =]?[\"']?(?P<secret>[^\s\"'-][^\s\"']{2,256})"),
    ("redis-cli valkey-cli", r"(?<=\s)(?:auth|AUTH)\s+(?:[\w-]{1,64}\s+)?[\"']?(?P<secret>[^\s\"'-][^\s\"']{2,256})"),
    ("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd ldapcompare", r"(?<=\s)-(?:w|s|a)[ =]?[\"']?(?P<secret>[^\s\"'=-][^\s\"']{2,256})"),
    ("smbclient rpcclient smbmap mount.cifs smbget enum4linux net", r"(?<=\s)-U[ =]?[\"']?[^\s%\"']{1,128}%(?P<secret>[^\s\"']{1,256})"),
    ("openssl", r"(?<=[\s\"'])(?:-k\s+|pass:)[\"']?(?P<secret>[^\s\"'-][^\s\"']{2,256})"),
    ("zip unzip sqlcmd bcp mosquitto_pub mosquitto_sub ipmitool tsql mssql-cli isql ipmiutil", r"(?<=\s)-P[ =]?[\"']?(?P<secret>[^\s\"'=-][^\s\"']{2,256})"),
    ("snmpwalk snmpget snmpset snmpbulkwalk", r"(?<=\s)-(?:A|X|c)[ =]?[\"']?(?P<secret>[^\s\"'=-][^\s\"']{5,256})"),
    ("htpasswd", r"(?<=\s)-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}\s+\S{1,200}\s+\S{1,64}\s+[\"']?(?P<secret>[^\s\"']{2,256})"),
    ("sqlplus sqlldr expdp impdp exp imp sql", r"(?<=\s)[\"']?\w{1,64}/(?P<secret>[^\s@/\"']{2,128})@"),
    ("xfreerdp wfreerdp rdesktop mstsc", r"(?<=\s)/p:[\"']?(?P<secret>[^\s\"']{2,256})"),
    ("net", r"(?<=\s)(?:user|use)\s+\S{1,128}\s+(?!/)(?P<secret>[^\s\"'/*]{4,128})"),
    ("lftp ncftp", r"(?<=\s)-u[ =]?[\"']?[^\s,\"']{1,64},(?P<secret>[^\s\"']{2,256})"),
    ("vault", r"\slogin\s+(?!-)(?:token=)?(?P<secret>[^\s\"'=]{10,256})"),
    ("vault", r"\s(?:password|token|secret)=(?P<secret>[^\s\"'@]{3,256})"),
    ("echo printf", (r"^(?:echo|printf)\s+(?:-\w{1,3}\s+){0,3}(?:[\"']%s(?:\\n)?[\"']\s+)?(?P<quote>[\"']?)(?:\w{1,32}:)?(?P<secret>[^\s\"'|$`:][^\"'|\n$]{1,128}?)(?:\\n)?(?P=quote)\s*\|\s*"
     r"(?:sudo\s+)?(?:\S{0,40}/)?(?:sudo\s+(?:\S+\s+){0,3}-S|docker\s+login|podman\s+login|helm\s+registry\s+login|gh\s+auth\s+login|chpasswd|passwd\s|passwd$|kinit|cryptsetup|gpg\s|faillock|su\s|smbpasswd"
     r"|vault\s+login|gcloud\s+secrets|op\s+signin|bw\s+unlock|npm\s+login|openssl\s+passwd|wrangler\s+secret|fly\s+secrets|kubeseal)")),
    ("gh wrangler az aws", r"\s(?:secret\s+set|put-parameter(?=.{0,400}\sSecureString))\s+(?:\S+\s+){0,9}?(?:-b|--body|--value)[ =][\"']?(?P<secret>[^\s\"'$]{4,256})"),
    ("ssh-keygen", r"(?<=\s)-(?:N|P)[ ]?[\"']?(?P<secret>(?<=\")[^\"\n]{2,256}|(?<=')[^'\n]{2,256}|[^\s\"'-][^\s\"']{2,256})"),
    ("convertto-securestring", r"^\S+\s+(?:-String\s+)?[\"']?(?P<secret>[^\s\"'$(-][^\s\"']{2,256})"),
    ("poetry", r"\sconfig\s+(?:http-basic\.\S{1,64}\s+\S{1,64}|pypi-token\.\S{1,64})\s+[\"']?(?P<secret>[^\s\"'$]{2,256})"),
    ("secret", r"(?<=\s)--from-literal[= ][\"']?[\w.-]{1,128}=(?P<secret>[^\s\"']{2,512})"),
    ("nmcli", r"\spassword\s+[\"']?(?P<secret>(?<=\")[^\"\n]{2,256}|(?<=')[^'\n]{2,256}|[^\s\"'$-][^\s\"']{2,256})"),
    ("sudo", r"\s-S\s.{0,200}?<<<\s*[\"']?(?P<secret>[^\s\"'$]{2,256})"),
    ("wandb shodan ngrok snyk cachix", r"\s(?:login|init|auth|authtoken|(?:config\s+)?add-authtoken)\s+(?:--?\S{1,40}\s+){0,3}(?P<secret>(?=\S{0,60}\d)[A-Za-z0-9_-]{20,256})"),
    ("wpa_passphrase", r"^wpa_passphrase\s+(?:[\"'][^\"'\n]{1,64}[\"']|\S{1,64})\s+[\"']?(?P<secret>[^\s\"']{8,63})"),
    ("fly flyctl heroku", r"\s(?:secrets\s+set|config:set)\s+(?:-\S+\s+)?[A-Z][A-Z0-9_]{1,64}=[\"']?(?P<secret>[^\s\"'$]{4,256})"),
)  # fmt: skip
_BEGIN = re.compile(
    r"-{4,5} ?BEGIN (?:[A-Za-z0-9]{1,20} ){0,5}PRIVATE KEY(?: BLOCK)? ?-{4,5}", re.IGNORECASE
)
_END = re.compile(r"-{4,5} ?END (?:[A-Za-z0-9]{1,20} ){0,5}PRIVATE KEY(?: BLOCK)? ?-{4,5}", re.IGNORECASE)
_BODY = re.compile(
    r"(?:\s{0,4}(?:Comment|Subject|Version|Proc-Type|DEK-Info|x-)[^\n]{0,200}\n(?:(?<=\\\n)[^\n]{0,200}\n){0,4}){0,8}"
    r"(?:[A-Za-z0-9+/=\s,:.-]|\\{1,6}[nr]|[\"'][,\\]?\s{0,60}(?:[+.]\s{0,60})?[fbr]?[\"']"
    r"|(?<=[\n \t\d])[>|#*→]{1,2})*"  # before each line: quoting, numbering, or a comment sign
)
_JWK_REACH = 3000  # characters to search before and after
_MEMBER = re.compile(
    r"\"(?P<name>[dkpq]|d[pq]|qi)\\{0,6}\"\s{0,8}:\s{0,8}\\{0,6}\"(?P<secret>[A-Za-z0-9_-]{16,2048})"
)
_ELIDED_BODY = re.compile(r"(?:[A-Za-z0-9+/=.…>|#*→\s\[\]<>-]|\\{1,6}[nr])*")
_KEY_TEXT = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}(?:\s{1,4}[A-Za-z0-9+/]{1,80}={1,2})?")
_MAX_LINE, _MAX_WORD = 600, 300  # characters of a command line to examine, and of a word that continues
_LINE_END = re.compile(r"(?<!\\)\n|\\n|$")


def _command_rule(name: str, pattern: str) -> Rule:
    def find(text: str, _lower: str, at: int) -> Iterator[Span]:
        line = text[at : at + _MAX_LINE + _MAX_WORD]
        line = line[: _LINE_END.search(line).start()]  # type: ignore[union-attr]
        for match in compiled(pattern).finditer(line):
            if match.start() < _MAX_LINE and not values.is_placeholder(match["secret"]):
                yield Span(at + match.start("secret"), at + _secret_end(line, match), "option")
        searched_to = at + min(len(line), _MAX_LINE)
        yield Span(searched_to, searched_to, "")

    return Rule(start=f"{name} ", find=find)


def _secret_end(line: str, match: re.Match[str]) -> int:
    """Return the end of a command's secret: the closing quote, if its word began with a quote."""
    start, end = match.span("secret")
    before = line[max(0, match.start() - 1) : start]
    for sign in "'\"":
        if before.count(sign) % 2 and line[end : end + 1] not in ("", sign):
            return max(end, line.find(sign, end, start + _MAX_WORD))
    return end


def _jwk(text: str, _lower: str, at: int) -> Iterator[Span]:
    """Find the secret members of a JSON Web Key, before and after its type."""
    until = at + _JWK_REACH
    for match in _MEMBER.finditer(text, max(0, at - _JWK_REACH), until):
        yield Span(*match.span("secret"), "jwk")
    yield Span(until, until, "")


def _key_file(text: str, _lower: str, at: int) -> Iterator[Span]:
    """Find a private key between its delimiters, or as far as it goes if the end is missing."""
    begin = _BEGIN.search(text, max(0, at - 6), at + 200)
    if begin is None or begin.start() > at:
        return
    body = _BODY.match(text, begin.end())
    stop = body.end() if body else begin.end()
    end = _END.search(text, begin.end(), stop + 80)
    searched_to = max(end.end() if end else stop, begin.end())
    yield Span(searched_to, searched_to, "")
    no_key = end and not _KEY_TEXT.search(text, begin.end(), stop)
    if end and no_key and not _ELIDED_BODY.fullmatch(text, begin.end(), end.start()):
        return  # delimiters in a program's source
    lines = [searched_to] if end else [match.end() for match in _KEY_TEXT.finditer(text, begin.end(), stop)]
    if lines:  # otherwise the text only mentions a key
        yield Span(begin.start(), lines[-1], "private-key")


# -- Kubernetes' `kind: Secret`, as YAML or JSON ------------------------------------------------------------

MANIFEST_KIND = "kubernetes-secret"
MANIFEST_FIELDS = ("data", "stringData")
_MAX_LEVELS = 5  # levels of JSON in JSON
_ANY_KIND_SECRET = re.compile(r"(?:\b|(?<=\\n))kind(?:\\{0,40}[\"'])?:[ ]?(?:\\{0,40}[\"'])?Secret\b")
_KIND_SECRET = re.compile(r"\bkind[\"']?:[ ]?[\"']?Secret\b")
_ESCAPE = re.compile(r"\\([\\\"/nrt])")
_UNESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_DOCUMENT = re.compile(r"^(?:---|```|~~~)", re.MULTILINE)
_YAML = re.compile(
    r"^([ ]{0,40})(?P<field>data|stringData):[ ]*\n"
    r"(?P<values>(?:(?:\1[ ]+\S[^\n]*|[ ]*)(?:\n|\Z))++)",
    re.MULTILINE,
)
_YAML_VALUE = re.compile(  # after a name, or a line of a block
    r"^[ ]*+(?:[\"']?[\w.-]{1,128}[\"']?:[ ]+|(?![^\n]*:[ ]*[|>][+-]?[ ]*$))"
    r"(?P<q>[\"']?)(?P<secret>[^\s\"'|>#][^\n]*?)(?P=q)[ ]*$",
    re.MULTILINE,
)
_PAIR = r"\s{0,80}\"[^\"\\\n]{1,256}\"\s{0,8}:\s{0,8}\"((?:[^\"\\]|\\.)*+)\"\s{0,80},?"
_JSON = re.compile(
    rf"\"(?P<field>data|stringData)\"\s{{0,8}}:\s{{0,8}}\{{(?P<values>(?:{_PAIR})*)", re.DOTALL
)
_JSON_VALUE = re.compile(_PAIR.replace("((", "(?P<secret>("), re.DOTALL)
_MANIFEST_FORMS = ((_YAML, _YAML_VALUE), (_JSON, _JSON_VALUE))
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def _manifest(text: str, _lower: str, at: int) -> Iterator[Span]:
    """Find all values of Secrets in a text, at any level of quoting."""
    if _ANY_KIND_SECRET.search(text, max(0, at - 100), at + len("Secret") + 1):
        yield from _manifest_values(text, 0)
        yield Span(len(text), len(text), "")


def _manifest_values(text: str, level: int) -> Iterator[Span]:
    start = 0
    for mark in (*_DOCUMENT.finditer(text), None):
        end = mark.start() if mark else len(text)
        for field, value in _MANIFEST_FORMS if _KIND_SECRET.search(text, start, end) else ():
            for fields in field.finditer(text, start, end):
                for match in value.finditer(text, *fields.span("values")):
                    if is_manifest_value(fields["field"], match["secret"]):
                        yield Span(*match.span("secret"), MANIFEST_KIND)
        start = end
    if level < _MAX_LEVELS and "\\" in text and _ANY_KIND_SECRET.search(text):
        yield from decoded(
            text,
            _ESCAPE,
            lambda match: _UNESCAPED.get(match[1], match[1]),
            lambda inner: _manifest_values(inner, level + 1),
        )


def is_manifest_value(field: str, value: str) -> bool:
    """Whether a value may be a secret in this field; those of `data` are base64."""
    if not value or "[redacted:" in value:
        return False
    return field == "stringData" or (len(value) % 4 == 0 and _BASE64.fullmatch(value) is not None)


_GO_DSN = WordRule(
    "url-password",
    r"@(?i:tcp|unix|udp)$",
    r"(?<![\w.-])[\w.-]{1,40}:(?P<secret>[^\s:@/\"']{3,40})@(?i:tcp|unix|udp)\(",
)
# A line of curl's configuration file, which no single word identifies.
SETTING = pattern_rule(
    "login", "user = ", r"user = \"[^\s:\"]{1,64}:(?P<secret>[^\"\n]{2,256})\"", check=_is_not_port
)
RULES: list[Rule | WordRule] = [
    Rule(start="begin ", find=_key_file, anywhere=True),
    Rule(start='"kty', find=_jwk, anywhere=True),
    _GO_DSN,
    *(pattern_rule(kind, start, *row) for kind, starts, *row in _TABLE for start in starts.split(",")),
    *(_command_rule(name, pattern) for names, pattern in _COMMANDS for name in names.split()),
    Rule(start="secret", find=_manifest, anywhere=True),
]
