"""Recognise rules, decisions and open questions in sentences.

A rule forbids, demands or wishes something that lasts: a clause begins with such a word (`never`), or has
one (`every`, `must`) and is not narration. A question can only be open. Tables are matched against the
lower-case words and marks of a sentence, separated by spaces (a comma, dash or parenthesis is `;`); in a
table, `_` is a space and `*` the rest of a word.
"""

from __future__ import annotations

import re
from itertools import takewhile

from ..base.lazy import Pattern

LONGEST = 400  # characters of a sentence that may be a rule or a decision
FEWEST, DECIDES = 2, 3  # least words of a rule, of a decision

_WORDS = Pattern(r"[^\W_][\w'-]*(?:\.\w+)*|[.;:!?]")
_MARKS = str.maketrans(",\u2013\u2014()\u2019\u3001\uff0c", ";;;;;';;")
_QUOTED = Pattern(
    '["\u201c\u201e\xab\u300c\u300e][^"\u201c-\u201e\xab\xbb\u300c-\u300f]{9,}["\u201c\u201d\xbb\u300d\u300f]'
)
_TAGGED = Pattern("(?i), ?(?:ok|okay|right|yes|alright|ja|gut|vale|d'accord|好吗|好嗎)[?？]$")
_CLAUSES = Pattern(
    r"(?: [;:.!?])+ (?:(?:and|but|so|or|then|und|aber|also|dass|donc|y|pero|et|mais|e|ma) )?"
    r"| (?:and|but|so|then|just|und|aber|y|pero|et|mais|e|así que|donc) "
)
_OPENING = (
    r" (?:(?:and|but|also|so|then|just|ok|okay|hey|please|pls|important|oh|right|remember|that|to|again"
    r"|ever|really|absolutely|strictly|definitely|i said|i told you|bitte|und|außerdem|ausserdem|por favor"
    r"|generell|surtout|you|we) )*"
)


def _pattern(before: str, table: str, other: str = "") -> Pattern:
    words = re.sub(r"(?<![.)\]])\*", r"\\S*", "|".join(table.split()).replace("_", " "))
    return Pattern(f"{before}(?:{words}) {other}")


_RULE_STARTS = _pattern(
    _OPENING,
    r"""
    never always(?!_(?:in|on|at|with)_) don't do_not dont
    no(?!_(?:errors?|results?|changes?|match\S*|problem|idea|luck|thanks|worries)_$|_$)
    everything(?!_(?:seems|is|was|works|looks|else)_) zero only avoid refrain stick prefer limit(?!_is)
    ensure keep(?!_\S+in[g']_) leave treat quit stay nothing(?!_\S+s_) hands_off make_sure be_brief
    be_concise be_careful switch_to at_most switch_back_to call_me max maximum
    use(?!_(?:the|this|that|it|my|option)_) do_keep skip stop_*ing enough_with in_future from_now_on
    whenever every_time_i every_time_you if_you(?!_(?:want|like|need|could|can)_) if_unsure if_tests
    when_you when_in_doubt when_unsure i_want_every* i_want_all i_want_you_to i_need_all i_need_every*
    i_only i_prefer i'd_rather i'd_prefer i_don't_want i_dont_want i_do_not_want i_don't_eat i_insist
    i_forbid i_would_appreciate_it i'd_appreciate_it i'd_be_grateful i'm_allergic i_am_allergic i'm_veg*
    i_am_veg* you_needn't you_don't_need we_only we_use one_*_per less
    nie niemals immer nur stets kein keine keinen keiner nicht künftig in_zukunft ab_jetzt ab_sofort
    finger_weg verwende benutze nutze nimm antwort* schreib*(?!_mir) sprich nenn* frag* duze* sieze*
    höchstens ich_will_k* ich_will_nur ich_möchte_k* ich_bin_veg*
    nunca siempre(?!_me_|_se_) jamás sólo solo(?!_\S+o_|_queda) usa responde contést* respóndeme háblame
    pregúntame procura prohibido máximo nada_de ni ninguna no_me tutéame trátame todo_en
    toujours jamais désormais dorénavant uniquement seulement utilise réponds* ne n'* pas_de pas_d'*
    pas_plus aucune à_l'avenir tutoie* je_souhaite_que dès_que
    sempre non_*are non_*ere non_*ire não mai niente usate rispondi* responda
    """,
)
_OBLIGATION = _pattern(
    ".* ",
    r"""
    must mustn't shall shouldn't should_(?:not|never|always|only|stay|go|ever|be_in|work) forbidden banned
    prohibited mandatory required allowed acceptable read-only off_limits off-limits off_the_table a_no-go
    taboo from_now_on from_here_on from_today going_forward until_further_notice at_all_costs
    under_no_circumstances under_any_circumstances as_a_rule compatible unchanged untouched
    in_everything_you has_to have_to needs_to may_not may_only a_must insist
    (?:it's|is)_(?:crucial|important|essential)_(?:that|to) hard_requirement at_most at_least no_more_than
    needs go_through go_in goes_in goes_to belong belongs deadline_is limit_is_\d+
    verboten tabu auf_keinen_fall darf darfst dürfen muss müssen soll sollst sollen will_ich in_zukunft
    nichts_verloren
    a_partir_de_ahora quiero_que no_quiero está_prohibido debe deben no_se_pueden
    il_faut_que interdit je_ne_veux doit doivent d'ora_in_poi deve devono
    """,
)
_STANDING = _pattern(
    ".* ",
    r"""
    never always only every each all_(?!for_|i_|right_|the_|of_|set_)\S+ unless until without instead
    rather whenever before everywhere throughout ever prefer per longer_than first not
    (?:answer|reply|respond|speak|talk|explain)_(?:\S+_)*(?:in|as|with) write_(?:\S+_){1,2}in_the
    keine keinen keinem kein ohne nie immer nur stets grundsätzlich generell überall nirgends niemals bevor
    statt jede* alle allen jeweils nicht nichts
    nunca siempre sólo sin todos todas en_vez_de toujours jamais tous toutes chaque sempre mai tutti ogni
    """,
)
_CJK_RULE = Pattern(  # Chinese and Japanese have no spaces between words
    r".*(?:不要|不得|不准|不许|不可以|禁止|严禁|切勿|千万|务必|一定要|永远|只用|只准|只能由|仅|以后|今后|一律|始终"
    r"|一直用|请用|凡是|以内|都要|最多|尽量|绝对|(?<![我他])必须|前请?先|不能(?:改|动|删|碰|用|有|超)"
    r"|(?<![识分区特性级类个差告错])别(?![的人字名处])"
    r"|ないで|ずに|必ず|常に|絶対|だけ(?:に|を|で)|のみ|これから|次回から|以後|一切|てはいけ"
    r"|てほしい|こと[。 ]"
    r"|毎回|日本語で)"
)
_PRONOUN_FIRST = _pattern(  # begins a clause that demands nothing, whatever its verb
    r" (?:(?:and|but|so|also|if) )*",
    """
    i i'd i'll he she they there it's it'd that's let's he's she's i'm i've we've my his her their who what
    why where how if_there everyone das es er sie wir ich mein meine bei_uns él ella me mi il elle on je
    mon lui io ça c'est personne
    """,
)
_SUBJECT_FIRST = _pattern(  # begins a clause that only a verb makes a rule
    r" (?:(?:and|but|so|also|if|in|at) )*",
    """
    i i'm i've i'd i'll that's if_not he he's she she's they there it it's it'd let's this that we you who
    what why the a an my our your his her their every all each any das es er sie wir ich mein* dein* sein*
    unser* die der dem ein* dies* bei él ella me mi mia mio el los las la le les un une una nos ma mon je
    il elle on lui io ça c'est est* ce cette quest* tod* tous tutti o os a as
    """,
)
_NARRATION = _pattern(
    ".* ",
    r"""
    was were had did been got found yesterday since why failed i_think don't_know doesn't_know wonder
    as_far_as_i this_time no_idea never_mind no_problem no_worries not_found no_longer no_new_errors
    kidding (?<!stay_)(?<!remain_)the_same never_alone you_never_know no_way don't_worry
    always_happy_to as_they_say never_stop_being must_be_a must_be_the it_must_be don't_have
    must_have_(?:been|gone|come|broken|done|had|made|lost|\S+ed)
    every_time_i(?!_[^;]*;_(?!it_|the_|i_|my_)) every_time_it every_time_the
    immer_noch noch_immer noch_nie wie_immer jedes_mal war waren hat haben seit gestern warum früher
    estaba era había desde ayer me_pasa cada_vez tengo_que
    ha c'était était ont avait hier chaque_fois stato funziona consegui ogni_volta
    """,
    "|.*(?:ました|でした|ていた|だった|たびに|了[。 ;]|从来)",
)
_DECISION = _pattern(
    ".* ",
    r"""
    (?:i|we|i've|we've)_(?:\S+_)?(?:decided|chose|chosen|agreed|opted|rejected|picked|settled|dropped|kept)
    (?:i|we|i've|we've)_(?:\S+_)?(?:replaced|switched) decided verdict conclusion approved signed_off
    (?:i|we|i'm|we're)_(?:moved|removed|renamed|split|made|using|keeping)_(?:\S+_){2,12}(?:instead|because)
    (?:i|we|i'm|we're)_(?:moved|removed|renamed|split|made|using|keeping)_(?:\S+_){2,12}(?:since|not)
    decision_;_* the_decision_is_to ruled_out ended_up_with root_cause turns_out resolved_that the_plan_is
    my_pick_is in_favou?r_of settled_on
    (?:issue|problem|bug|cause|fix)_(?:is|was)(?!_clear|_obvious|_simple)
    let's_(?:use|go_with|keep|drop|stick|instead) is_what_we(?:'ll)? are_keeping going_with
    (?:i'll|we'll|i_will|we_will|going_to)_(?:stay|stick|settle|use|go|adopt|drop|treat|support|version)
    (?:we_\S+|it_is|it'll_be|will|stays?|remains?|rather_than|instead_of)_.*(?:because|since|due_to)
    (?:stays|remains|is_now)_\S+ entschieden beschlossen beschluss (?:es|wir)_(?:bleibt|bleiben)_bei
    wir_(?:nehmen|verwenden) statt_(?:\S+_){1,9}(?:ich|wir) he_decidido hemos_(?:decidido|optado)
    nos_quedamos_con optamos elegí optei decidi j'ai_(?:choisi|retenu) nous_(?:avons_choisi|gardons)
    on_passera abbiamo_scelto ho_scelto
    """,
    "|.*(?:决定|选定|选了|选用|采用|改用|就用|选择了|定为|ことにしました|に決め|採用)",
)
_UNDECIDED = _pattern(
    f"{_OPENING}(?:if|when|whether|should|could|would|suppose|perhaps|maybe|option|imagine) |.* ",
    r"""
    let_me let's_(?:see|check|look) i'll_(?:check|look|start) please_(?:confirm|provide|tell) you_could
    i_could we_could could_be would_be might may_be suspect no_root_cause don't_know
    (?:not|never|n't|haven't|isn't|aren't)_(?:yet|(?:been_)?(?:decided|agreed|chosen|settled|approved|found|know))
    (?:need|needs|want|awaits?)_(?:a|the|your)_decision (?:a|no|the|your)_decision_(?!is_to|was_to)\S+
    \S+_(?:file|files|sample)_(?:\S+_)*to_(?:read|look) noch_nichts? noch_nicht
    """,
    "|.*(?:没有决定|未决定|需要你|还没)",
)
_OPEN = _pattern(
    ".* ",
    r"""
    (?:not|never|n't|haven't|hasn't|isn't|wasn't)_(?:been_)?(?:decided|agreed|chosen|settled|approved)
    to-?do fixme tbd open_question still_ha(?:s|ve)_to next_steps? left_to_do follow-?up blocked on_hold
    still_(?:needs?|open|missing|unclear|broken|failing|pending|unknown) waiting_(?:for|on)
    not_(?:yet|done|finished|implemented|tested|sure) for_(?:later|tomorrow) unclear unresolved undecided
    remain(?:s|ing)?_(?:to|work|tasks?|issues?|steps?|questions?) untested nobody_(?:has|knows)
    someone_(?:has|should|must)_\S+ need_to_(?:find|check|decide|ask)
    haven't_(?:\S+_)?(?:looked|started|tested|checked|tried) offen noch_nicht ungeklärt unklar
    """,
    "|.*(?:待定|待办|尚未|还没|未解决|不确定|下一步)",
)
_REVOKES = _pattern(
    ".* ",
    """
    you_may you_can(?!_(?:see|read|look|find|tell|check|imagine|not|only|never)_) you're_allowed feel_free
    you_are_allowed you_are_free go_ahead no_longer_applies doesn't_apply no_longer_holds changed_my_mind
    forget ignore_the ignore_what disregard scrap drop_the lift lifted lifting take_that_back take_it_back
    is_off are_out after_all again_now is_allowed are_allowed fine_again ok_again okay_again  it's_ok_to
    it's_fine_to can_be_*ed acceptable you_don't_have_to you_don't_need_to don't_have_to no_need_to
    not_needed_anymore instead_of rather_than do_*_yourself
    du_darfst du_kannst vergiss aufgehoben doch_wieder wieder_auf musst_nicht ya_puedes puedes olvida
    ya_no_hace_falta finalement tu_peux oublie puoi esquece pode
    """,
    "|.*(?:可以(?:改|用|动|删|碰)|可以.*了|不用再|不必再|改用|取消|やっぱり|取り消|不要です|てもいい)",
)
_KEEPS = _pattern(
    ".* ",
    """
    may_not can_not cannot but however except only must never still stays if whether says (?<!i_)said
    thinks ask
    aber nur pero mais
    """,
)
_NEXT = Pattern(  # announces what comes next
    r" (?:(?:now|so|first|next|then|and|but|also|ok|okay|;) )*"
    r"(?:(?:\S+ )?let me|let's|i'll|i will|i need to|i have to|i should|i'm going to) "
)


def topic(sentence: str, *, user: bool) -> str:
    """Classify a sentence: `rule` (only a user's), `decision`, `open`, or ""."""
    if len(sentence) > LONGEST:
        return ""
    words = _words(sentence)
    states = not _TAGGED.sub("", sentence).endswith(("?", "？", ":", "："))
    count = len(sentence.split()) if sentence.isascii() else DECIDES
    if user and states and count >= FEWEST and _is_rule(words):
        return "rule"
    if states and count >= DECIDES and _DECISION.match(words) and not _UNDECIDED.match(words):
        return "decision"
    return "open" if _OPEN.match(words) and not _NEXT.match(words) else ""


def _is_rule(words: str) -> bool:
    if _NARRATION.match(words):
        return False
    clauses = [f" {clause} " for clause in _CLAUSES.split(words.strip(" .!;"))]
    if any(map(_RULE_STARTS.match, clauses)) or _CJK_RULE.match(words):
        return True
    if any(_OBLIGATION.match(clause) and not _PRONOUN_FIRST.match(clause) for clause in clauses):
        return True
    # clauses after one with a subject continue it
    orders = takewhile(lambda clause: not _SUBJECT_FIRST.match(clause), clauses)
    return any(map(_STANDING.match, orders))


def announces(sentence: str) -> bool:
    """Whether a sentence only announces its speaker's next step."""
    return _NEXT.match(_words(sentence)) is not None


def revokes(sentence: str) -> bool:
    """Whether a user's sentence revokes a rule."""
    if len(sentence) > LONGEST or sentence.endswith(("?", "？")):
        return False
    words = _words(sentence)
    return _REVOKES.match(words) is not None and not _KEEPS.match(words)


def _words(sentence: str) -> str:
    """The words and marks of a sentence without quotations, each between spaces."""
    plain = _QUOTED.sub(" ", sentence).lower().translate(_MARKS)
    return f" {' '.join(_WORDS.findall(plain))} "
