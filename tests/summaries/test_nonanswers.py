"""Answers that are not summaries are refused by how they begin or by their words; summaries that mention such things pass."""

import pytest

from codeh_history.summaries.gate import problems

SOURCE = "The user asked about a parser, a pond and a flight; the assistant answered. " * 40
REFUSED = {
    "it is blank": "...\n👍\n[]\n{}",
    "it has no content": """
ok
OK.
Okay!
Done.
Sure!
Here is the summary:
Here's a concise summary of the conversation:
Summary:
Understood.
N/A
null
true
Bus error
42
429 RESOURCE_EXHAUSTED
Zugriff verweigert
D'accord.
""",
    "error text": """
Segmentation fault (core dumped)
sh: 1: llm: not found
zsh: killed     llm
Killed
Out of memory
You exceeded your current quota, please check your plan and billing details.
You've reached your usage limit for this model.
Rate limit reached for gpt-4 in organization org-x on tokens per min.
Error: insufficient credits
Error: 429 Too Many Requests
RuntimeError: CUDA error
Quota exceeded for metric: generate_content
Model is overloaded
Service temporarily unavailable. Please try again later.
Internal server error
502 Bad Gateway
<!DOCTYPE html><html><title>502 Bad Gateway</title>
Request timed out.
Connection reset by peer
curl: (6) Could not resolve host
Traceback (most recent call last):
No such file or directory
exit status 1
{"detail":"Not Found"}
{"message":"Internal server error"}
{"error":{"message":"overloaded","type":"overloaded_error"}}
[{"error":{"code":429}}]
""",
    "refusal": """
I can't help with that.
I\u2019m sorry, I cannot assist with this request.
I cannot summarize this conversation.
I'm not able to help with that.
I won't be able to summarize this.
Sorry, I can't do that.
My apologies, but I must decline.
Unfortunately, I am unable to process this.
As an AI language model, I do not have access to files.
Please provide the conversation you would like me to summarize.
There is no conversation to summarize.
No summary generated.
""",
    "that its source does not have": """
Invalid API key · Please run /login
Failed to connect to localhost port 11434
""",
    "none of its words": """
llama_model_load: error loading model
Input is too long for requested model
CUDA out of memory. Tried to allocate 2.00 GiB
Sure, here you go.
Claude AI usage limit reached
It looks like you haven't provided any text.
The response was blocked due to safety.
I understand. I'm ready when you are.
Es tut mir leid, aber dabei kann ich nicht helfen.
Ein Fehler ist aufgetreten.
Das Kontingent ist erschöpft. Bitte versuchen Sie es später erneut.
Je suis désolé, mais je ne peux pas vous aider.
Le serveur est surchargé.
""",
}
SUMMARIES = """
The user hit a segmentation fault in parser.c and the assistant fixed a null pointer.
- Error: missing semicolon in a.c was fixed.
Segmentation faults in the parser were traced to a missing check.
The user exceeded their quota and asked for a refund.
Rate limiting was added to the API client; 429 answers are retried.
The user asked why "I'm sorry, I can't help with that" appears; the cause was the system prompt.
Permission denied errors while deploying were solved by fixing the owner of the folder.
Failed builds were repaired. Tests pass.
The assistant apologised: it could not find the file at first, and found it later in src.
Timeout of the request was raised to 30 seconds.
No decisions were made about the design.
There was no conversation about prices; only dates mattered.
Ok-button of the dialog was renamed; tests were adapted.
User asked about tea.
Access to the server was denied at first; the key was renewed.
Unauthorized requests are now rejected with 401.
Connection refused errors came from a stopped database.
Overloaded methods were merged into one.
Please note the user's preference: short answers.
Sorry states of the UI were cleaned up.
Unknown models now raise an error; the user wanted exit code 2.
Der Nutzer fragte, warum das Kontingent überschritten wurde, und erhöhte das Limit.
Es ging um Fehlermeldungen: "Zugriff verweigert" trat beim Schreiben auf.
L'utilisateur préfère les réponses courtes et a corrigé une erreur de quota.
用户讨论了部署方案。
"""


def reasons(text, source=SOURCE):
    return "; ".join(problems(text, source, "x " * 2000, 1000, lambda texts: [1]))


@pytest.mark.parametrize(
    ("reason", "text"),
    [(reason, text) for reason in REFUSED for text in REFUSED[reason].split("\n") if text],
)
def test_what_is_not_a_summary_is_refused(reason, text):
    assert reason in reasons(text)


@pytest.mark.parametrize("text", SUMMARIES.strip().split("\n"))
def test_a_summary_that_mentions_an_error_or_a_refusal_passes(text):
    assert reasons(text, SOURCE + text) == ""
