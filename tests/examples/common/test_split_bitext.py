import sys

from tests.examples.recipes import load

[split_bitext] = load("common", "split_bitext")


def split(folder, monkeypatch, seed=1):
    columns = {
        "de": [f"d{i}" for i in range(9)],
        "en": [f"e{i}" for i in range(9)],
        "fwd": [f"{i}-0 0-0" for i in range(9)],
        "rev": ["0-0 1-5"] * 9,
    }
    for name, lines in columns.items():
        (folder / f"all.{name}").write_text("".join(f"{line}\n" for line in lines))
    monkeypatch.setattr(sys, "argv", ["x", str(folder), "de", "en", "--valid", "3", "--seed", str(seed)])
    split_bitext.main()
    return {
        name: list(
            zip(*((folder / f"{name}.{each}").read_text().splitlines() for each in ("de", "en", "links")), strict=True)
        )
        for name in ("train", "valid")
    }


def test_pairs_are_held_out_in_their_order(tmp_path, monkeypatch):
    found = split(tmp_path, monkeypatch)
    numbers = {name: [int(de[1:]) for de, _, _ in rows] for name, rows in found.items()}
    assert len(numbers["valid"]) == 3 and sorted(numbers["train"] + numbers["valid"]) == list(range(9))
    assert all(rows == sorted(rows) for rows in numbers.values())
    assert all(de[1:] == en[1:] for rows in found.values() for de, en, _ in rows)
    assert split(tmp_path, monkeypatch) == found != split(tmp_path, monkeypatch, seed=2)


def test_training_has_the_intersection_and_validation_the_union_as_possible(tmp_path, monkeypatch):
    found = split(tmp_path, monkeypatch)
    assert {links for _, _, links in found["train"]} == {"0-0"}
    for de, _, links in found["valid"]:
        number = de[1:]
        expected = ["0-0", *sorted({f"{number}p0", "1p5"} - {"0p0"})]
        assert links.split() == expected
