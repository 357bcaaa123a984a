from dataclasses import dataclass, field
from typing import Any

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.structured import check_names, load_with_base, load_yaml, structured


@dataclass(frozen=True)
class Keys:
    """One field of each kind."""

    lr: float = 1.0
    epochs: int | None = None
    flag: bool = False
    name: str = "a"
    both: list[float] = field(default_factory=lambda: [0.1, 0.2])
    files: dict[str, str] = field(default_factory=dict)
    listed: list[Any] | None = None


@pytest.fixture
def file(tmp_path):
    """The path of a file with a text."""

    def write(text):
        path = tmp_path / "some.yaml"
        path.write_text(text)
        return path

    return write


def test_values_have_the_fields_types(file):
    text = "lr: 3e-5\nepochs: '4'\nflag: true\nboth: [1, 0.5]\nfiles: {de: 1.tsv}\nlisted: [en, no]\n"
    found = structured(Keys, load_yaml(file(text)), "some.yaml")
    assert found == Keys(3e-5, 4, True, "a", [1.0, 0.5], {"de": "1.tsv"}, ["en", False])
    assert isinstance(structured(Keys, {"lr": 1}, "some.yaml").lr, float)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("lr", "fast", "float"), ("lr", None, "float"), ("lr", True, "float"), ("lr", [1], "float"),
        ("epochs", 1.5, "int | None"), ("flag", "yes", "bool"), ("flag", 1, "bool"), ("name", ["a"], "str"),
        ("both", 1, "list[float]"), ("files", ["a"], "dict[str, str]"),
        ("files", {"de": None}, "dict[str, str]"),
        ("files", {False: "x"}, "dict[str, str]"), ("listed", "en", "list[Any] | None"),
    ],
)  # fmt: skip
def test_other_types_are_named(key, value, expected):
    with pytest.raises(XalignError) as caught:
        structured(Keys, {key: value}, "some.yaml, pos")
    assert f"where: some.yaml, pos, {key}\n  found: {value}\n  expected: {expected}" in str(caught.value)


def test_unknown_keys_are_named_with_the_nearest():
    with pytest.raises(XalignError, match=r"(?s)unknown key.*some.yaml.*found: epoch\n.*expected: epochs\?"):
        structured(Keys, {"epoch": 1}, "some.yaml")
    with pytest.raises(XalignError, match=r"(?s)no such task.*found: zzzz\n.*expected: pos, ner"):
        check_names(["pos", "zzzz"], ["pos", "ner"], "no such task", parameter="tasks")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", r"(?s)not YAML.*some.yaml.*duplicate key a"),
        ("a: [", "not YAML"),
        ("\x00", "not YAML"),
        ("a: ${b}\n", "'b' not found"),
        ("[" * 5000, "not YAML"),
        ("a: &a [*a]", "not YAML"),
        ("lr: 1\nname: !!python/name:os.system x\n", r"not YAML[\s\S]*some.yaml"),
        ("lr: 1\nname: !!set {a}\n", r"not YAML[\s\S]*some.yaml"),
    ],
)
def test_files_that_cannot_be_read(file, text, message):
    with pytest.raises(XalignError, match=message):
        load_yaml(file(text))


def test_a_file_that_is_no_mapping_or_not_there(file, tmp_path):
    with pytest.raises(XalignError, match="needs keys and values"):
        structured(Keys, load_yaml(file("- a\n")), "some.yaml")
    with pytest.raises(XalignError, match="does not exist"):
        load_yaml(tmp_path / "absent.yaml")


def test_a_study_overrides_its_base(file, tmp_path):
    (tmp_path / "of").mkdir()
    (tmp_path / "of/base.yaml").write_text(
        "data: text\nseeds: [1, 2]\ndefaults: {lr: 1, epochs: 5}\ntasks: {a: {train: {en: x}, holdout: 0.1}, b: {}}\n"
    )
    own = "base: of/base.yaml\nseeds: [3]\ndefaults: {epochs: 9}\n"
    over = {"data": str(tmp_path / "of/text"), "seeds": [3], "defaults": {"lr": 1, "epochs": 9}}
    a = {"train": {"en": "x"}, "holdout": 0.1}
    assert load_with_base(file(own)) == {**over, "tasks": {"a": a, "b": {}}}
    own += "tasks:\n  c: {languages: [de]}\n  a: {settings: {lr: 2}, train: {de: y}}\n"
    a = {**a, "train": {"en": "x", "de": "y"}, "settings": {"lr": 2}}
    found = load_with_base(file(own))
    assert found == {**over, "tasks": {"c": {"languages": ["de"]}, "a": a}} and list(found["tasks"]) == ["c", "a"]
    assert load_with_base(file(own + "data: here\n"))["data"] == "here"


@pytest.mark.parametrize(("base", "own"), [({"epochs": 5}, {"updates": 70}), ({"updates": 70}, {"epochs": 5})])
def test_a_studys_length_replaces_its_bases(file, tmp_path, base, own):
    text = "defaults: {{lr: 1, {0}}}\ntasks: {{a: {{settings: {{crf: true, {0}}}}}}}\n"
    base_length, own_length = (str(length).strip("{}").replace("'", "") for length in (base, own))
    (tmp_path / "base.yaml").write_text(text.format(base_length))
    found = load_with_base(file("base: base.yaml\n" + text.format(own_length)))
    assert found == {"defaults": {"lr": 1, **own}, "tasks": {"a": {"settings": {"crf": True, **own}}}}
    found = load_with_base(file("base: base.yaml\ndefaults: {lr: 2}\n"))
    assert found == {"defaults": {"lr": 2, **base}, "tasks": {"a": {"settings": {"crf": True, **base}}}}


@pytest.mark.parametrize(
    ("base", "message"),
    [(None, "does not exist"), ("- a\n", "must not"), ("base: some.yaml\n", "must not"), ("{", "not YAML")],
)
def test_invalid_bases(file, tmp_path, base, message):
    if base is not None:
        (tmp_path / "base.yaml").write_text(base)
    with pytest.raises(XalignError, match=message):
        load_with_base(file("base: base.yaml\n"))
