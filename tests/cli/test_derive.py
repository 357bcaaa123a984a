import gzip
import json
import random

import pytest

from xalign_fairseq.cli import main
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.labelled.conllu import read_tagged_words, read_trees
from xalign_fairseq.data.labelled.sentence_pairs import read_pairs
from xalign_fairseq.data.tokenizers.spm_training import train_sentencepiece
from xalign_fairseq.languages.script import Transliteration
from xalign_fairseq.links.pharaoh import read_links

SIMPLE = ["the", "red", "house", "is", "big", "cat", "sees", "dogs", "run", "we", "trees", "river", "they", "sing"]
WORDS = [*SIMPLE, *(first + second for first in SIMPLE for second in SIMPLE[:5])]
# Words that normalisation removes, splits or spells out, and a word that the model does not know.
ODD = ["\u200b", "a¨x", "½", "Ж", "ﬁve"]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """A folder with train.en, 301 lines (some empty), and spm.model of its frequent words."""
    folder, chance = tmp_path_factory.mktemp("derive"), random.Random(4)
    lines = [" ".join(chance.choices([*WORDS, ".", ".", "!"], k=chance.randint(1, 14))) for _ in range(300)]
    (folder / "plain.en").write_text("".join(f"{line}\n" for line in lines))
    (folder / "spm.model").write_bytes(train_sentencepiece([scan(folder / "plain.en")], 103, seed=1))
    for k, odd in enumerate(ODD * 4):
        lines[7 * k] += f" {odd} " + lines[7 * k + 1]
    lines[5] = lines[250] = ""
    (folder / "train.en").write_text("".join(f"{line}\n" for line in [*lines, "\u200b"]), encoding="utf-8")
    return folder


def derive(folder, destdir, *options, steps="inversion, script"):
    spm = ["--spm", folder / "spm.model"] if "script" in steps else []
    return main([str(part) for part in ("derive", "--out", destdir, "--steps", steps, *spm, *options)])


def prepare(derived, destdir):
    """The data-bin of a derived text, made as in the command's help."""
    prefix, spm = derived / "train.en-xx", derived / "sentencepiece.model"
    options = ["--pair", "en-xx", "--trainpref", prefix, "--links", f"{prefix}.links", "--spm", spm]
    options += ["--dict", derived / "dict.txt"]
    assert main([str(part) for part in ("prepare", "--out", destdir, *options)]) == 0
    return DataBin(destdir)


def by_word(ids, words, count):
    """The ids of each word."""
    made = [[] for _ in range(count)]
    for index, word in zip(ids.tolist()[:-1], words.tolist(), strict=True):
        made[word].append(index)
    return made


def pairs(data):
    """For each pair: ids by natural word, ids by derived word, and links."""
    links = data.links("train", "en", "xx")
    for (src, tgt), (src_words, tgt_words, triples) in zip(
        zip(*data.pair("train", "en", "xx"), strict=True), links, strict=True
    ):
        count = len(triples)
        assert sorted(triples[:, 0]) == sorted(triples[:, 1]) == list(range(count))
        assert triples[:, 2].all()
        yield by_word(src, src_words, count), by_word(tgt, tgt_words, count), triples[:, :2].tolist()


def test_ids_are_natural_ids_plus_the_number_of_pieces_in_the_order_of_the_links(text, tmp_path):
    assert derive(text, tmp_path / "derived", "--text", f"train={text}/train.en") == 0
    data = prepare(tmp_path / "derived", tmp_path / "bin")

    number = (len(data.dictionary) - 4) // 2
    assert len(data.dictionary) == 4 + 2 * number
    seen = moved = 0
    for natural, derived, links in pairs(data):
        expected = [[]] * len(natural)
        for i, k in links:
            expected[k] = [index + number if index > 3 else index for index in natural[i]]
            moved += i != k
        assert derived == expected
        assert max(max(ids, default=0) for ids in natural) < 4 + number
        seen += 1
    assert seen == 298 and moved > 1000  # two lines are empty, one has no token


def test_the_manifest_records_inputs_and_outputs(text, tmp_path):
    options = ("--text", f"train={text}/train.en", "--inversion-marks", ".", "!")
    for name in "ab":
        assert derive(text, tmp_path / name, *options) == 0
    manifest = json.loads((tmp_path / "a/manifest.json").read_text(encoding="utf-8"))

    assert (tmp_path / "b/manifest.json").read_text() == (tmp_path / "a/manifest.json").read_text()
    assert manifest["options"]["steps"] == ["inversion", "script"]
    assert manifest["options"]["inversion_marks"] == [".", "!"]
    assert set(manifest["sha256"]) == {f"{text}/train.en", f"{text}/spm.model"}
    assert set(manifest["files"]) == {path.name for path in (tmp_path / "a").iterdir()} - {"manifest.json"}
    assert manifest["inputs"][0]["counts"]["sentences"] == 301
    assert manifest["steps"]["script"]["pieces"] == manifest["steps"]["script"]["twins"] == 100
    assert manifest["steps"]["script"]["words that normalisation removes"] == 5
    assert manifest["steps"]["script"]["words with a space within"] == 4
    natural = (text / "train.en").read_text(encoding="utf-8").split()
    assert manifest["steps"]["inversion"] == {"sentence marks": natural.count(".") + natural.count("!")}


def test_text_with_attached_punctuation_is_warned_of(text, tmp_path, capsys):
    (tmp_path / "raw.en").write_text("we sing.\n")
    assert derive(text, tmp_path / "out", "--text", f"raw={tmp_path}/raw.en", steps="inversion") == 0
    said = capsys.readouterr()
    assert "is the text tokenised?" in said.err
    assert said.out.startswith("text raw: 1 sentences, 0 empty, 2 words, 2 words that moved\n")
    assert (tmp_path / "out/raw.en-xx.xx").read_text() == "sing. we\n"
    assert not (tmp_path / "out/dict.txt").exists()


@pytest.mark.parametrize(
    ("options", "steps", "message"),
    [
        ([], "inversion", "nothing to derive from"),
        (["--text", "t=missing.en"], "inversion", "where: missing.en"),
        (["--text", "t=TRAIN", "--spm", "SPM"], "inversion", "where: --steps, --spm"),
        (["--text", "t=TRAIN", "--towards", "TRAIN"], "syntax", "plain text has no trees"),
        (["--text", "t=TRAIN", "--overlap", "120"], "script", "the overlap is a percentage"),
    ],
)
def test_bad_options_write_nothing(text, tmp_path, capsys, options, steps, message):
    options = [option.replace("TRAIN", f"{text}/train.en").replace("SPM", f"{text}/spm.model") for option in options]
    assert derive(text, tmp_path / "out", *options, steps=steps) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


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


def derive_labelled(destdir, *options, steps):
    return main([str(part) for part in ("derive", "--out", destdir, "--steps", steps, *options)])


def turned(words):
    """An inverted sentence that keeps its only full stop at the end."""
    return [*words[-2::-1], words[-1]]


def test_labels_move_with_their_words(english, tmp_path):
    spm = tmp_path / "spm.model"
    spm.write_bytes(train_sentencepiece([scan(english["conllu"])], 60, seed=1))
    files = [option for kind, path in english.items() for option in (f"--{kind}", f"{kind}={path}")]
    assert derive_labelled(tmp_path / "out", "--spm", spm, *files, steps="script,inversion") == 0

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
        assert derive_labelled(tmp_path / name, *options, steps="syntax") == 0

    prefix = tmp_path / "a/dev.en-xx"
    natural, derived = ([line.split() for line in read_lines(f"{prefix}.{lang}")] for lang in ("en", "xx"))
    for words, moved, links in zip(natural, derived, read_links(f"{prefix}.links"), strict=True):
        assert len(links) == len(words) and all(words[i] == moved[k] for i, k in links)
        assert words[-2] not in VERBS
    assert sum(moved[-2] in VERBS for moved in derived) >= 0.9 * len(natural)
    assert [list(tree.words) for tree in read_trees(tmp_path / "a/dev.xx.conllu", "xx")] == derived
    for name in ("dev.en-xx.xx", "dev.en-xx.links", "dev.xx.conllu", "manifest.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
