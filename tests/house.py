"""The package's own structure, read from its sources: who imports whom, and which rooms there are."""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "xalign_fairseq"
# From the top floor down: a room imports only from rooms further down. The face of the package, its __init__.py,
# names what is imported from the top; registration is what makes the folder a --user-dir.
FLOORS = (
    *("__main__", "cli", "__init__", "aligner"),
    *("registration", "tasks", "criterions", "models"),
    *("transfer", "training", "objectives", "trainer", "languages", "evaluation"),
    *("encoder", "data", "transport", "links", "core"),
)


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that a module imports, wherever in it, once for each statement."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports relatively"
            if node.module in known:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield inner if inner in known else node.module


def arrows() -> dict[str, set[str]]:
    """Module -> the modules that it imports."""
    known = modules()
    return {name: set(imports(name, path, known)) - {name} for name, path in known.items()}


def room(module: str) -> str:
    """The folder or file below the package that a module is in."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def upward(found: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The imports of another room that is not further down."""
    return [
        (one, other)
        for one, others in found.items()
        for other in sorted(others)
        if room(one) != room(other) and FLOORS.index(room(one)) >= FLOORS.index(room(other))
    ]


def folder_arrows(found: dict[str, set[str]], folder: str) -> dict[str, set[str]]:
    """The imports among what stands in a folder: its files, and its subfolders, each with all that is below it."""
    depth = folder.count(".") + 2

    def child(module: str) -> str | None:
        parts = module.split(".")
        if not f"{module}.".startswith(f"{folder}."):
            return None
        return ".".join(parts[:depth]) if len(parts) >= depth else f"{folder}.__init__"

    inside: dict[str, set[str]] = {}
    for one, others in found.items():
        if here := child(one):
            inside.setdefault(here, set()).update(
                there for other in others if (there := child(other)) not in (None, here)
            )
    return inside


def folders(found: dict[str, set[str]]) -> list[str]:
    """Every folder of the package, the package itself first."""
    return sorted({module.rsplit(".", depth)[0] for module in found for depth in range(1, module.count(".") + 1)})


def circles(found: dict[str, set[str]]) -> list[list[str]]:
    """What imports one another in a circle: modules, and at every depth the files and folders of one folder."""
    every = [_circle(found), *(_circle(folder_arrows(found, folder)) for folder in folders(found))]
    return [circle for circle in every if circle]


def _circle(found: dict[str, set[str]]) -> list[str]:
    """What is left when whoever imports nothing that is left, or is imported by nothing, is taken away."""
    left = {name: set(others) for name, others in found.items()}
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    while free := [name for name in left if not any(name in others for others in left.values())]:
        for name in free:
            del left[name]
    return sorted(left)


def has_logic(path: Path) -> bool:
    """Whether a module has a function, or a class a method, that does something."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(
        not isinstance(statement, ast.Pass)
        and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))  # a docstring, an ...
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, functions)
        for statement in node.body
    )


def own_test(path: Path, package: Path = PACKAGE) -> Path:
    """Where a module's test stands below tests/: of a/b/_c.py it is a/b/test_c.py, of a/b/__init__.py a/b/test_b.py."""
    folder = path.relative_to(package).parent
    stem = path.parent.name if path.stem == "__init__" else path.stem.lstrip("_")
    return folder / f"test_{stem}.py"


def lines_by_room() -> dict[str, int]:
    """Lines of Python, C++, CUDA, CSS and JavaScript in each room."""
    counts: dict[str, int] = dict.fromkeys(FLOORS, 0)
    for kind in ("py", "h", "cpp", "cu", "css", "js"):
        for path in PACKAGE.rglob(f"*.{kind}"):
            parts = path.relative_to(PACKAGE).parts
            counts[parts[0].removesuffix(".py")] += len(path.read_text(encoding="utf-8").splitlines())
    return counts
