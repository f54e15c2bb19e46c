"""The verbs, a file or a folder each: `Options` are its options, `run` runs it.

A verb is imported only when it is called, or when its help is asked for.
"""

from ..base import Any
from ..base.lazy import module

SECTIONS = {
    "Talk": "append payload ask chat calls".split(),
    "Look": "status show last list search stats usage verify expand context".split(),
    "Filter": "curate compact summarize redact fixture persist hydrate".split(),
    "Change": "update clear undo set config".split(),
    "Keep and share": "fork import export sync rescue rm prune gc store completion".split(),
    "Build on": ["serve"],
}
FIRST = "append payload ask chat show list curate compact summarize".split()  # of the short help
SHOWN = tuple(name for names in SECTIONS.values() for name in names)
COMMANDS = (*SHOWN, "repair", "commit")  # the last two: aliases of `curate` and `update`
HOMES = {"Curation": "curate", "Compaction": "compact"}  # whose options these are, in other verbs' help too
COMPLETE = "_CODEH_HISTORY_COMPLETE"  # variable by which a shell's script asks for completions
_RESERVED = ("list", "import", "set")  # words of Python's own: their modules end in an underscore


def module_of(verb: str) -> Any:
    """The module of a verb: `Options`, `run` (None or the exit code), perhaps `EXAMPLES` and `STRAY`."""
    return module(f"{__name__}.{verb}_" if verb in _RESERVED else f"{__name__}.{verb}")
