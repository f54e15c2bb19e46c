"""No module needs one that needs it: not in a function, not for a type, nor as the package that it stands in."""

from graphlib import CycleError, TopologicalSorter

import grimp


def test_no_module_needs_itself_by_way_of_others():
    graph = grimp.build_graph("codeh_history", cache_dir=None)
    needed = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    assert sum(map(len, needed.values())) > len(needed)  # the imports were found
    try:
        TopologicalSorter(needed).prepare()
    except CycleError as error:
        raise AssertionError(" → ".join(reversed(error.args[1]))) from None
