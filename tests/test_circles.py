"""No module needs one that needs it: not in a function, not for a type, nor as the package that it stands in."""

import ast
from graphlib import CycleError, TopologicalSorter

from support import ROOT

CODE = ROOT / "cli" / "codeh_history"


def modules():
    """Every module by its name; a package is its `__init__`."""
    paths = {path.relative_to(CODE.parent).with_suffix(""): path for path in CODE.rglob("*.py")}
    return {".".join(name.parts).removesuffix(".__init__"): path for name, path in paths.items()}


def needed(name, path, modules_by_name):
    """The modules that an import statement names, wherever in the file it stands."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    imports = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imports.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            names = [f"{base}.{alias.name}" for alias in node.names]
            imports.update(name if name in modules_by_name else base for name in names)
    return imports & modules_by_name.keys() - {name}


def test_no_module_needs_itself_by_way_of_others():
    paths = modules()
    graph = {name: needed(name, path, paths) for name, path in paths.items()}
    assert sum(map(len, graph.values())) > len(graph)  # the imports were found
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" → ".join(reversed(error.args[1]))) from None
