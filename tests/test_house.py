"""The house: nothing runs up, nothing runs in a circle, no room is too large, and a name is one class."""

import ast
from collections import Counter

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


def test_the_largest_room_is_at_most_an_eighth_of_the_code():
    lines = house.lines_by_room()
    for name, count in sorted(lines.items(), key=lambda item: -item[1]):
        print(f"{count:6} {name}")
    assert max(lines.values()) <= sum(lines.values()) / 8


def test_what_runs_up_or_in_a_circle_is_seen():
    made = {"p.data.a": {"p.cli.b"}, "p.cli.b": {"p.data.c"}, "p.data.c": {"p.data.a"}, "p.files": set()}
    assert house.upward(made) == [("p.data.a", "p.cli.b")]
    assert house.circles(made) == [["p.cli.b", "p.data.a", "p.data.c"]]
    assert house.circles({"a": {"b"}, "b": set()}) == []


def test_no_two_classes_share_a_name():
    names = Counter(
        node.name
        for path in house.modules().values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert not [name for name, times in names.items() if times > 1]
