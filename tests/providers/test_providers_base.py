"""What a declaration of a tool begins with, and what is asked for where nothing is."""

from codeh_history.providers.base import Options, Tool


def tool(description):
    return Tool(
        name="f", description=description, parameters={}, extra={}, native=None, shape="", source={}
    )


def test_a_declaration_begins_with_the_name_that_is_sent():
    assert tool(None).head("f_1") == {"name": "f_1"}
    assert tool("").head("f") == {"name": "f", "description": ""}
    assert list(tool("does").head("f")) == ["name", "description"]


def test_nothing_is_asked_for_unless_it_is_said():
    asked = Options(model="m", stream=True)
    assert (asked.model, asked.stream, asked.faithful, asked.trace, asked.cache) == (
        "m",
        True,
        False,
        False,
        False,
    )
    assert (asked.system, asked.max_tokens, [*asked.tools], asked.settings) == (None, None, [], {})
