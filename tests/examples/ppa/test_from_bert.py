"""PPA's recipe from text to links, starting from a small BERT folder as the paper starts from mBERT."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.examples.stand_ins import EXAMPLES, VARIABLES
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceSettings
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.reading import read_pretrained

ENGLISH = ["the", "red", "house", "stands", "on", "a", "green", "hill", "near"]
GERMAN = ["die", "rote", "Katze", "schläft", "über", "dem", "großen", "Fluss"]
TINY = {"num_hidden_layers": 3, "hidden_size": 128, "intermediate_size": 512, "num_attention_heads": 4}


@pytest.fixture
def text(tmp_path):
    draw = random.Random(1)
    for split, pairs in (("train", 48), ("valid", 8)):
        for lang, words in (("de", GERMAN), ("en", ENGLISH)):
            file = tmp_path / f"text/de-en/{split}.{lang}"
            file.parent.mkdir(parents=True, exist_ok=True)
            lines = (" ".join(draw.choices(words, k=draw.randint(12, 20))) for _ in range(pairs))
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path / "text"


def recipe(script, *arguments, **variables):
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    inherited = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    environment = {**inherited, "PATH": path, "OMP_NUM_THREADS": "1", **variables}
    command = ["bash", str(EXAMPLES / "ppa" / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.slow
def test_the_recipe_runs_from_a_bert_folder(text, tmp_path, transformers):
    symbols = ["[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *ENGLISH, *GERMAN, "##s"]
    folder = tmp_path / "bert"
    torch.manual_seed(0)
    transformers.BertForPreTraining(transformers.BertConfig(vocab_size=len(symbols), **TINY)).save_pretrained(folder)
    (folder / "vocab.txt").write_text("".join(f"{symbol}\n" for symbol in symbols), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    bert = folder
    recipe("1_data.sh", text, tmp_path / "bin", "de-en", TOKENIZER=str(bert), WORKERS="1")
    data = DataBin(tmp_path / "bin")
    assert isinstance(data.tokenizer_model, WordPieceSettings) and "schläft" in data.dictionary.symbols
    sizes = {"UPDATES": "2", "WARMUP": "1", "BATCH": "8", "ARCH": "xalign_tiny", "DEVICE": "--cpu"}
    options = ("--moco-queue-size", "32", "--num-workers", "0")
    recipe("2_train.sh", tmp_path / "bin", tmp_path / "run", "ppa", *options, INIT=str(bert), **sizes)

    state, _ = read_pretrained(tmp_path / "run/checkpoint_last.pt")
    trained, heads = checkpoint.load_encoder(state)
    begun, _ = checkpoint.load_encoder(read_pretrained(bert)[0])
    assert trained.config.layer_norm_eps == 1e-12 and any(name.startswith("heads.moco.") for name in heads)
    moved = max((value - trained.state_dict()[name]).abs().max() for name, value in begun.state_dict().items())
    assert 0 < moved < 2.5 * 3e-5  # Adam moves by at most the learning rate in each of the first updates
    [pair] = Aligner.from_pretrained(tmp_path / "run/checkpoint_last.pt", device="cpu").align(
        ["die rote Katze schläft"], ["the red house stands"]
    )
    assert pair.links
