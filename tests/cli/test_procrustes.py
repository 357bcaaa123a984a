"""xalign procrustes: maps of a data-bin's links, the checkpoint that holds them, bad input."""

import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from support.checkpoints import with_languages

from xalign_fairseq.cli import main
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.mappings import load_maps
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import tokenizer_state

SIZES = {
    "encoder_layers": 2, "encoder_embed_dim": 16, "encoder_ffn_embed_dim": 32, "encoder_attention_heads": 2,
    "max_positions": 60,
}  # fmt: skip


@pytest.fixture(scope="module")
def source(databin, tmp_path_factory):
    """A checkpoint of an untrained encoder for the data-bin, with another objective's head and old maps."""
    data = DataBin(databin)
    torch.manual_seed(0)
    encoder = Encoder(EncoderConfig(vocab_size=data.dictionary.embedding_size, **SIZES))
    state = {
        "args": None,
        "cfg": {"model": dict(SIZES), "criterion": {"_name": "xlm_align", "dwa_label_layer": 1}},
        "model": {f"encoder.{key}": value for key, value in encoder.state_dict().items()}
        | {"heads.dwa.agreement": torch.tensor(0.5), "heads.linear_mapping.maps.xx": torch.zeros(3, 16, 16)},
        "task_state": {"tokenizer": tokenizer_state(data.dictionary, data.tokenizer_model)},
        "optimizer_history": [{"num_updates": 3}],
    }
    path = tmp_path_factory.mktemp("source") / "source.pt"
    torch.save(state, path)
    return path


# Layer norm leaves a mean of 0, so that no pair says where (1, ..., 1) goes: either sign of it is a solution. A map
# before this is what all solutions share.
DETERMINED = torch.eye(16) - 1 / 16


def procrustes(source, databin, out, *options):
    """Run the command in this process; the exit code."""
    command = ["procrustes", "--model", source, "--data", databin, "--out", out, *options]
    return main([str(part) for part in command])


def linked_vectors(encoder, databin, pair, split="valid"):
    """S and T of all layers from the data-bin's files, pair by pair without a batch."""
    rows = encoder.config.side_rows(pair) or (0, 0)
    data = DataBin(databin)
    src, tgt = data.pair(split, *pair)
    found = []
    for a, b, (src_words, tgt_words, links) in zip(src, tgt, data.links(split, *pair), strict=True):
        if len(a) + len(b) + 1 > SIZES["max_positions"]:
            continue
        states = [
            encoder.states(Input(torch.tensor([[0, *map(int, ids)]]), torch.tensor([[row]])), grad=False)
            for ids, row in zip((a, b), rows, strict=True)
        ]
        layers = [torch.stack([each.layer(layer)[0] for layer in range(3)]) for each in states]
        sure = links[links[:, 2] == 1] if (links[:, 2] == 1).any() else links
        for i, j, _ in sure:
            at = [np.flatnonzero(words == word) for words, word in ((src_words, i), (tgt_words, j))]
            if all(map(len, at)):
                found.append([side[:, 1 + where[0]] for side, where in zip(layers, at, strict=True)])
    return (torch.stack(side, 1).double() for side in zip(*found, strict=True))


@pytest.mark.parametrize("languages", [(), ("fr", "en", "de")], ids=["", "with language embeddings"])
def test_maps_are_scipys_of_all_linked_words(source, databin, languages, tmp_path, capsys):
    linalg = pytest.importorskip("scipy.linalg")
    if languages:
        torch.save(with_languages(checkpoint.read(source), *languages), tmp_path / "speaking.pt")
        source = tmp_path / "speaking.pt"
    assert procrustes(source, databin, tmp_path / "out.pt", "--split", "valid", "--batch-tokens", 300) == 0
    told = capsys.readouterr().err
    state = checkpoint.read(tmp_path / "out.pt")
    encoder, heads = checkpoint.load_encoder(state)
    maps = load_maps(heads)
    assert maps.languages == ("de", "fr") and maps.of("en") is None
    for language in maps.languages:
        s, t = linked_vectors(encoder, databin, ("en", language))
        assert f"{language} -> en: {s.shape[1]} word pairs" in told
        for layer in range(3):
            expected, _ = linalg.orthogonal_procrustes(t[layer].numpy(), s[layer].numpy())
            found = maps.of(language)[layer]
            np.testing.assert_allclose(DETERMINED @ found, DETERMINED.numpy() @ expected, atol=2e-4)
            np.testing.assert_allclose(found @ found.mT, np.eye(16), atol=1e-5)


def test_a_folder_is_read_as_its_checkpoint(source, databin, tmp_path):
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "model.pt").symlink_to(source)
    for given, out in ((source, "one.pt"), (folder, "other.pt")):
        assert procrustes(given, databin, tmp_path / out, "--split", "valid", "--quiet") == 0
    one, other = (checkpoint.read(tmp_path / out)["model"] for out in ("one.pt", "other.pt"))
    assert one.keys() == other.keys() and all(one[key].equal(other[key]) for key in one)


def test_the_checkpoint_keeps_encoder_options_tokenizer_and_other_heads(source, databin, tmp_path):
    out = tmp_path / "out.pt"
    assert procrustes(source, databin, out, "--split", "valid", "--lang-pairs", "en-fr", "--quiet") == 0
    old, new = checkpoint.read(source), checkpoint.read(out)
    assert new["cfg"] == old["cfg"]
    assert new["task_state"]["tokenizer"]["symbols"] == old["task_state"]["tokenizer"]["symbols"]
    assert set(new) == {"args", "cfg", "model", "task_state"}
    changed = set(old["model"]) ^ set(new["model"])
    prefix = "heads.linear_mapping."
    assert changed == {f"{prefix}maps.xx", f"{prefix}maps.fr", f"{prefix}pivot.en"}
    assert all((new["model"][key] == value).all() for key, value in old["model"].items() if key in new["model"])


def test_a_language_without_an_embedding_is_told(source, databin, tmp_path, capsys):
    torch.save(with_languages(checkpoint.read(source), "de", "en"), tmp_path / "speaking.pt")
    assert procrustes(tmp_path / "speaking.pt", databin, tmp_path / "out.pt", "--split", "valid") == 2
    assert "one of de, en" in capsys.readouterr().err and not (tmp_path / "out.pt").exists()


def test_another_pivot_and_mean_pooling(source, databin, tmp_path):
    maps = {}
    for name, options in {"first": (), "mean": ("--pooling", "mean"), "turned": ("--pivot-lang", "de")}.items():
        pair = ("--lang-pairs", "en-de", "--split", "valid", "--quiet")
        assert procrustes(source, databin, tmp_path / name, *pair, *options) == 0
        maps[name] = load_maps(checkpoint.load_encoder(checkpoint.read(tmp_path / name))[1])
    assert maps["turned"].languages == ("en",)
    there, back = DETERMINED @ maps["first"].of("de").mT, DETERMINED @ maps["turned"].of("en")
    torch.testing.assert_close(back, there, atol=2e-3, rtol=0)
    assert not maps["mean"].of("de").allclose(maps["first"].of("de"), atol=1e-2)


def test_quiet_tells_nothing(source, databin, tmp_path):
    options = ["--model", source, "--data", databin, "--out", tmp_path / "out.pt", "--split", "valid", "-q"]
    code = "import sys; from xalign_fairseq.cli import main; sys.exit(main())"  # where pytest takes no log
    command = [sys.executable, "-c", code, "procrustes", *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_existing_file_is_left_alone(source, databin, tmp_path, capsys):
    out = tmp_path / "out.pt"
    out.write_bytes(b"precious")
    assert procrustes(source, databin, out) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert out.read_bytes() == b"precious"
    assert procrustes(source, databin, out, "--split", "valid", "--overwrite", "--quiet") == 0
    assert checkpoint.read(out)


def test_the_model_is_not_replaced_by_its_maps(source, databin, tmp_path, capsys):
    """The new checkpoint has no optimizer, so that a training could not go on."""
    model, link = tmp_path / "model.pt", tmp_path / "link.pt"
    shutil.copy(source, model)
    link.symlink_to(model)
    for out in (model, link):
        assert procrustes(model, databin, out, "--split", "valid", "--overwrite") == 2
        assert "which would be lost" in capsys.readouterr().err
    assert model.read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--lang-pairs", "en-ru"), "no such language pair"),
        (("--split", "dev"), "share no language"),
        (("--pivot-lang", "de"), "pivot language is not in all pairs"),
    ],
)
def test_bad_choices_are_told_before_the_work(options, told, source, databin, tmp_path, capsys):
    assert procrustes(source, databin, tmp_path / "out.pt", *options) == 2
    assert told in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_other_dictionaries_and_missing_links(source, databin, tmp_path, capsys):
    other = tmp_path / "databin"
    other.mkdir()
    for path in databin.iterdir():
        if ".links." not in path.name and path.name != "manifest.json":  # which would miss them
            (other / path.name).symlink_to(path)
    assert procrustes(source, other, tmp_path / "out.pt", "--lang-pairs", "en-de") == 2
    assert "no links between its words" in capsys.readouterr().err
    dictionary = (other / "dict.txt").read_text().splitlines()
    (other / "dict.txt").unlink()
    (other / "dict.txt").write_text("\n".join([dictionary[1], dictionary[0], *dictionary[2:]]) + "\n")
    assert procrustes(source, other, tmp_path / "out.pt") == 2
    assert "dictionary is not the one" in capsys.readouterr().err
    assert not (tmp_path / "out.pt").exists()
