"""Windows by the programs' own settings: the smallest that is given to a model, nothing where none is."""

import pytest

from codeh_history.programs.windows import smallest

PI = """{ // ours
  "providers": {
    "a": {"baseUrl": "http://x//y", "models": [{"id": "m", "contextWindow": 32000,}, {"id": "n"}]},
    "b": {"models": [{"id": "m", "contextWindow": 64000}], "modelOverrides": {"o": {"contextWindow": 16000}}},
  },
}"""


@pytest.mark.parametrize(
    ("program", "settings", "model", "window"),
    [
        ("pi", PI, "m", 32_000),
        ("pi", PI, "n", 128_000),
        ("pi", PI, "o", 16_000),
        ("pi", PI, "p", None),
        (
            "pi",
            '{"providers": {"a": 5, "b": {"models": [5, {"id": "m", "contextWindow": -1}]}}}',
            "m",
            None,
        ),
        ("pi", "{", "m", None),
        ("codex", "model_context_window = 8000", "m", 8000),
        ("codex", 'model = "n"\nmodel_context_window = 8000', "m", None),
        ("codex", "model_context_window = [", "m", None),
        (
            "opencode",
            '{"provider": {"a": {"models": {"m": {"limit": {"context": 9000, "output": 1}}}}}}',
            "m",
            9000,
        ),
        ("opencode", "[]", "m", None),
    ],
)
def test_the_smallest_window_that_is_given(program, settings, model, window):
    assert smallest(program, settings.encode(), model) == window
