from pathlib import Path

import numpy as np
import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.huggingface.side_files import RECORD
from xalign_fairseq.encoder.pretrained.packaged import PACKAGE
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.trimming import TRIMMED, summary, trim, untrim, write_trimmed, write_untrimmed
from xalign_fairseq.encoder.vocabulary import load_tokenizer

EMBEDDINGS, BIAS = "encoder.sentence_encoder.embed_tokens.weight", "encoder.lm_head.bias"
COPY = "heads.reg_param.anchor.encoder.embed_tokens.weight"
NTREX = Path(__file__).resolve().parents[4] / "shared" / "data" / "bitext" / "ntrex128"
TEXT = ["Ann likes the red house .", "Bob finds a dog .", "", "3.14 ☃"]


@pytest.fixture
def model(transfer_encoder):
    """A checkpoint's content with a random bias, a copy of the embeddings in a head, and its path."""
    state, where = read_pretrained(transfer_encoder)
    weights = {name: value.clone() for name, value in state["model"].items()}
    generator = torch.Generator().manual_seed(3)
    weights[BIAS] = torch.randn(len(weights[EMBEDDINGS]), generator=generator)
    weights["encoder.lm_head.weight"] = weights[EMBEDDINGS]
    weights[COPY] = weights[EMBEDDINGS] + 1
    weights["heads.dwa.pointer.query.weight"] = torch.randn(8, 32, generator=generator)
    stored = {**state["task_state"], "family": "e5-small", "lexicons": [], "transfer": {"benchmark": "xnli"}}
    return {**state, "model": weights, "task_state": stored, "last_optimizer_state": {"m": torch.zeros(3)}}, where


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.en"
    path.write_text("".join(f"{line}\n" for line in TEXT))
    return path


def opened(state):
    encoder, heads = checkpoint.load_encoder(state)
    return encoder, heads, load_tokenizer(state, encoder.config.vocab_size)


def states_of(encoder, tokenizer, lines):
    """The last layer's states and the logits of all pieces, of the lines in one batch."""
    ids = [[0, *tokenizer.encode(line), 2] for line in lines]
    batch = torch.ones(len(ids), max(map(len, ids)), dtype=torch.long)
    for row, each in zip(batch, ids, strict=True):
        row[: len(each)] = torch.tensor(each)
    with torch.no_grad():
        hidden = encoder.states(batch).layer()
        return hidden, encoder.lm_head(hidden)


def test_states_and_logits_of_the_text_are_the_same(model, text):
    state, where = model
    small = trim(state, where, [text], floor=10)
    (encoder, heads, tokenizer), (less, fewer, its) = opened(state), opened(small)
    assert 10 < less.config.vocab_size < encoder.config.vocab_size
    (hidden, logits), (mine, my_logits) = states_of(encoder, tokenizer, TEXT), states_of(less, its, TEXT)
    assert torch.equal(hidden, mine)
    rows = [tokenizer.dictionary.index(symbol) for symbol in its.dictionary.symbols] + [encoder.config.vocab_size - 1]
    torch.testing.assert_close(my_logits, logits[..., rows], rtol=1e-5, atol=1e-5)
    assert torch.equal(fewer[COPY], heads[COPY][rows])
    assert torch.equal(fewer["heads.dwa.pointer.query.weight"], heads["heads.dwa.pointer.query.weight"])
    assert less.lm_head.weight is less.sentence_encoder.embed_tokens.weight


def test_a_trimmed_checkpoint_records_its_trimming(model, text, tmp_path):
    state, where = model
    torch.save(trim(state, where, [text], floor=10), tmp_path / "small.pt")
    again, _ = read_pretrained(tmp_path / "small.pt")
    size = len(state["model"][EMBEDDINGS])
    ids = len(again["model"][EMBEDDINGS])
    assert again["task_state"][TRIMMED] == {"to": ["a.en"], "ids": ids, "of": size}
    assert again["task_state"].keys() == {"tokenizer", "family", "transfer", TRIMMED}
    assert "last_optimizer_state" not in again and again["cfg"] == state["cfg"]
    assert again["model"][EMBEDDINGS].data_ptr() == again["model"]["encoder.lm_head.weight"].data_ptr()
    opened(again)
    assert f"{ids:,} ids (before: {size:,})" in summary(again, state)
    again_less = trim(again, where, [text], floor=0)
    assert again_less["task_state"][TRIMMED] == {
        "to": ["a.en"],
        "ids": len(again_less["model"][EMBEDDINGS]),
        "of": size,
    }
    assert state["task_state"].keys() > {"lexicons"}  # the original is unchanged


def test_a_restored_model_is_the_original_with_trained_parameters(model, text):
    state, where = model
    small = trim(state, where, [text], floor=10)
    whole = untrim(small, where, state, where)
    assert whole["model"].keys() == state["model"].keys()
    unlike = [name for name, value in whole["model"].items() if not torch.equal(value, state["model"][name])]
    assert unlike == [COPY]  # an anchor has no other original than the embeddings
    assert TRIMMED not in whole["task_state"] and whole["task_state"]["family"] == "e5-small"
    assert small[RECORD] == {"vocabulary trimmed to": "a.en"} and whole[RECORD] == {}
    symbols = [each["task_state"]["tokenizer"]["symbols"] for each in (whole, state, small)]
    assert symbols[0] == symbols[1] != symbols[2]

    trained = {**small, "model": {name: value + 0.5 for name, value in small["model"].items()}}
    trained["model"]["encoder.lm_head.weight"] = trained["model"][EMBEDDINGS]
    whole = untrim(trained, where, state, where)
    rows = [symbols[1].index(symbol) for symbol in symbols[2]] + [len(state["model"][EMBEDDINGS]) - 1]
    others = np.setdiff1d(np.arange(len(state["model"][EMBEDDINGS])), rows)
    for name in (EMBEDDINGS, BIAS):
        assert torch.equal(whole["model"][name][rows], trained["model"][name])
        assert torch.equal(whole["model"][name][others], state["model"][name][others])
    (encoder, _, tokenizer), (less, _, its) = opened(whole), opened(trained)
    assert torch.equal(states_of(encoder, tokenizer, TEXT)[0], states_of(less, its, TEXT)[0])
    assert trim(whole, where, [text], floor=10)["model"][EMBEDDINGS].equal(trained["model"][EMBEDDINGS])


def test_an_original_of_other_pieces_or_sizes_is_refused(model, text, tiny_state):
    state, where = model
    small = trim(state, where, [text], floor=10)
    with pytest.raises(XalignError, match=r"(?s)not trimmed from this one.*pieces that the original lacks"):
        untrim(small, where, tiny_state, "other.pt")
    wider = {**state, "model": {**state["model"], EMBEDDINGS: torch.zeros(len(state["model"][EMBEDDINGS]), 7)}}
    with pytest.raises(XalignError, match="hidden size"):
        untrim(small, where, wider, "wider.pt")


def test_e5_small_on_ten_thousand_lines_in_twenty_languages(tmp_path):
    """The packaged encoder: all lines are cut into the same pieces, and some have the same states."""
    pytest.importorskip(PACKAGE)
    if not NTREX.is_dir():
        pytest.skip("no NTREX at ../shared/data/bitext")
    lines = [line for path in sorted(NTREX.glob("ntrex.*")) for line in path.read_text().split("\n")[:500]]
    assert len(lines) > 9_900 and len(list(NTREX.glob("ntrex.*"))) >= 20
    path = tmp_path / "text"
    path.write_text("\n".join(lines) + "\n")
    state, where = read_pretrained("e5-small")
    small = trim(state, where, [path])
    (encoder, _, tokenizer), (less, _, its) = opened(state), opened(small)
    assert less.config.vocab_size < encoder.config.vocab_size / 2
    (ids, sizes), (mine, my_sizes) = tokenizer.encode_batch(lines), its.encode_batch(lines)
    rows = np.array([*map(tokenizer.dictionary.index, its.dictionary.symbols), encoder.config.vocab_size - 1])
    assert np.array_equal(sizes, my_sizes) and np.array_equal(ids, rows[mine])
    some = lines[::1000]
    assert torch.equal(states_of(encoder, tokenizer, some)[0], states_of(less, its, some)[0])


def test_inputs_are_not_overwritten(transfer_encoder, text, tmp_path):
    small = tmp_path / "small.pt"
    for out in (transfer_encoder, str(text)):
        with pytest.raises(XalignError, match="which would be lost"):
            write_trimmed(transfer_encoder, [str(text)], out, overwrite=True)
    write_trimmed(transfer_encoder, [str(text)], small)
    for out in (small, transfer_encoder):
        with pytest.raises(XalignError, match="which would be lost"):
            write_untrimmed(small, transfer_encoder, out, overwrite=True)
