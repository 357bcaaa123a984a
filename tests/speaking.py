"""Checkpoints with language embeddings, made of those without."""

from argparse import Namespace

import torch

ROWS = "encoder.sentence_encoder.embed_languages.weight"


def with_languages(state, *names, scale=1.0):
    """The content of a checkpoint whose encoder adds an embedding for each of these languages, drawn from N(0, scale).

    With ``scale`` 0 it is the encoder that it was.
    """
    given = state["cfg"]["model"]
    options = {**(vars(given) if isinstance(given, Namespace) else given), "language_embeddings": ",".join(names)}
    dim = state["model"]["encoder.sentence_encoder.embed_tokens.weight"].shape[1]
    drawn = torch.randn(len(names), dim, generator=torch.Generator().manual_seed(5)) * scale
    cfg = {**state["cfg"], "model": Namespace(**options)}
    return {**state, "cfg": cfg, "model": {**state["model"], ROWS: drawn}}
