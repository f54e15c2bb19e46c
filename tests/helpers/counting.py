"""A text that is counted anew, with a vocabulary of this folder."""

from codeh_history.store.cache import Cache
from codeh_history.tokens import open_counter, vocabulary

NAME = "o200k_base"


def count(folder, text="hello world, as it is counted"):
    vocabulary._built.clear()
    return open_counter(None, cache=Cache(str(folder))).counts([text])
