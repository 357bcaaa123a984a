"""The package's own structure, read from its sources: who imports whom, and which rooms there are."""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "xalign_fairseq"
# From the top floor down: a room imports only from rooms further down. The face of the package, its __init__.py,
# names what is imported from the top; registration is what makes the folder a --user-dir.
FLOORS = (
    *(
        "__main__",
        "cli",
        "reports",
        "__init__",
        "aligner",
        "statistical",
        "registration",
        "tasks",
        "criterions",
        "training",
    ),
    *("objectives", "optim", "transfer", "languages"),
    *("compat", "models", "pretrained", "encoder", "evaluation", "plots", "data", "transport", "sample", "links"),
    *("labelled", "ops", "launch", "text"),
    *("json_files", "files", "errors", "version"),
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


def circles(found: dict[str, set[str]]) -> list[list[str]]:
    """Modules that import one another in a circle: what is left when whoever imports nothing left is taken away."""
    left = {name: set(others) for name, others in found.items()}
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    while free := [name for name in left if not any(name in others for others in left.values())]:
        for name in free:
            del left[name]
    return [sorted(left)] if left else []


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
