import io
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.examples.recipes import load

[corpora] = load("common", "corpora")


def test_every_address_is_one_of_https_with_a_file():
    sources = [source for name in corpora.named() for source in corpora.files(name)] + [
        corpora.bitext(name, "en", "de") for name in (*corpora.OPUS, corpora.SAMPLED)
    ]
    for source in [*sources, *corpora.cc100("sw"), corpora.wikipedia("sw")]:
        for address in (source.url, source.home):
            assert urlsplit(address).scheme == "https" and not re.search(r"[\s{}]", address)
        assert Path(urlsplit(source.url).path).name.endswith(Path(source.name).suffix)
        assert source.home in str(source) and Path("downloads") in source.path(Path("downloads")).parents
        assert source.sha256 is None or re.fullmatch("[0-9a-f]{64}", source.sha256)
    assert len({source.name for source in sources}) == len({(source.name, source.url) for source in sources})


def test_xlm_aligns_94_languages_have_87_codes():
    languages = corpora.monolingual()
    assert len(languages) == 87 and sum(max(1, len(each.archives)) for each in languages.values()) == 94
    assert [source.name for source in corpora.cc100("zh")] == ["zh-Hans.txt.xz", "zh-Hant.txt.xz"]
    assert [source.name for source in corpora.cc100("br")] == ["br.txt.xz"]  # not in the paper
    assert not corpora.cc100("tt") and corpora.wikipedia("tt").text == 0.09
    assert languages["en"].ccnet == 731.6 and languages["en"].wikipedia == 12.58  # Tables 8 and 9


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


pytest.importorskip("sacremoses")


@pytest.mark.parametrize(
    ("options", "text", "tokens"),
    [
        (["en"], "Well-known: it's HERE.", "well - known : it 's here ."),
        (["en", "--cased"], "Is it HERE?", "Is it HERE ?"),
        (["en", "--tokenized"], "It 's  HERE", "it 's here"),
        (["ro", "--strip-marks"], "Așa și însă.", "asa si insa ."),
        (["en"], "a & b <c>", "a & b < c >"),
    ],
)
def test_tokens_are_written_as_in_the_gold_sets(options, text, tokens, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tokenize_bitext.py", *options])
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{text}\n\n"))
    load("common", "tokenize_bitext")[0].main()
    assert capsys.readouterr().out == f"{tokens}\n\n"
