_codeh_history_completion() {
    local IFS=$'
'
    COMPREPLY=( $( env COMP_WORDS="${COMP_WORDS[*]}" \
                   COMP_CWORD=$COMP_CWORD \
                   _CODEH_HISTORY_COMPLETE=complete_bash $1 ) )
    return 0
}

complete -o default -F _codeh_history_completion codeh-history
