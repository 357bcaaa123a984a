"""``xalign derive``: text, treebanks, entities and pairs of texts in a derived language, and its data-bin."""

import json
import random

import pytest

from xalign_fairseq.cli import main
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.tokenizers.spm_training import train_sentencepiece
from xalign_fairseq.languages.script import MARKER

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


def derive(folder, destdir, *options, steps="inversion,script"):
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


def test_text_by_hand(text, tmp_path, capsys):
    (tmp_path / "two.en").write_text("we  sing . they\n\n")
    assert derive(text, tmp_path / "out", "--text", f"two={tmp_path}/two.en") == 0

    folder = tmp_path / "out"
    assert (folder / "two.en-xx.en").read_text() == "we sing . they\n\n"
    assert (folder / "two.en-xx.links").read_text() == "0-1 1-0 2-2 3-3\n\n"
    derived = (folder / "two.en-xx.xx").read_text(encoding="utf-8").replace(MARKER, "")
    assert "".join(chr(ord(each) % 0x10000) for each in derived) == "sing we . they\n\n"
    assert capsys.readouterr().out.splitlines()[0] == "text two: 2 sentences, 1 empty, 4 words, 2 words that moved"


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
    assert "is the text tokenised?" in capsys.readouterr().err
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
