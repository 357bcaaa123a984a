#!/usr/bin/env python3
"""Count what makes the package hard to maintain: lines, rooms, imports, signatures, exceptions.

usage: structure.py

``tests/test_house.py`` has a ceiling for each of these numbers; scripts/document_house.py puts them on the page.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "xalign_fairseq"
FLAG = re.compile(r"--[a-z]|\bxalign [a-z]")
SPEAKING = ("XalignError", "say", "debug", "info", "warning", "error")
MOST_PARAMETERS = 8
# From top to bottom: a room imports only from rooms further down.
FLOORS = (
    *("__main__", "cli", "__init__", "projection", "aligner"),
    *("registration", "tasks", "criterions", "models"),
    *("transfer", "training", "objectives", "trainer", "languages", "evaluation"),
    *("encoder", "data", "transport", "links", "core"),
)


@cache
def tree(code: str) -> ast.Module:
    """A file's syntax tree, parsed once."""
    return ast.parse(code)


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The package's modules that a module imports, anywhere in it, once per statement."""
    for node in ast.walk(tree(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports relatively"
            if node.module in known:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield inner if inner in known else node.module


@cache
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
    """The imports among the files and the subfolders of a folder."""
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


def cycles(found: dict[str, set[str]]) -> list[list[str]]:
    """Import cycles of modules, and at every depth of the files and folders of one folder."""
    every = [_cycle(found), *(_cycle(folder_arrows(found, folder)) for folder in folders(found))]
    return [cycle for cycle in every if cycle]


def _cycle(found: dict[str, set[str]]) -> list[str]:
    """The graph after repeated removal of modules that import nothing or that nothing imports."""
    left = {name: set(others) for name, others in found.items()}
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    while free := [name for name in left if not any(name in others for others in left.values())]:
        for name in free:
            del left[name]
    return sorted(left)


def has_logic(path: Path) -> bool:
    """Whether a module has a function, or a method of a class, with a body."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(
        not isinstance(statement, ast.Pass)
        and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))  # a docstring, an ...
        for node in ast.walk(tree(path.read_text(encoding="utf-8")))
        if isinstance(node, functions)
        for statement in node.body
    )


def own_test(path: Path) -> Path:
    """The test file of a module, in tests/: a/b/test_c.py for a/b/_c.py, a/b/test_b.py for a/b/__init__.py."""
    folder = path.relative_to(PACKAGE).parent
    stem = path.parent.name if path.stem == "__init__" else path.stem.lstrip("_")
    return folder / f"test_{stem}.py"


def levels(found: dict[str, set[str]]) -> int:
    """The length of the longest chain of rooms in which each imports the next."""
    rooms: dict[str, set[str]] = {}
    for one, others in found.items():
        rooms.setdefault(room(one), set()).update(room(other) for other in others if room(other) != room(one))

    def height(name: str) -> int:
        return 1 + max((height(other) for other in rooms.get(name, ()) if name != "__init__"), default=0)

    return max(map(height, rooms)) if not _cycle(rooms) else -1


def shown_flags(code: str) -> list[str]:
    """Texts with a flag in calls of errors, logs and messages, or in variables named like fields of errors."""

    def says(node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            return getattr(node.func, "id", getattr(node.func, "attr", "")) in SPEAKING
        targets = node.targets if isinstance(node, ast.Assign) else []
        names = {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
        return bool(names & {"problem", "where", "found", "expected", "remedy"})

    parts = (part for node in ast.walk(tree(code)) if says(node) for part in ast.walk(node))
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return [text for text in texts if FLAG.search(text)]


def long_signatures(code: str) -> list[str]:
    """The functions with more than 8 parameters, ``self`` and ``cls`` not counted."""
    found = []
    for node in ast.walk(tree(code)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            if len([each for each in given if each.arg not in ("self", "cls")]) > MOST_PARAMETERS:
                found.append(node.name)
    return found


def takes_namespace(code: str) -> list[str]:
    """The functions with a parameter of type ``argparse.Namespace``."""
    functions = (node for node in ast.walk(tree(code)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [node.name for node in functions if "Namespace" in ast.unparse(node.args)]


def helpers(code: str) -> list[str]:
    """Functions that take a Namespace and neither run a command, nor convert it to a value, nor are argparse's own."""
    return [name for name in takes_namespace(code) if not name.startswith(("run", "parse", "__call__"))]


def rounded(lines: int) -> int:
    """Lines in whole hundreds, rounded up, so that few changes of the code change a page."""
    return -(-lines // 100) * 100


@cache
def sources(*folders: str) -> dict[Path, str]:
    """The Python files in these folders of the repository, with their text."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return {path: path.read_text(encoding="utf-8") for path in paths}


def counts() -> dict[str, int]:
    """Each count by its name."""
    package, tests = sources("xalign_fairseq"), sources("tests")
    scripts, found = sources("scripts", "examples"), arrows()
    command = {path: text for path, text in package.items() if path.relative_to(PACKAGE).parts[0] == "cli"}
    library = {path: text for path, text in package.items() if path not in command}
    everything = [text for path, text in (package | tests | scripts).items() if path != Path(__file__).resolve()]
    compat = [text for path, text in package.items() if path.parent == PACKAGE / "trainer/compat"]

    def lines(files: dict[Path, str]) -> int:
        return rounded(sum(text.count("\n") for text in files.values()))

    return {
        "lines of the package": lines(package),
        "lines of tests": lines(tests),
        "lines of scripts and examples": lines(scripts),
        "rooms": len({room(module) for module in found} - {"__init__", "__main__"}),
        "levels of rooms": levels(found),
        "upward imports": len(upward(found)),
        "import cycles, of files and of folders": len(cycles(found)),
        "functions of more than 8 parameters": sum(len(long_signatures(text)) for text in package.values()),
        "functions outside cli that take a Namespace": sum(len(takes_namespace(text)) for text in library.values()),
        "functions of cli that take one, not to parse or run it": sum(map(len, map(helpers, command.values()))),
        "flags in errors outside cli": sum(len(shown_flags(text)) for text in library.values()),
        "fmt: skip": sum(text.count("# fmt: skip") for text in everything),
        ": Any": sum(len(re.findall(r": Any\b", text)) for text in package.values()),
        "functions wrapped in trainer/compat": sum(
            len(re.findall(r"(?<!\.)\breplace\w*\(\w+, \"|= wrapping\(", text)) for text in compat
        ),
        "... of them of Trainer": sum(text.count("replace(Trainer, ") for text in compat),
        "loose helper modules of tests": len(
            [path for path in (ROOT / "tests").glob("*.py") if not path.name.startswith(("test_", "conftest"))]
        ),
    }


def lines_by_room() -> dict[str, int]:
    """Lines of Python, C++, CUDA, CSS and JavaScript in each room."""
    counts: dict[str, int] = dict.fromkeys(FLOORS, 0)
    for kind in ("py", "h", "cpp", "cu", "css", "js"):
        for path in PACKAGE.rglob(f"*.{kind}"):
            parts = path.relative_to(PACKAGE).parts
            counts[parts[0].removesuffix(".py")] += len(path.read_text(encoding="utf-8").splitlines())
    return counts


def main() -> None:
    """Print the counts."""
    for name, number in counts().items():
        print(f"{number:7,} {name}")
    for name, number in sorted(lines_by_room().items(), key=lambda item: -item[1]):
        print(f"{number:7,} lines of {name}")


if __name__ == "__main__":
    main()
