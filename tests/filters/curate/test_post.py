"""`post`: what a program added to a model's prose is taken out again; nothing else is touched."""

from codeh_history.filters.curate.passes import Settings, post
from codeh_history.session.ops import apply
from histories import call, model, session, user


def without(word):
    return lambda texts, ids: [text.replace(word, "") for text in texts]


def cleaned(messages, *words):
    view = session(messages)
    ops = post(view, Settings(removers=[without(word) for word in words]))
    return [message.parts for message in apply(view, ops).messages]


HM = {"text": "[ad] hm", "thought": True}


def test_only_texts_of_a_model_are_cleaned():
    messages = [user("[ad] a"), model("[ad] b", HM, call(args={"x": "[ad]"}), "c [ad]")]
    asked, (first, thought, called, last) = cleaned(messages, "[ad]")
    assert asked == [{"text": "[ad] a"}]
    assert (first, last) == ({"text": " b"}, {"text": "c "})
    assert (thought, called) == (HM, call(args={"x": "[ad]"}))


def test_removers_clean_one_after_the_other():
    assert cleaned([model("a[[ad]ad]b")], "[ad]", "[ad]") == [[{"text": "ab"}]]


def test_an_emptied_text_goes_but_not_its_signature():
    signed = {"text": "[ad]", "thoughtSignature": "s"}
    assert cleaned([model("[ad]", signed, "b")], "[ad]") == [[{**signed, "text": ""}, {"text": "b"}]]


def test_where_nothing_is_found_or_asked_for_nothing_is_done():
    view = session([model("a")])
    assert post(view, Settings(removers=[without("z")])) == []
    assert post(view, Settings()) == []


def test_a_remover_is_told_whose_each_text_is():
    told = []

    def clean(texts, ids):
        told.extend(zip(ids, texts, strict=True))
        return list(texts)

    post(session([user("a"), model("b", "c"), model("d")]), Settings(removers=[clean]))
    assert told == [("m1", "b"), ("m1", "c"), ("m2", "d")]
