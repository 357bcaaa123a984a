"""The pairs that the closed form reads, and the checkpoint that its maps become part of."""

import pytest
import torch

import xalign_fairseq

xalign_fairseq.register()

from xalign_fairseq.core.errors import XalignError  # noqa: E402
from xalign_fairseq.data.databin import DataBin  # noqa: E402
from xalign_fairseq.data.mmap import MMapWriter, dtype_for_vocabulary  # noqa: E402
from xalign_fairseq.data.tokenizers.dictionary import Dictionary  # noqa: E402
from xalign_fairseq.encoder.config import EncoderConfig  # noqa: E402
from xalign_fairseq.encoder.mappings import LanguageMaps  # noqa: E402
from xalign_fairseq.encoder.transformer import Encoder  # noqa: E402
from xalign_fairseq.encoder.vocabulary import tokenizer_state  # noqa: E402
from xalign_fairseq.tasks.procrustes import LinkedBitext, check_dictionary, procrustes_maps, with_maps  # noqa: E402

LETTERS = "abcdefghijklmnop"
SIZES = {
    "encoder_layers": 1,
    "encoder_embed_dim": 4,
    "encoder_ffn_embed_dim": 8,
    "encoder_attention_heads": 2,
    "max_positions": 32,
}


@pytest.fixture
def data(tmp_path):
    """A data-bin of en-de and fr-en with links word by word, and of de-fr without links."""
    Dictionary(LETTERS).save(tmp_path / "dict.txt")
    for src, tgt, links in (("en", "de", True), ("fr", "en", True), ("de", "fr", False)):
        name = f"train.{src}-{tgt}"
        files = {lang: [[4 + i, 5 + i, 6 + i, 2] for i in range(8)] for lang in (src, tgt)}
        if links:
            files |= {f"{lang}.words": [[0, 1, 2]] * 8 for lang in (src, tgt)}
            files["links"] = [[0, 0, 1, 1, 1, 1, 2, 2, 0]] * 8  # the last link is a possible one
        for suffix, rows in files.items():
            with MMapWriter(tmp_path / f"{name}.{suffix}", dtype_for_vocabulary(30)) as writer:
                for row in rows:
                    writer.add(row)
    return DataBin(tmp_path)


def encoder_of(data):
    torch.manual_seed(0)
    return Encoder(EncoderConfig(data.dictionary.embedding_size, **SIZES)).eval()


def test_every_linked_pair_is_read_once_for_any_batches(data):
    bitext = LinkedBitext(data, "train", ["en-de", "fr-en"], None, 32)
    assert (bitext.pivot, bitext.languages, len(bitext)) == ("en", ["de", "en", "fr"], 16)
    for most in (1, 20, 1000):  # a pair longer than the maximum is a separate batch
        batches = list(bitext.batches(most, torch.device("cpu"), None))
        rows = [row for batch in batches for row in batch.tokens.tolist()]
        assert len(rows) == 16 and len({tuple(row) for row in rows}) == 8
        assert sum(len(batch.links) for batch in batches) == 16 * 2  # only sure links
        assert len(batches) == 16 if most == 1 else len(batches) < 16


@pytest.mark.parametrize(
    ("pairs", "pivot", "message"),
    [
        (["de-fr"], "de", r"no links between its words\n  where: .*\n  found: train de-fr\n  next: the command links"),
        (["de-fr"], None, r"share no language[\s\S]*train\n  found: de-fr"),
        (["en-xx"], "en", "no such language pair"),
    ],
)
def test_pairs_that_can_not_be_read(data, pairs, pivot, message):
    with pytest.raises(XalignError, match=message):
        LinkedBitext(data, "train", pairs, pivot, 32)


def test_maps_are_orthogonal_one_for_each_language_and_layer_and_the_same_in_any_batches(data):
    encoder, bitext = encoder_of(data), LinkedBitext(data, "train", ["en-de", "fr-en"], None, 32)
    told = []
    maps, problems = procrustes_maps(encoder, bitext, progress=told.append)
    assert sum(told) == 16 and problems.keys() == {"de", "fr"}
    single, _ = procrustes_maps(encoder, bitext, batch_tokens=1)
    for (language, weights), (other, again) in zip(maps.items(), single.items(), strict=True):
        assert language == other and weights.shape == (2, 4, 4)
        torch.testing.assert_close(weights @ weights.transpose(1, 2), torch.eye(4).expand(2, 4, 4), atol=1e-5, rtol=0)
        torch.testing.assert_close(weights, again, atol=1e-4, rtol=0)


def test_a_checkpoint_takes_maps_in_the_place_of_older_ones(data):
    encoder = encoder_of(data)
    state = {
        "args": None,
        "cfg": {"model": dict(SIZES)},
        "model": {f"encoder.{key}": value for key, value in encoder.state_dict().items()}
        | {"heads.linear_mapping.maps.xx": torch.zeros(2, 4, 4), "heads.dwa.agreement": torch.tensor(0.5)},
        "optimizer_history": [{"num_updates": 3}],
    }
    maps = LanguageMaps(["de"], "en", 1, 4)
    made = with_maps(state, maps, data)
    assert made.keys() == {"args", "cfg", "model", "task_state"}
    heads = {key for key in made["model"] if key.startswith("heads.")}
    assert heads == {"heads.dwa.agreement", *(f"heads.linear_mapping.{key}" for key in maps.state_dict())}
    assert made["task_state"]["tokenizer"]["symbols"] == data.dictionary.symbols
    kept = {"tokenizer": {"symbols": ["own"]}, "other": 1}
    assert with_maps({**state, "task_state": kept}, maps, data)["task_state"] == kept


def test_a_data_bin_of_other_ids_is_refused(data):
    check_dictionary({"task_state": {"tokenizer": tokenizer_state(data.dictionary, None)}}, 21, data)
    check_dictionary({}, 21, data)
    with pytest.raises(XalignError, match=r"found: 21 ids\n  expected: the checkpoint's 22 ids"):
        check_dictionary({}, 22, data)
    other = {"task_state": {"tokenizer": tokenizer_state(Dictionary(LETTERS[::-1]), None)}}
    with pytest.raises(XalignError, match="the first difference at id 4"):
        check_dictionary(other, 21, data)
