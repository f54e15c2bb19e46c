"""The verbs, a file or a folder each: `Options` are its options, `run` runs it.

A verb's module is imported only when the verb runs or its help is printed.
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
COMMANDS = (*SHOWN, "repair", "commit")  # the last two are aliases of `curate` and `update`
HOMES = {"Curation": "curate", "Compaction": "compact"}  # help sections → the verb that owns them
COMPLETE = "_CODEH_HISTORY_COMPLETE"  # environment variable that a shell's completion script sets
_RESERVED = ("list", "import", "set")  # Python keywords and builtins: their modules end in an underscore


def module_of(verb: str) -> Any:
    """Import a verb's module: `Options`, `run` (None or an exit code), maybe `EXAMPLES` and `STRAY`."""
    return module(f"{__name__}.{verb}_" if verb in _RESERVED else f"{__name__}.{verb}")
