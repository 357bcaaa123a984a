"""A checkpoint as fairseq writes it, with a tiny untrained encoder, and text to align with it."""

import random

import pytest
import torch

from support.text import encoder_state, sentencepiece_model
from xalign_fairseq.data.tokenizers.tokenizer import dictionary_of_model, load_sentencepiece
from xalign_fairseq.transport.linking import Linking

TEXT = "the red house is big a cat sees dogs run home now we have seven trees near river they sing old songs"
WORDS = TEXT.split()
SIZES = {
    "encoder_layers": 3,
    "encoder_embed_dim": 16,
    "encoder_ffn_embed_dim": 32,
    "encoder_attention_heads": 2,
    "max_positions": 64,
}


@pytest.fixture(scope="session")
def tiny_text(tmp_path_factory):
    """A folder with text.en, text.xx (40 lines, some empty), text.pairs and text.gold (0-based)."""
    folder = tmp_path_factory.mktemp("text")
    rng = random.Random(0)
    lines = [[rng.choices(WORDS, k=rng.randint(1, 9)) for _ in range(2)] for _ in range(40)]
    lines[3][0] = lines[7][1] = lines[9][0] = lines[9][1] = []
    gold = []
    for src, tgt in lines:
        gold.append(" ".join([f"{i}{rng.choice('-p')}{min(i, len(tgt) - 1)}" for i in range(len(src)) if tgt]))
    for name, side in (("en", 0), ("xx", 1)):
        (folder / f"text.{name}").write_text("".join(" ".join(line[side]) + "\n" for line in lines))
    (folder / "text.pairs").write_text("".join(f"{' '.join(src)} ||| {' '.join(tgt)}\n" for src, tgt in lines))
    (folder / "text.gold").write_text("".join(line + "\n" for line in gold))
    return folder


@pytest.fixture(scope="session")
def tiny_spm():
    """The bytes of a sentencepiece model of the words of the text."""
    rng = random.Random(0)
    return sentencepiece_model([" ".join(rng.sample(WORDS, 6)) for _ in range(300)], vocab_size=60)


@pytest.fixture(scope="session")
def tiny_state(tiny_spm):
    """The content of a checkpoint: options, weights, tokenizer; the labelling layer is the first."""
    dictionary = dictionary_of_model(load_sentencepiece(tiny_spm))
    state = encoder_state(dictionary, tiny_spm, SIZES, noise=0.3, arch="xalign_tiny")
    state["cfg"]["criterion"] = {"_name": "xlm_align"}
    state["task_state"]["labelling"] = Linking("transport", layers=(1,), similarity="hidden").state()
    return state | {"last_optimizer_state": None}


@pytest.fixture(scope="session")
def tiny_checkpoint(tiny_state, tmp_path_factory):
    """Path of the checkpoint."""
    path = tmp_path_factory.mktemp("checkpoint") / "checkpoint_best.pt"
    torch.save(tiny_state, path)
    return path
