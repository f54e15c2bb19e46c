"""Names in a summary that its source does not have: refused; and honest summaries of real conversations: taken."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from codeh_history.session.exchanges import exchanges
from codeh_history.summaries import gate, transcript
from codeh_history.summaries.gate import names
from summaries.recorded import coding, support, view_of
from support import ROOT, corpus

SOURCE = """\
[2026-01-15T10:00:00Z] User: Please ask Sarah Novak whether the Wien office moves orders-api to the CI runners.
Assistant: I edited src/retry.py; OrderService waits now. The rolling window is in place. Автор живёт в Праге.
L_C_D_ panel, project manager, Quality Assurance, 使用Postgres的用户 and データベース テーブル メッセージ here.
"""


def found(text: str) -> list[str]:
    return names.invented(text, names.Words(SOURCE))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("The team moved to Kubernetes in Berlin.", ["Kubernetes", "Berlin"]),
        ("It was agreed with Maria Schneider from Fabrikam.", ["Maria Schneider", "Fabrikam"]),
        ("Kubernetes was chosen.", ["Kubernetes"]),
        ("They use `FooBarService` now.", ["FooBarService"]),
        ("NATO decided.", ["NATO"]),
        ("She lives in the city, i.e. Gotham.", ["Gotham"]),
        ('It is called "Aurora" now.', ["Aurora"]),
        ("- **Owner**: they asked Tina", ["Tina"]),
        ("They asked Sara Novak and Zara.", ["Sara", "Zara"]),
        ("Das Team betreibt Kubernetes in Berlin.", ["Kubernetes", "Berlin"]),
        ("Es wurde mit Frau Weidenbach besprochen.", ["Weidenbach"]),
        ("L'équipe travaille avec Jean Dupont à Lyon.", ["Jean Dupont", "Lyon"]),
        ("El usuario vive en Sevilla.", ["Sevilla"]),
        ("Команда работает в Берлине с Анной.", ["Берлине", "Анной"]),
        ("Η ομάδα εργάζεται στο Βερολίνο.", ["Βερολίνο"]),
        ("用户决定使用Kubernetes。", ["Kubernetes"]),
        ("安格拉·默克尔参加了会议。", ["安格拉·默克尔参加了会议"]),
        ("ユーザーはクバネティスを使う。", ["クバネティス"]),
        ("山本さんが承認した。", ["山本さん"]),
        ("Der Nutzer wohnt in Heidelberg.", ["Heidelberg"]),
        ("Das Fenster ist nun an der Stelle, die der Nutzer nannte. The service runs on Nomad.", ["Nomad"]),
        ("المستخدم يستخدم Kubernetes الآن", ["Kubernetes"]),
    ],
)
def test_a_name_that_the_source_does_not_have_is_told(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Sarah was asked about Wien; Novak's answer is open. SARAH NOVAK agreed.",
        "## Key Topics Discussed\n- **User Preference**: short\n**Open Questions**\nFiles Modified: src/retry.py",
        "The Assistant edited Python code; the Order Service and the OrdersApi wait.",
        "The Rolling Window is done. I'd say so. Dr. Novak agrees, e.g. on Thursday, January 15.",
        "The LCD panel, the PM and the QA team were named; they rely on Continuous Integration.",
        'The user said: "Please ask again". Then "Ask Sarah" was the answer.',
        "1. Done. Then → Tested; Added docs | Reviewed\nEdited src/retry.py. Verified it.",
        "Er bevorzugt kurze Antworten ohne Einleitung, möchte Tests vor jeder Änderung sehen und legt Wert auf Code.",
        "Besprochen wurden Fehlerbehandlung, Datenbankstruktur und Engpässe; die Spaltenbreite bleibt, mit Sarah geklärt.",
        "Автор спросил о Праге.",
        "用户使用Postgres。",
        "ユーザーはデータベースを使う。",
        "L'utilisateur a demandé à Sarah. Il préfère le français.",
    ],
)
def test_what_is_no_new_name_is_taken(text: str) -> None:
    assert found(text) == []


# -- real conversations -----------------------------------------------------------------------------

HONEST: list[dict[str, Any]] = orjson.loads((ROOT / "tests/summaries/honest.json").read_bytes())
INVENTED = (
    "The team also moved the cluster to Kubernetes in Berlin.",
    "Work continues with Maria Schneider from Contoso.",
    "The user prefers to deploy on Azure with Terraform.",
    "The results were presented in Madrid to the Siemens board.",
    "Das Team betreibt Kubernetes in Berlin.",
    "Auch Herr Weidenbach von Fabrikam wurde gefragt.",
    "L'équipe utilise Kubernetes à Lyon avec Pierre Dupont.",
    "Команда использует Кубернетес в Берлине.",
)


def batches() -> list[tuple[str, Any]]:
    """Each honest summary with the messages that it is of."""
    talks, sessions = support(), exchanges(view_of(coding()).messages)
    result = []
    for entry in HONEST:
        kind, _, name = entry["of"].partition(" ")
        if kind == "meeting":
            turns = orjson.loads(corpus("meetings", f"{name}.json").read_bytes())["turns"]
            said = [f"{who}: {text}" for who, text in turns[entry["first"] : entry["last"]]]
            messages = view_of(
                {"kind": "user", "role": "user", "parts": [{"text": text}]} for text in said
            ).messages
        elif kind == "support":
            messages = view_of(talks[int(name)]).messages
        else:
            messages = [message for group in sessions[entry["first"] : entry["last"]] for message in group]
        result.append((entry["summary"], messages))
    return result


def test_honest_summaries_are_taken_and_an_invented_sentence_is_not() -> None:
    """20 real batches, five of the summaries in German: false refusals and catches, printed."""
    false, caught, tried = [], 0, 0
    for summary, messages in batches():
        source = transcript.source(messages, [str(len(messages))])
        prompt = "\n".join(transcript.entries(messages)) + "x " * 2000

        false += gate.problems(summary, source, prompt, tokens=(10, 1000))
        words = names.Words(source)
        for sentence in INVENTED:
            tried += 1
            caught += bool(names.invented(f"{summary} {sentence}", words))
    print(
        f"honest summaries refused: {len(false)}/{len(HONEST)} {false}; inventions caught: {caught}/{tried}"
    )
    assert len(HONEST) == 20
    assert len(false) <= 1
    assert caught >= 0.98 * tried
