"""``xalign derive`` on treebanks, named entities and pairs of texts, and towards the syntax of a treebank."""

import gzip

import pytest

from xalign_fairseq.cli import main
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.data.labelled.conllu import read_tagged_words, read_trees
from xalign_fairseq.data.labelled.sentence_pairs import read_pairs
from xalign_fairseq.data.tokenizers.spm_training import train_sentencepiece
from xalign_fairseq.languages.script import Transliteration
from xalign_fairseq.links.pharaoh import read_links

VERBS = ("sees", "likes", "finds", "takes")


@pytest.fixture(scope="module")
def english(transfer_data):
    """Paths of the English files, by kind."""
    files = {"conllu": "ud/en_ewt-ud-dev.conllu", "ner": "panx/dev-en.tsv", "nli": "xnli/dev-en.tsv"}
    return {kind: transfer_data / name for kind, name in files.items()}


@pytest.fixture(scope="module")
def verb_final(transfer_data, tmp_path_factory):
    """A gzipped treebank whose verbs are at the end, before the full stop."""
    path = tmp_path_factory.mktemp("treebank") / "verb_final.conllu.gz"
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for block in (transfer_data / "ud/en_ewt-ud-train.conllu").read_text().strip().split("\n\n"):
            rows = [row.split("\t") for row in block.split("\n")]
            rows.sort(key=lambda row: (row[3] == "PUNCT", row[7] == "root"))
            place = {row[0]: str(k) for k, row in enumerate(rows, 1)} | {"0": "0"}
            out.writelines("\t".join([place[row[0]], *row[1:6], place[row[6]], *row[7:]]) + "\n" for row in rows)
            out.write("\n")
    return path


def derive(destdir, *options, steps):
    return main([str(part) for part in ("derive", "--out", destdir, "--steps", steps, *options)])


def turned(words):
    """An inverted sentence that keeps its only full stop at the end."""
    return [*words[-2::-1], words[-1]]


def test_labels_move_with_their_words(english, tmp_path):
    spm = tmp_path / "spm.model"
    spm.write_bytes(train_sentencepiece([scan(english["conllu"])], 60, seed=1))
    files = [option for kind, path in english.items() for option in (f"--{kind}", f"{kind}={path}")]
    assert derive(tmp_path / "out", "--spm", spm, *files, steps="script,inversion") == 0

    form = Transliteration(spm).form
    natural, derived = (read_trees(path, "en") for path in (english["conllu"], tmp_path / "out/conllu.xx.conllu"))
    for first, second in zip(natural, derived, strict=True):
        count = len(first.words)
        place = {0: 0, count: count} | {k: count - k for k in range(1, count)}
        assert list(second.words) == [form(word) for word in turned(first.words)]
        assert list(second.upos) == turned(first.upos)
        assert list(second.tree.relations) == turned(first.tree.relations)
        assert list(second.tree.heads) == [place[head] for head in turned(first.tree.heads)]

    natural, derived = (read_tagged_words(path, "en") for path in (english["ner"], tmp_path / "out/ner.xx.tsv"))
    for first, second in zip(natural, derived, strict=True):
        assert list(second.words) == [form(word) for word in turned(first.words)]
        assert list(second.tags) == turned(first.tags)  # entities of one word

    natural, words, derived = (
        read_pairs(path, "en") for path in (english["nli"], tmp_path / "out/nli.en.tsv", tmp_path / "out/nli.xx.tsv")
    )
    assert natural == words  # already split
    for first, second in zip(natural, derived, strict=True):
        assert second.label == first.label
        for text, other in ((first.first, second.first), (first.second, second.second)):
            assert other.split() == [form(word) for word in turned(text.split())]


def test_words_are_ordered_towards_a_treebank(english, verb_final, tmp_path):
    options = ("--towards", verb_final, "--text", f"dev={english['conllu']}", "--conllu", f"dev={english['conllu']}")
    for name in "ab":
        assert derive(tmp_path / name, *options, steps="syntax") == 0

    prefix = tmp_path / "a/dev.en-xx"
    natural, derived = ([line.split() for line in read_lines(f"{prefix}.{lang}")] for lang in ("en", "xx"))
    for words, moved, links in zip(natural, derived, read_links(f"{prefix}.links"), strict=True):
        assert len(links) == len(words) and all(words[i] == moved[k] for i, k in links)
        assert words[-2] not in VERBS
    assert sum(moved[-2] in VERBS for moved in derived) >= 0.9 * len(natural)
    assert [list(tree.words) for tree in read_trees(tmp_path / "a/dev.xx.conllu", "xx")] == derived
    for name in ("dev.en-xx.xx", "dev.en-xx.links", "dev.xx.conllu", "manifest.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_trees_of_other_data_are_files_next_to_them(english, verb_final, tmp_path, capsys):
    (tmp_path / "dev.tsv").write_text(english["ner"].read_text())
    options = ("--towards", verb_final, "--ner", f"dev={tmp_path}/dev.tsv")
    assert derive(tmp_path / "out", *options, steps="syntax") == 2
    assert f"{tmp_path}/dev.conllu" in capsys.readouterr().err

    (tmp_path / "dev.conllu").write_text(english["conllu"].read_text())  # the same sentences
    assert derive(tmp_path / "out", *options, steps="syntax") == 0
    natural, derived = (read_tagged_words(path, "en") for path in (english["ner"], tmp_path / "out/dev.xx.tsv"))
    for first, second in zip(natural, derived, strict=True):
        pairs = [list(zip(each.words, each.tags, strict=True)) for each in (first, second)]
        assert sorted(pairs[0]) == sorted(pairs[1])
    assert sum(each.words[-2] in VERBS for each in derived) >= 0.9 * len(derived)
