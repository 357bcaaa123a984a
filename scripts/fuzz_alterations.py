"""How fuzz.py alters a file: bytes, JSON values, and the values, names and shapes of checkpoints."""

import copy
import io
import json
import struct
from typing import Any

import numpy as np
import torch

HURTING = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\r", b"\r\n", b"\t\t", b"-1", b"9" * 5000, b"1e999", b"NaN",
    b"[" * 3000, b"{" * 3000, b'"', b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;", b"*x", b"&x [*x, *x]",
    b"!!python/none ", b"2001-01-01", b"\xf0\x9f\x98\x80", "\u2028".encode(), b"\x1a", b"%s%n", b"../../x", b" " * 3000,
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 3.5, 2**31, 2**63, 10**30, 1e308, float("inf"), float("nan"), "", "x", "\x00",
    "\ud800", [], [[]], {}, {"a": 1}, [1, 2, 3], ["a", "b"], 10**6, "9" * 400,
)  # fmt: skip
NUMBERS = (0, 1, -1, 2**31, 2**32 + 1, 2**62, -(2**63), 255)  # for the headers of binary files


def alter(content: bytes, name: str, rng: np.random.Generator) -> bytes:
    """Alter one file by its type or byte by byte."""
    if name.endswith(".pt") and rng.random() < 0.7:
        state = torch.load(io.BytesIO(content), weights_only=True)
        for _ in range(int(rng.integers(1, 3))):
            alter_value(state, rng, tensors())
        buffer = io.BytesIO()
        torch.save(state, buffer)
        return buffer.getvalue()
    if content[:1] == b"{" and rng.random() < 0.6:
        whole = json.loads(content)
        for _ in range(int(rng.integers(1, 3))):
            alter_value(whole, rng)
        return json.dumps(whole).encode("utf-8", "surrogatepass")
    for _ in range(int(rng.integers(1, 5))):
        content = alter_bytes(content, rng)
    return content


def alter_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    """Change bytes once."""
    at, other = sorted(int(rng.integers(len(content) + 1)) for _ in range(2))
    part = content[at : min(other, at + 200)]
    rest = content[at + len(part) :]
    what = int(rng.integers(7))
    if what == 0 and content:  # a bit
        place = min(at, len(content) - 1)
        return content[:place] + bytes([content[place] ^ 1 << int(rng.integers(8))]) + content[place + 1 :]
    if what == 1:
        return content[:at]
    if what == 2:
        return content[:at] + rest
    if what == 3:
        return content[:at] + part * int(rng.integers(2, 5)) + rest
    if what == 4:
        number = struct.pack("<q", NUMBERS[int(rng.integers(len(NUMBERS)))])
        return content[:at] + number[: int(rng.choice([1, 4, 8]))] + content[at + 8 :]
    if what == 5:
        return content[:at] + rng.bytes(int(rng.integers(1, 9))) + content[at:]
    return content[:at] + HURTING[int(rng.integers(len(HURTING)))] + content[at:]


def alter_value(container: Any, rng: np.random.Generator, more: tuple[Any, ...] = ()) -> None:
    """Remove, rename or replace one nested value; ``more``: other values to replace it by."""
    key = None
    while isinstance(container, dict | list) and container:
        keys = list(container) if isinstance(container, dict) else list(range(len(container)))
        key = keys[int(rng.integers(len(keys)))]
        below = container[key]
        if not isinstance(below, dict | list) or not below or rng.random() < 0.2:
            break
        container = below
    if key is None or not container:
        return
    change = rng.integers(5)
    if change == 0:
        container.pop(key)
    elif change == 1 and isinstance(container, dict):
        container[f"{key}x"] = container.pop(key)
    else:
        values = (*VALUES, *more, *shapes(container[key]))
        container[key] = copy.deepcopy(values[int(rng.integers(len(values)))])


def tensors() -> tuple[torch.Tensor, ...]:
    """Tensors to replace a value by."""
    return (
        torch.zeros(0), torch.zeros(1_000_000), torch.zeros(3, 3, dtype=torch.int64), torch.zeros(()),
        torch.zeros(2, 2, dtype=torch.complex64), torch.eye(3).to_sparse(),
    )  # fmt: skip


def shapes(given: Any) -> tuple[torch.Tensor, ...]:
    """A tensor with another shape or type; None for another value."""
    if not isinstance(given, torch.Tensor) or given.layout != torch.strided:
        return ()
    short, turned = given[:-1] if given.dim() else given[None, None], given.T if given.dim() == 2 else given
    return short, turned, given[None], given.double(), given.half()
