"""Completion scripts for shells, written from a table of the verbs.

What a word can be: `session`, `profile`, `model`, `file`, `any` text, or words joined by commas, of
which one that ends in `=` goes on. After `--restore` stands a session of the trash, after `@` a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """An option: its names, what its value can be ("" for a flag), and its help."""

    names: tuple[str, ...]
    value: str
    help: str


@dataclass(frozen=True)
class Verb:
    """A verb: its options, and what its arguments can be, in order (`+` at the end: so are all others)."""

    name: str
    help: str
    options: tuple[Option, ...]
    arguments: tuple[str, ...]


BASH = """\
# Completion of codeh-history for bash: eval "$(codeh-history completion bash)"
_codeh_history_table() {
    case $1 in
%s
    *) options= values= arguments= ;;
    esac
}
_codeh_history_sessions() {
    local file name
    for file in "${CODEH_HOME:-$HOME/.codeh}/sessions/$1"*.json*; do
        name=${file##*/} name=${name%%.json*}
        [[ -e $file && $name =~ ^[A-Za-z0-9][A-Za-z0-9_-]*$ ]] && COMPREPLY+=("$name")
    done
}
_codeh_history_profiles() {
    sed -n 's/^ *\\[profile\\.\\([A-Za-z0-9_-]*\\).*/\\1/p' \\
        "${CODEH_CONFIG:-${CODEH_HOME:-$HOME/.codeh}/config.toml}" 2>/dev/null | sort -u
}
_codeh_history_trash() {
    local file name
    for file in "${CODEH_HOME:-$HOME/.codeh}/trash/$1"*.json*; do
        name=${file##*/} name=${name%%%%.*}
        [[ -e $file && $name =~ ^[A-Za-z0-9][A-Za-z0-9_-]*$ ]] && COMPREPLY+=("$name")
    done
}
_codeh_history_models() {
    cd "${CODEH_HOME:-$HOME/.codeh}/sessions" 2>/dev/null || return
    ls -t | head -n 20 | while IFS= read -r file; do
        grep -hoE '"model(\\.[a-z-]+)?": ?"[A-Za-z0-9._/-]+"' -- "$file"
    done | sed 's/"$//; s/.*"//' | sort -u
}
_codeh_history() {
    local cur=${COMP_WORDS[COMP_CWORD]} restore= verb= kind= word i at=0 options values arguments
    COMPREPLY=()
    [[ $cur == "=" ]] && cur=
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        [[ $verb == rm && $word == --restore ]] && restore=1
        if [[ $word == "=" ]]; then
            continue
        elif [[ -z $verb ]]; then
            verb=$word
            _codeh_history_table "$verb"
        elif [[ -n $kind ]]; then
            kind=
        elif [[ $values == *" $word:"* ]]; then
            kind=${values#*" $word:"} kind=${kind%%%% *}
        elif [[ $word != -?* ]]; then
            at=$((at + 1))
        fi
    done
    if [[ -z $verb ]]; then
        kind=%s
    elif [[ -z $kind && $cur == -* ]]; then
        kind=${options// /,}
    elif [[ -z $kind ]]; then
        local kinds=($arguments)
        kind=${kinds[at]}
        [[ -z $kind && $arguments == *+ ]] && kind=${kinds[${#kinds[@]} - 1]}
        kind=${kind%%+}
    fi
    [[ $restore && $kind == session ]] && kind=trash
    [[ $cur == @* && $kind != session ]] && kind=at
    case $kind in
    session) _codeh_history_sessions "$cur" ;;
    trash) _codeh_history_trash "$cur" ;;
    profile) COMPREPLY=($(compgen -W "$(_codeh_history_profiles)" -- "$cur")) ;;
    model) COMPREPLY=($(compgen -W "$(_codeh_history_models)" -- "$cur")) ;;
    at)
        while IFS= read -r word; do
            COMPREPLY+=("$word")
        done < <(compgen -P @ -f -- "${cur#@}")
        ;;
    file | any | "") ;;
    *=)
        [[ ${COMP_WORDS[COMP_CWORD - 1]} == "=" || $cur == *=* ]] && return
        compopt -o nospace 2>/dev/null
        COMPREPLY=($(compgen -W "${kind//,/ }" -- "$cur"))
        ;;
    *) COMPREPLY=($(compgen -W "${kind//,/ }" -- "$cur")) ;;
    esac
}
complete -o default -F _codeh_history codeh-history
"""

ZSH = """\
#compdef codeh-history
# Completion of codeh-history for zsh: eval "$(codeh-history completion zsh)"
_codeh_history_table() {
    case $1 in
%s
    *) options= values= arguments= ;;
    esac
}
_codeh_history_sessions() {
    local file
    local -a names
    for file in "${CODEH_HOME:-$HOME/.codeh}/$1"/*.json*(N); do
        names+=("${${file:t}%%%%.*}")
    done
    compadd -a names
}
_codeh_history_models() {
    cd -q "${CODEH_HOME:-$HOME/.codeh}/sessions" 2>/dev/null || return
    ls -t | head -n 20 | while IFS= read -r file; do
        grep -hoE '"model(\\.[a-z-]+)?": ?"[A-Za-z0-9._/-]+"' -- "$file"
    done | sed 's/"$//; s/.*"//' | sort -u
}
_codeh_history_profiles() {
    compadd -- ${(f)"$(sed -n 's/^ *\\[profile\\.\\([A-Za-z0-9_-]*\\).*/\\1/p' \\
        "${CODEH_CONFIG:-${CODEH_HOME:-$HOME/.codeh}/config.toml}" 2>/dev/null | sort -u)"}
}
_codeh_history() {
    local cur=$words[CURRENT] folder=sessions verb= kind= word i at=1 options values arguments
    for ((i = 2; i < CURRENT; i++)); do
        word=$words[i]
        [[ $verb == rm && $word == --restore ]] && folder=trash
        if [[ -z $verb ]]; then
            verb=$word
            _codeh_history_table "$verb"
        elif [[ -n $kind ]]; then
            kind=
        elif [[ $values == *" $word:"* ]]; then
            kind=${values#*" $word:"} kind=${kind%%%% *}
        elif [[ $word != -?* ]]; then
            at=$((at + 1))
        fi
    done
    if [[ -z $verb ]]; then
        kind=%s
    elif [[ -z $kind && $cur == --*=* && $values == *" ${cur%%%%=*}:"* ]]; then
        kind=${values#*" ${cur%%%%=*}:"} kind=${kind%%%% *}
        compset -P '*='
    elif [[ -z $kind && $cur == -* ]]; then
        kind=${options// /,}
    elif [[ -z $kind ]]; then
        local -a kinds=(${=arguments})
        kind=$kinds[at]
        [[ -z $kind && $arguments == *+ ]] && kind=$kinds[-1]
        kind=${kind%%+}
    fi
    if [[ $cur == (*=|)@* && $kind != session ]]; then
        compset -P '*@'
        kind=file
    fi
    case $kind in
    session)
        _codeh_history_sessions $folder
        [[ $folder == trash ]] || _files -g '*.json*'
        ;;
    profile) _codeh_history_profiles ;;
    model) compadd -- ${(f)"$(_codeh_history_models)"} ;;
    file | any | "") _files ;;
    *=) compadd -S '' -- ${(s:,:)kind} ;;
    *) compadd -- ${(s:,:)kind} ;;
    esac
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _codeh_history codeh-history
"""

FISH = """\
# Completion of codeh-history for fish: codeh-history completion fish | source
function __codeh_history_sessions
    set -l home (set -q CODEH_HOME; and echo $CODEH_HOME; or echo ~/.codeh)
    set -l folder (contains -- --restore (commandline -opc); and echo trash; or echo sessions)
    for file in $home/$folder/*.json*
        string replace -rf '.*/([A-Za-z0-9][A-Za-z0-9_-]*)\\.([0-9]+\\.)?jsonl?$' '$1' -- $file
    end
end
function __codeh_history_models
    set -l home (set -q CODEH_HOME; and echo $CODEH_HOME; or echo ~/.codeh)
    for file in (command ls -t $home/sessions 2>/dev/null | head -n 20)
        grep -hoE '"model(\\.[a-z-]+)?": ?"[A-Za-z0-9._/-]+"' -- $home/sessions/$file
    end | string replace -r '"$' '' | string replace -r '.*"' '' | sort -u
end
function __codeh_history_at
    set -l word (commandline -ct)
    set -l before (string match -r '^(?:[^=@]*=)?@' -- $word)
    or return
    string replace -r '^' $before -- (__fish_complete_path (string replace -- $before '' $word))
end
function __codeh_history_profiles
    set -l home (set -q CODEH_HOME; and echo $CODEH_HOME; or echo ~/.codeh)
    set -l file (set -q CODEH_CONFIG; and echo $CODEH_CONFIG; or echo $home/config.toml)
    test -r $file; and string replace -rf '^ *\\[profile\\.([A-Za-z0-9_-]*).*' '$1' < $file | sort -u
end
"""


def bash(verbs: Sequence[Verb]) -> str:
    return BASH % (_table(verbs), ",".join(verb.name for verb in verbs))


def zsh(verbs: Sequence[Verb]) -> str:
    return ZSH % (_table(verbs), ",".join(verb.name for verb in verbs))


def _table(verbs: Sequence[Verb]) -> str:
    """A line for each verb, the same for both shells; no word in it holds a quote or a blank."""
    return "\n".join(f"    {verb.name}) {_line(verb)} ;;" for verb in verbs)


def _line(verb: Verb) -> str:
    options = " ".join(name for option in verb.options for name in option.names)
    values = " ".join(f"{name}:{o.value}" for o in verb.options if o.value for name in o.names)
    return f"options='{options}' values=' {values}' arguments='{' '.join(verb.arguments)}'"


def fish(verbs: Sequence[Verb]) -> str:
    lines = []
    for verb in verbs:
        lines.append(
            f"complete -c codeh-history -n __fish_use_subcommand -f -a {verb.name} -d {_quoted(verb.help)}"
        )
        seen = f"complete -c codeh-history -n '__fish_seen_subcommand_from {verb.name}'"
        lines += [f"{seen} {_fish_option(option)}" for option in verb.options]
        lines += [f"{seen} {_fish_value(kind.rstrip('+'))}" for kind in dict.fromkeys(verb.arguments)]
    return FISH + "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
    value = [f"-r {_fish_value(option.value)}"] if option.value else []
    return " ".join([*names, *value, f"-d {_quoted(option.help)}"])


def _fish_value(kind: str) -> str:
    if kind in ("session", "profile", "model"):
        return f"-f -a '(__codeh_history_{kind}s)'"
    if kind in ("file", "any"):
        return "-F -a '(__codeh_history_at)'"
    at = " (__codeh_history_at)" if kind.endswith("=") else ""
    return f"-f -a {_quoted(kind.replace(',', ' ') + at)}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SHELLS: dict[str, Callable[[Sequence[Verb]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
