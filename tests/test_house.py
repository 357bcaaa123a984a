"""The house: nothing runs up, nothing runs in a circle, no room is too large, and a name is one class."""

import ast
from collections import Counter
from pathlib import Path

import house


def test_nothing_runs_up():
    found = house.arrows()
    up = house.upward(found)
    print(f"{sum(map(len, found.values()))} imports between {len(found)} modules, {len(up)} of them upward")
    assert not up, "\n".join(f"{one} imports {other}, which is no room below it" for one, other in up)


def test_nothing_runs_in_a_circle():
    found = house.circles(house.arrows())
    print(f"{len(found)} circles")
    assert not found


def test_every_room_is_on_a_floor():
    rooms = {house.room(module) for module in house.modules()}
    assert rooms == set(house.FLOORS)


def test_the_largest_room_is_at_most_a_sixth_of_the_code():
    lines = house.lines_by_room()
    for name, count in sorted(lines.items(), key=lambda item: -item[1]):
        print(f"{count:6} {name}")
    assert max(lines.values()) <= sum(lines.values()) / 6


def test_what_runs_up_or_in_a_circle_is_seen():
    made = {"p.data.a": {"p.cli.b"}, "p.cli.b": {"p.data.c"}, "p.data.c": {"p.data.a"}, "p.files": set()}
    assert house.upward(made) == [("p.data.a", "p.cli.b")]
    assert house.circles(made) == [["p.cli.b", "p.data.a", "p.data.c"], ["p.cli", "p.data"]]
    folders = {"p.a.x": {"p.a.view.y"}, "p.a.view.y": set(), "p.a.view.z": {"p.a.x"}}
    assert house.circles(folders) == [["p.a.view", "p.a.x"]]
    assert house.circles({"a": {"b"}, "b": set()}) == []


def test_every_module_with_logic_has_a_test_of_its_stem():
    tests = Path(__file__).parent
    bare = [name for name, path in house.modules().items() if house.has_logic(path)]
    missing = [name for name in bare if not (tests / house.own_test(house.modules()[name])).is_file()]
    print(f"{len(bare)} modules with logic, {len(missing)} without a test of their stem")
    assert not missing


def test_what_is_logic_and_where_its_test_stands(tmp_path):
    for code, logic in (
        ("X = 1\nclass A:\n    x: int = 3\n", False),
        ("class A:\n    def f(self):\n        'What it is for.'\n", False),
        ("class A(Protocol):\n    def f(self): ...\n", False),
        ("class A:\n    @property\n    def f(self):\n        return 1\n", True),
        ("async def f():\n    'What it does.'\n    return 1\n", True),
    ):
        (tmp_path / "module.py").write_text(code)
        assert house.has_logic(tmp_path / "module.py") is logic
    places = {"a/b/_c.py": "a/b/test_c.py", "a/b/__init__.py": "a/b/test_b.py", "a.py": "test_a.py"}
    for module, test in places.items():
        assert house.own_test(tmp_path / module, tmp_path) == Path(test)


def test_no_two_classes_share_a_name():
    names = Counter(
        node.name
        for path in house.modules().values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert not [name for name, times in names.items() if times > 1]
