from functools import partial

import pytest
from support.text import LINES

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.prepare.sources import MonoSource, PairSource, PrepareOptions
from xalign_fairseq.encoder.pretrained import preparing
from xalign_fairseq.encoder.pretrained.preparing import prepare_data
from xalign_fairseq.encoder.pretrained.reading import read_pretrained, read_tokenizer
from xalign_fairseq.encoder.vocabulary import require_same_tokenizer


@pytest.fixture
def pair(tmp_path):
    """Two lines of text on both sides."""
    for side in ("xx", "yy"):
        (tmp_path / f"train.{side}").write_text("".join(f"{line}\n" for line in LINES[:2]), encoding="utf-8")
    return PairSource("train", "xx", "yy", f"{tmp_path}/train.xx", f"{tmp_path}/train.yy")


def test_a_trimmed_vocabulary_and_its_model(transfer_encoder, pair, tmp_path, monkeypatch):
    monkeypatch.setattr(preparing, "trim", partial(preparing.trim, floor=0))  # the vocabulary is smaller than the floor
    out = tmp_path / "bin"
    prepare_data(PrepareOptions(out, [pair], tokenizer=transfer_encoder, trim_vocabulary=True, quiet=True))
    state, where = read_pretrained(out)
    data, whole = DataBin(out), read_tokenizer(transfer_encoder)
    assert where == out / "model.pt" and state["task_state"]["trimmed"]["to"] == ["train.xx", "train.yy"]
    assert data.manifest["options"]["trim_vocabulary"]
    embeddings = state["model"]["encoder.sentence_encoder.embed_tokens.weight"]
    assert data.dictionary.embedding_size == len(embeddings) < whole.dictionary.embedding_size
    require_same_tokenizer(state["task_state"]["tokenizer"], data)
    with pytest.raises(XalignError, match=f"begin with init_checkpoint=.*{out}"):
        require_same_tokenizer({"symbols": whole.dictionary.symbols}, data)
    ids = [item.tolist() for item in data.pair("train", "xx", "yy")[0]]
    assert [[data.dictionary.symbols[i] for i in each[:-1]] for each in ids] == [
        [whole.dictionary.symbols[i] for i in whole.encode(text)] for text in LINES[:2]
    ]


def test_the_whole_tokenizer(transfer_encoder, pair, tmp_path):
    prepare_data(PrepareOptions(tmp_path / "bin", [pair], tokenizer=transfer_encoder, quiet=True))
    assert DataBin(tmp_path / "bin").dictionary.digest == read_tokenizer(transfer_encoder).dictionary.digest
    assert not (tmp_path / "bin/model.pt").exists()


@pytest.mark.parametrize("trimmed", [False, True])
def test_the_model_is_not_replaced_by_the_data(transfer_encoder, pair, trimmed, tmp_path_factory):
    text, made = MonoSource("train", "xx", (pair.src_path,)), tmp_path_factory.mktemp("data") / "model.pt"
    made.with_name("manifest.json").touch()
    made.write_bytes(transfer_encoder.read_bytes())
    options = {"tokenizer": made, "trim_vocabulary": trimmed, "overwrite": True}
    with pytest.raises(XalignError, match="is or contains an input, which would be lost"):
        prepare_data(PrepareOptions(made.parent, mono=[text], **options))
    assert made.is_file()
