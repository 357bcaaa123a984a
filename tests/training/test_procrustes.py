import numpy as np
import pytest
import torch
from support import text
from support.checkpoints import checkpoint_of, with_languages

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.mappings import LanguageMaps, load_maps
from xalign_fairseq.encoder.pretrained.huggingface.side_files import RECORD, training_record
from xalign_fairseq.encoder.vocabulary import require_same_tokenizer, tokenizer_state
from xalign_fairseq.training import procrustes
from xalign_fairseq.training.procrustes import LinkedBitext, MappedCheckpoint, with_maps

LETTERS = "abcdefghijklmnop"


@pytest.fixture
def data(tmp_path):
    """A data-bin of en-de and fr-en with links word by word."""
    Dictionary(LETTERS).save(tmp_path / "dict.txt")
    for src, tgt in (("en", "de"), ("fr", "en")):
        name = f"train.{src}-{tgt}"
        files = {lang: [[4 + i, 5 + i, 6 + i, 2] for i in range(8)] for lang in (src, tgt)}
        files |= {f"{lang}.words": [[0, 1, 2]] * 8 for lang in (src, tgt)}
        files["links"] = [[0, 0, 1, 1, 1, 1, 2, 2, 0]] * 8  # the last link is a possible one
        for suffix, rows in files.items():
            text.write(tmp_path / f"{name}.{suffix}", rows)
    return DataBin(tmp_path)


def test_every_linked_pair_is_read_once_for_any_batches(data, monkeypatch):
    bitext = LinkedBitext(data, ["en-de", "fr-en"], 32)
    assert (bitext.pivot, bitext.languages, len(bitext)) == ("en", ["de", "en", "fr"], 16)
    for most in (1, 20, 1000):  # a pair longer than the maximum is a separate batch
        monkeypatch.setattr(procrustes, "BATCH_TOKENS", most)
        batches = list(bitext.batches(torch.device("cpu"), None))
        rows = [row for batch in batches for row in batch.tokens.tolist()]
        assert len(rows) == 16 and len({tuple(row) for row in rows}) == 8
        assert sum(len(batch.links) for batch in batches) == 16 * 2  # only sure links
        assert len(batches) == 16 if most == 1 else len(batches) < 16


def test_the_pivot_can_be_chosen(data):
    assert LinkedBitext(data, ["en-de"], 32, "de").pivot == "de"
    with pytest.raises(XalignError, match=r"(?s)do not determine.*found: de-fr.*pivot_lang"):
        LinkedBitext(data, ["de-fr"], 32)
    data.pairs.clear()
    with pytest.raises(XalignError, match="no pair at all"):
        LinkedBitext(data, None, 32, "de")


def test_a_checkpoint_without_a_tokenizer_gets_that_of_the_data(data):
    state, maps = {"args": None, "cfg": {}, "model": {}}, LanguageMaps(["de"], "en", 1, 4)
    assert with_maps(state, maps, data)["task_state"]["tokenizer"]["symbols"] == data.dictionary.symbols
    kept = {"tokenizer": {"symbols": ["own"]}, "other": 1}
    made = with_maps({**state, "task_state": kept, RECORD: {"objectives": "mlm"}}, maps, data)
    assert made["task_state"] == kept and made[RECORD] == {"objectives": "mlm"}


def test_a_data_bin_of_other_ids_is_refused(data):
    require_same_tokenizer(tokenizer_state(data.dictionary, None), data, 21)
    require_same_tokenizer({}, data, 21)
    with pytest.raises(XalignError, match="found: 21 ids"):
        require_same_tokenizer({}, data, 22)
    with pytest.raises(XalignError, match="not the one"):
        require_same_tokenizer(tokenizer_state(Dictionary(LETTERS[::-1]), None), data, 21)


POSITIONS = 60


@pytest.fixture(scope="module")
def small_bin(databin, tmp_path_factory):
    """The data-bin's validation text as training text."""
    folder = tmp_path_factory.mktemp("small") / "databin"
    folder.mkdir()
    for path in [databin / "dict.txt", *databin.glob("valid.*")]:
        (folder / path.name.replace("valid.", "train.")).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def source(databin, tmp_path_factory):
    return checkpoint_of(databin, tmp_path_factory.mktemp("source") / "source.pt")


# Layer norm makes the mean 0, so no pair determines the image of (1, ..., 1): both signs of it are solutions. All
# solutions agree after this projection.
DETERMINED = torch.eye(16) - 1 / 16


def write(source, folder, out, **options):
    return MappedCheckpoint(source, folder, out, **options).write()


def linked_vectors(encoder, folder, pair):
    """S and T of all layers from the data-bin's files, pair by pair without a batch."""
    rows = encoder.config.side_rows(pair) or (0, 0)
    data = DataBin(folder)
    src, tgt = data.pair("train", *pair)
    found = []
    for a, b, (src_words, tgt_words, links) in zip(src, tgt, data.links("train", *pair), strict=True):
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
def test_maps_are_scipys_of_all_linked_words(source, small_bin, languages, tmp_path, monkeypatch):
    linalg = pytest.importorskip("scipy.linalg")
    if languages:
        torch.save(with_languages(checkpoint.read(source), *languages), tmp_path / "speaking.pt")
        source = tmp_path / "speaking.pt"
    monkeypatch.setattr(procrustes, "BATCH_TOKENS", 300)
    found = {each.language: each for each in write(source, small_bin, tmp_path / "out.pt")}
    encoder, heads = checkpoint.load_encoder(checkpoint.read(tmp_path / "out.pt"))
    maps = load_maps(heads)
    assert maps.languages == ("de", "fr") == tuple(found) and maps.of("en") is None
    for language in maps.languages:
        s, t = linked_vectors(encoder, small_bin, ("en", language))
        told = found[language]
        assert (told.pivot, told.word_pairs) == ("en", s.shape[1]) and told.after < told.before
        for layer in range(3):
            expected, _ = linalg.orthogonal_procrustes(t[layer].numpy(), s[layer].numpy())
            mine = maps.of(language)[layer]
            np.testing.assert_allclose(DETERMINED @ mine, DETERMINED.numpy() @ expected, atol=2e-4)
            np.testing.assert_allclose(mine @ mine.mT, np.eye(16), atol=1e-5)


def test_the_checkpoint_keeps_encoder_options_tokenizer_and_other_heads(source, small_bin, tmp_path):
    out = tmp_path / "out.pt"
    write(source, small_bin, out, lang_pairs=("en-fr",))
    old, new = checkpoint.read(source), checkpoint.read(out)
    assert new["cfg"] == old["cfg"]
    assert new["task_state"]["tokenizer"]["symbols"] == old["task_state"]["tokenizer"]["symbols"]
    assert set(new) == {"cfg", RECORD, "model", "task_state"} and new[RECORD] == training_record(old)
    changed = set(old["model"]) ^ set(new["model"])
    prefix = "heads.linear_mapping."
    assert changed == {f"{prefix}maps.xx", f"{prefix}maps.fr", f"{prefix}pivot.en"}
    assert all((new["model"][key] == value).all() for key, value in old["model"].items() if key in new["model"])


def test_mean_pooling(source, small_bin, tmp_path):
    maps = {}
    for pooling in ("first", "mean"):
        write(source, small_bin, tmp_path / pooling, lang_pairs=("en-de",), pooling=pooling)
        maps[pooling] = load_maps(checkpoint.load_encoder(checkpoint.read(tmp_path / pooling))[1])
    assert not maps["mean"].of("de").allclose(maps["first"].of("de"), atol=1e-2)


@pytest.mark.parametrize(
    ("pairs", "message"), [(("en-ru",), "no such language pair"), (("en-de", "fr-ru"), "do not determine")]
)
def test_bad_choices_are_refused_before_the_work(pairs, message, source, databin, tmp_path):
    with pytest.raises(XalignError, match=message):
        write(source, databin, tmp_path / "out.pt", lang_pairs=pairs)
    assert not list(tmp_path.iterdir())


def test_other_dictionaries_and_missing_links(source, databin, tmp_path):
    other = tmp_path / "databin"
    other.mkdir()
    for path in databin.iterdir():
        if ".links." not in path.name and path.name != "manifest.json":  # which would miss them
            (other / path.name).symlink_to(path)
    with pytest.raises(XalignError, match="no links between its words"):
        write(source, other, tmp_path / "out.pt", lang_pairs=("en-de",))
    dictionary = (other / "dict.txt").read_text().splitlines()
    (other / "dict.txt").unlink()
    (other / "dict.txt").write_text("\n".join([dictionary[1], dictionary[0], *dictionary[2:]]) + "\n")
    with pytest.raises(XalignError, match="dictionary is not the one"):
        write(source, other, tmp_path / "out.pt")
    assert not (tmp_path / "out.pt").exists()
