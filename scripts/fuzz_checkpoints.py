"""A small data-bin and checkpoint for scripts/fuzz.py, and checkpoints whose values are others than they should be."""

import contextlib
import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import torch

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import tokenizer_state

CONFIG = {"encoder_layers": 2, "encoder_embed_dim": 8, "encoder_ffn_embed_dim": 12, "encoder_attention_heads": 2}
SENTENCES = ["the red house", "a small cat sleeps", "das rote Haus", "la maison rouge est grande"] * 20


def make_data_bin(work: Path) -> Path:
    """A small data-bin with bitext and links, and a tokenizer of its own."""
    from xalign_fairseq.data.prepare.prepare import prepare
    from xalign_fairseq.data.prepare.sources import PairSource, PrepareOptions

    made = work / "data-bin"
    if not made.is_dir():
        sides = [work / f"text.{language}" for language in ("de", "en")]
        for path in sides:
            path.write_text("".join(f"{line}\n" for line in SENTENCES), encoding="utf-8")
        links = work / "text.links"
        links.write_text("0-0 1-1\n" * len(SENTENCES))
        source = PairSource("train", "de", "en", str(sides[0]), str(sides[1]), str(links))
        with contextlib.redirect_stderr(io.StringIO()):
            prepare(PrepareOptions(destdir=str(made), pairs=(source,), vocab_size=60, workers=1))
    return made


def make_checkpoint(data: Any) -> dict[str, Any]:
    """The content of a small checkpoint with the tokenizer of a data-bin, and a pointer."""
    torch.manual_seed(1)
    encoder = Encoder(EncoderConfig(data.dictionary.embedding_size, max_positions=20, **CONFIG))
    model = {f"encoder.{name}": value for name, value in encoder.state_dict().items()}
    for name in ("query", "key"):
        model[f"heads.dwa.pointer.{name}.weight"] = torch.eye(8)
        model[f"heads.dwa.pointer.{name}.bias"] = torch.zeros(8)
    return {
        "model": model,
        "cfg": {"model": {**CONFIG, "max_positions": 20}, "task": {"data": str(data.path)}},
        "task_state": {"tokenizer": tokenizer_state(data.dictionary, data.tokenizer_model), "family": "none"},
        "optimizer_history": [{"num_updates": 3}],
        "extra_state": {"best": 0.5},
    }


def alter_checkpoint(content: bytes, rng: np.random.Generator) -> bytes:
    """A whole checkpoint whose values, names, types or shapes are others than they should be."""
    state = torch.load(io.BytesIO(content), weights_only=True)
    for _ in range(int(rng.integers(1, 3))):
        _alter(state, rng)
    buffer = io.BytesIO()
    torch.save(state, buffer)
    return buffer.getvalue()


def _alter(state: Any, rng: np.random.Generator) -> None:
    """Change one value somewhere below."""
    container, key = state, None
    while isinstance(container, dict | list) and container:
        key = _choose(container, rng)
        below = container[key]
        if not isinstance(below, dict | list) or not below or rng.random() < 0.15:
            break
        container = below
    if key is None or not isinstance(container, dict | list):
        return
    change = rng.integers(4)
    if change == 0:
        container.pop(key)
    elif change == 1 and isinstance(container, dict):
        container[f"{key}x" if rng.random() < 0.7 else 7] = container.pop(key)
    else:
        container[key] = weird_value(rng, container[key])


def _choose(container: Any, rng: np.random.Generator) -> Any:
    return (
        list(container)[int(rng.integers(len(container)))]
        if isinstance(container, dict)
        else int(rng.integers(len(container)))
    )


def weird_value(rng: np.random.Generator, given: Any) -> Any:
    """Something in a value's place that is not what stood there."""
    made: list[Any] = [
        None, True, -1, 0, 2**63, 10**6, 1e308, float("nan"), "", "x" * 50, [], [1, "a"], {}, {"a": 1}, [[]] * 3,
        torch.zeros(0), torch.zeros(1_000_000), torch.zeros(3, 3, dtype=torch.int64), torch.zeros(()),
        torch.zeros(2, 2, dtype=torch.complex64), torch.eye(3).to_sparse(),
    ]  # fmt: skip
    if isinstance(given, torch.Tensor) and given.layout == torch.strided:
        made += [
            given[:-1] if given.dim() else given[None, None],
            given[None],
            given.double(),
            given.half(),
            given.long(),
            given.T if given.dim() == 2 else given,
        ]
    return made[int(rng.integers(len(made)))]


def weird_number(rng: np.random.Generator) -> bytes:
    """A number in eight bytes, for the headers of binary files."""
    values = [0, 1, -1, 2**31, 2**32 + 1, 2**62, -(2**63), 255]
    return struct.pack("<q", values[int(rng.integers(len(values)))])
