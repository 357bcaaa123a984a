import numpy as np
import pytest
import torch
from support.checkpoints import checkpoint_of, with_languages

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.mappings import load_maps
from xalign_fairseq.training.mapped_checkpoint import MappedCheckpoint

POSITIONS = 60


@pytest.fixture(scope="module")
def source(databin, tmp_path_factory):
    return checkpoint_of(databin, tmp_path_factory.mktemp("source") / "source.pt")


# Layer norm makes the mean 0, so no pair determines the image of (1, ..., 1): both signs of it are solutions. All
# solutions agree after this projection.
DETERMINED = torch.eye(16) - 1 / 16


def write(source, databin, out, **options):
    return MappedCheckpoint(source, databin, out, **{"split": "valid", **options}).write()


def linked_vectors(encoder, databin, pair, split="valid"):
    """S and T of all layers from the data-bin's files, pair by pair without a batch."""
    rows = encoder.config.side_rows(pair) or (0, 0)
    data = DataBin(databin)
    src, tgt = data.pair(split, *pair)
    found = []
    for a, b, (src_words, tgt_words, links) in zip(src, tgt, data.links(split, *pair), strict=True):
        if len(a) + len(b) + 1 > POSITIONS:
            continue
        states = [
            encoder.states(Input(torch.tensor([[0, *map(int, ids)]]), torch.tensor([[row]])), grad=False)
            for ids, row in zip((a, b), rows, strict=True)
        ]
        layers = [torch.stack([each.layer(layer)[0] for layer in range(3)]) for each in states]
        for i, j, _ in links[links[:, 2] == 1] if (links[:, 2] == 1).any() else links:
            at = [np.flatnonzero(words == word) for words, word in ((src_words, i), (tgt_words, j))]
            if all(map(len, at)):
                found.append([side[:, 1 + where[0]] for side, where in zip(layers, at, strict=True)])
    return (torch.stack(side, 1).double() for side in zip(*found, strict=True))


@pytest.mark.parametrize("languages", [(), ("fr", "en", "de")], ids=["", "with language embeddings"])
def test_maps_are_scipys_of_all_linked_words(source, databin, languages, tmp_path):
    linalg = pytest.importorskip("scipy.linalg")
    if languages:
        torch.save(with_languages(checkpoint.read(source), *languages), tmp_path / "speaking.pt")
        source = tmp_path / "speaking.pt"
    found = {each.language: each for each in write(source, databin, tmp_path / "out.pt", batch_tokens=300)}
    encoder, heads = checkpoint.load_encoder(checkpoint.read(tmp_path / "out.pt"))
    maps = load_maps(heads)
    assert maps.languages == ("de", "fr") == tuple(found) and maps.of("en") is None
    for language in maps.languages:
        s, t = linked_vectors(encoder, databin, ("en", language))
        told = found[language]
        assert (told.pivot, told.word_pairs) == ("en", s.shape[1]) and told.after < told.before
        for layer in range(3):
            expected, _ = linalg.orthogonal_procrustes(t[layer].numpy(), s[layer].numpy())
            mine = maps.of(language)[layer]
            np.testing.assert_allclose(DETERMINED @ mine, DETERMINED.numpy() @ expected, atol=2e-4)
            np.testing.assert_allclose(mine @ mine.mT, np.eye(16), atol=1e-5)


def test_the_checkpoint_keeps_encoder_options_tokenizer_and_other_heads(source, databin, tmp_path):
    out = tmp_path / "out.pt"
    write(source, databin, out, lang_pairs=("en-fr",))
    old, new = checkpoint.read(source), checkpoint.read(out)
    assert new["cfg"] == old["cfg"]
    assert new["task_state"]["tokenizer"]["symbols"] == old["task_state"]["tokenizer"]["symbols"]
    assert set(new) == {"args", "cfg", "model", "task_state"}
    changed = set(old["model"]) ^ set(new["model"])
    prefix = "heads.linear_mapping."
    assert changed == {f"{prefix}maps.xx", f"{prefix}maps.fr", f"{prefix}pivot.en"}
    assert all((new["model"][key] == value).all() for key, value in old["model"].items() if key in new["model"])


def test_another_pivot_and_mean_pooling(source, databin, tmp_path):
    maps = {}
    for name, options in {"first": {}, "mean": {"pooling": "mean"}, "turned": {"pivot_lang": "de"}}.items():
        write(source, databin, tmp_path / name, lang_pairs=("en-de",), **options)
        maps[name] = load_maps(checkpoint.load_encoder(checkpoint.read(tmp_path / name))[1])
    assert maps["turned"].languages == ("en",)
    there, back = DETERMINED @ maps["first"].of("de").mT, DETERMINED @ maps["turned"].of("en")
    torch.testing.assert_close(back, there, atol=2e-3, rtol=0)
    assert not maps["mean"].of("de").allclose(maps["first"].of("de"), atol=1e-2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lang_pairs": ("en-ru",), "split": "train"}, "no such language pair"),
        ({"split": "dev"}, "share no language"),
        ({"pivot_lang": "de", "split": "train"}, "pivot language is not in all pairs"),
    ],
)
def test_bad_choices_are_refused_before_the_work(options, message, source, databin, tmp_path):
    with pytest.raises(XalignError, match=message):
        write(source, databin, tmp_path / "out.pt", **options)
    assert not list(tmp_path.iterdir())


def test_other_dictionaries_and_missing_links(source, databin, tmp_path):
    other = tmp_path / "databin"
    other.mkdir()
    for path in databin.iterdir():
        if ".links." not in path.name and path.name != "manifest.json":  # which would miss them
            (other / path.name).symlink_to(path)
    with pytest.raises(XalignError, match="no links between its words"):
        write(source, other, tmp_path / "out.pt", lang_pairs=("en-de",), split="train")
    dictionary = (other / "dict.txt").read_text().splitlines()
    (other / "dict.txt").unlink()
    (other / "dict.txt").write_text("\n".join([dictionary[1], dictionary[0], *dictionary[2:]]) + "\n")
    with pytest.raises(XalignError, match="dictionary is not the one"):
        write(source, other, tmp_path / "out.pt")
    assert not (tmp_path / "out.pt").exists()
