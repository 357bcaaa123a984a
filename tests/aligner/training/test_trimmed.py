from functools import partial
from pathlib import Path

import torch

from xalign_fairseq.aligner.training import trimmed
from xalign_fairseq.encoder.pretrained.reading import read_pretrained, read_tokenizer
from xalign_fairseq.encoder.pretrained.trimming import trim

EMBEDDINGS = "encoder.sentence_encoder.embed_tokens.weight"


def test_what_was_learned_is_in_the_whole_model(small_run, monkeypatch):
    monkeypatch.setattr(trimmed, "trim", partial(trim, floor=0))
    small_run.out.mkdir()
    assert " ids (before: " in trimmed.trim_model(small_run)
    small, _ = read_pretrained(small_run.out / trimmed.TRIMMED)
    before, whole = read_tokenizer(small_run.model), read_tokenizer(small_run.out / trimmed.TRIMMED)
    for path in (small_run.src, small_run.tgt, small_run.dev.src, small_run.dev.tgt):
        for line in Path(path).read_text().splitlines():
            pieces = [[each.dictionary.symbols[i] for i in each.encode(line)] for each in (before, whole)]
            assert pieces[0] == pieces[1]

    small["model"][EMBEDDINGS] += 1
    torch.save(small, small_run.out / "checkpoint_best.pt")
    path = trimmed.put_back(small_run, small_run.out / "checkpoint_best.pt")
    learned, original = read_pretrained(path)[0]["model"], read_pretrained(small_run.model)[0]["model"]
    moved = (learned[EMBEDDINGS] != original[EMBEDDINGS]).any(1)
    assert int(moved.sum()) == len(small["model"][EMBEDDINGS]) < len(original[EMBEDDINGS])
    layer = "encoder.sentence_encoder.layers.0.fc1.weight"
    assert learned[layer].equal(original[layer])
