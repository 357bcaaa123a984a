import shutil

import pytest
import torch
from support.text import sentencepiece_model

from xalign_fairseq.aligner.statistical.folder import DONE
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.tokenizer import dictionary_of_model, load_sentencepiece
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.exporting import export
from xalign_fairseq.encoder.pretrained.reading import open_model, read_pretrained, read_tokenizer
from xalign_fairseq.encoder.pretrained.saving import convert
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.transport.linking import Linking

LETTERS = "abcdefghijklmnopqrs"
# 3 special symbols and 30 pieces: with <pad> and <mask>, the 35 ids of fairseq's small RoBERTa.
PIECES = 33


@pytest.fixture(scope="module")
def spm():
    text = [" ".join(LETTERS[i : i + 1 + i % 4] for i in range(start, start + 6)) for start in range(13)] * 20
    return sentencepiece_model(text, vocab_size=PIECES, hard_vocab_limit=True)


@pytest.fixture
def xlmr_base(old_state, spm, tmp_path):
    """A folder as XLM-R's archive is one: model.pt of an old release, dict.txt, sentencepiece.bpe.model."""
    folder = tmp_path / "xlmr.base"
    folder.mkdir()
    torch.save(old_state, folder / "model.pt")
    dictionary_of_model(load_sentencepiece(spm)).save(folder / "dict.txt")
    (folder / "sentencepiece.bpe.model").write_bytes(spm)
    return folder


def assert_same_logits(state, where, roberta, tokens, rtol=2e-5, atol=2e-5):
    encoder, _ = checkpoint.load_encoder(state, where)
    keep = tokens.ne(1)
    found = encoder.lm_head(encoder.states(tokens).layer()[keep])
    torch.testing.assert_close(found, roberta[0](tokens)[0][keep], rtol=rtol, atol=atol)


def test_xlm_r_s_archive(xlmr_base, roberta, tokens, spm):
    for path in (xlmr_base, xlmr_base / "model.pt"):
        state, where = read_pretrained(path)
        assert where == xlmr_base / "model.pt"
        assert_same_logits(state, where, roberta, tokens)
        tokenizer = load_tokenizer(state, 35, where=where)
        ids = load_sentencepiece(spm).encode("abc de fgh")
        assert tokenizer.encode("abc de fgh") == [i + 1 for i in ids]


@pytest.mark.parametrize("target", ["again.pt", "again"])
def test_xlm_r_s_archive_as_a_self_contained_checkpoint(xlmr_base, old_state, roberta, tokens, tmp_path, target):
    from fairseq.logging.meters import AverageMeter

    half = {name: value.half() for name, value in old_state["model"].items()}
    torch.save({**old_state, "model": half, "extra_state": {"loss": AverageMeter()}}, xlmr_base / "model.pt")
    convert(xlmr_base, tmp_path / target)
    shutil.rmtree(xlmr_base)
    state, where = read_pretrained(tmp_path / target)
    assert {value.dtype for value in state["model"].values()} == {torch.float32}
    assert_same_logits(state, where, roberta, tokens, rtol=0, atol=0.02)  # of half precision
    assert load_tokenizer(state, 35).encode("abc de fgh")  # whatever its path


def test_the_output_does_not_replace_the_model(xlmr_base, tmp_path):
    export(xlmr_base, tmp_path / "hf")
    for make, source, target in [
        (export, xlmr_base, xlmr_base),
        (export, xlmr_base / "model.pt", tmp_path),
        (convert, tmp_path / "hf", tmp_path / "hf/../hf"),
    ]:
        with pytest.raises(XalignError, match="is or contains an input"):
            make(source, target, overwrite=True)
        assert (xlmr_base / "model.pt").is_file() and (tmp_path / "hf/config.json").is_file()
    export(xlmr_base, xlmr_base / "hf")  # harmless inside it


def test_heads_of_fairseq_are_named_and_left_out(xlmr_base, old_state, roberta, tokens, tmp_path, caplog):
    old_state["model"]["classification_heads.mnli.dense.weight"] = torch.zeros(3, 3)
    torch.save(old_state, xlmr_base / "model.pt")
    export(xlmr_base, tmp_path / "hf")
    assert "not exported from" in caplog.text and "classification_heads.mnli.dense.weight" in caplog.text
    assert "no record of a training" in (tmp_path / "hf/README.md").read_text()
    state, where = read_pretrained(tmp_path / "hf")
    assert not [name for name in state["model"] if "mnli" in name]
    assert_same_logits(state, where, roberta, tokens)


@pytest.mark.parametrize(
    "names", [["checkpoint_best.pt", "checkpoint_last.pt"], ["model.pt", "checkpoint_best.pt"], ["checkpoint_last.pt"]]
)
def test_a_folder_of_checkpoints(old_state, tmp_path, names):
    for name in names:
        torch.save({**old_state, "name": name}, tmp_path / name)
    (tmp_path / "config.json").write_text("{}")
    state, where = read_pretrained(str(tmp_path))
    assert where == tmp_path / names[0] and state["name"] == names[0]


def test_inputs_that_are_not_checkpoints(tmp_path):
    with pytest.raises(XalignError, match=r"folder has no checkpoint[\s\S]*found: nothing[\s\S]*model.pt"):
        read_pretrained(tmp_path)
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(XalignError, match=r"folder has no checkpoint[\s\S]*notes.txt[\s\S]*config.json"):
        read_pretrained(tmp_path)
    with pytest.raises(XalignError, match=r"not a checkpoint[\s\S]*next: check the path; a model is"):
        read_pretrained(tmp_path / "notes.txt")
    (tmp_path / DONE).touch()
    with pytest.raises(XalignError, match="statistics of bitext, without an encoder"):
        read_pretrained(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(XalignError, match=rf"given by its folder[\s\S]*give {tmp_path}$"):
        read_pretrained(tmp_path / "model.safetensors")
    with pytest.raises(XalignError, match=r"does not exist"):
        read_pretrained(tmp_path / "none.pt")
    with pytest.raises(XalignError, match=r"does not exist"):
        read_pretrained(tmp_path / "none")


LABELLING = Linking("argmax", {}, (1,), "hidden").state()


@pytest.fixture
def stored(tiny_checkpoint, tmp_path):
    """Writes the checkpoint with another task state."""

    def write(**task_state):
        state = torch.load(tiny_checkpoint, weights_only=False)
        state["task_state"].update(task_state)
        torch.save(state, tmp_path / "model.pt")
        return tmp_path / "model.pt"

    return write


def test_the_parts_of_a_model(stored):
    path = stored(labelling=LABELLING, family="e5-small", trimmed={"to": ["a", "b"]})
    model = open_model(path)
    assert (model.where, model.family, model.trimmed, model.linking) == (
        path,
        "e5-small",
        ("a", "b"),
        Linking("argmax", {}, (1,), "hidden"),
    )
    assert model.encoder.name == str(path) and not model.encoder.training
    assert model.tokenizer.dictionary.symbols == read_tokenizer(path).dictionary.symbols


def test_missing_parts_raise_errors(stored):
    model = open_model(stored(labelling=None))
    assert model.linking is None
    assert model.scorer() is None
    for missing, message in ((model.maps, "no linear maps"), (model.pointer, "no pointer")):
        with pytest.raises(XalignError, match=message):
            missing()
