import argparse
from pathlib import Path

import pytest
import torch

from xalign_fairseq.encoder.pretrained import known
from xalign_fairseq.encoder.pretrained.known import KNOWN, family_of, recognise, recognise_checkpoint
from xalign_fairseq.encoder.pretrained.reading import read_pretrained

XLM_R_BASE, XLM_R_LARGE, MINI = (12, 768, 3072, 250002), (24, 1024, 4096, 250002), (12, 384, 1536, 250002)
NORM = [0.4584961, 0.4531250, 0.4379883, 0.4140625]


def weights_of(sizes, head=False, norm=()):
    """Weights of these sizes, without memory."""
    layers, hidden, inner, ids = sizes
    prefix = "encoder.sentence_encoder."
    found = {f"{prefix}layers.{layer}.fc1.weight": torch.zeros(1).expand(inner, hidden) for layer in range(layers)}
    found[prefix + "embed_tokens.weight"] = torch.zeros(1).expand(ids, hidden)
    found[prefix + "layernorm_embedding.weight"] = torch.tensor([*norm, *[1.0] * (hidden - len(norm))])
    if head:
        found["encoder.lm_head.bias"] = torch.zeros(1).expand(ids)
    return found


@pytest.mark.parametrize("model", KNOWN, ids=lambda model: model.family)
def test_a_name_with_its_own_sizes(model):
    weights = weights_of(model.sizes)
    for name in (model.family, *model.names):
        assert (
            recognise(weights, [name]) == recognise(weights, ["other", f"Organisation/{name.upper()}"]) == model.family
        )
    layers, *others = model.sizes
    assert recognise(weights_of((layers + 1, *others)), model.names) is None


@pytest.mark.parametrize(
    ("sizes", "head", "norm", "family"),
    [
        (XLM_R_BASE, True, (), "xlm-r-base"),
        (XLM_R_BASE, False, (), None),  # for example e5-base
        (XLM_R_LARGE, True, (), "xlm-r-large"),
        (XLM_R_LARGE, False, (), None),
        (MINI, True, (), None),
        (MINI, False, (), None),
        (MINI, False, NORM, "e5-small"),
        (MINI, False, torch.tensor(NORM).half().tolist(), "e5-small"),
        (MINI, False, [0.46, *NORM[1:]], None),
        ((12, 768, 3072, 119547), True, (), "mbert"),
        ((12, 768, 3072, 119547), False, (), None),
        ((12, 768, 3072, 501153), False, (), "labse"),
        ((12, 768, 3072, 901629), False, (), "xlm-v-base"),
        ((12, 768, 3072, 401145), False, (), "glot500-base"),
        ((12, 768, 3072, 30522), True, (), None),
    ],
)
def test_sizes_without_a_name(sizes, head, norm, family):
    assert recognise(weights_of(sizes, head, norm), ["", "/home/me/model"]) == family


@pytest.mark.parametrize(
    ("called", "family"),
    [
        ("intfloat/multilingual-e5-base", "e5-base"),
        ("/home/me/.cache/huggingface/hub/models--intfloat--multilingual-e5-base/snapshots/d13f1b27", "e5-base"),
        ("cache/sentence-transformers_paraphrase-multilingual-mpnet-base-v2/", "mpnet-base"),
        ("microsoft/infoxlm-base", "infoxlm-base"),
        ("runs/xlmr.base/model.pt", "xlm-r-base"),
        ("intfloat/multilingual-e5-base-instruct", None),
        ("multilingual-e5-base/my-own-model", None),
        ("BAAI/bge-m3", None),  # which is large
    ],
)
def test_names_in_all_spellings(called, family):
    assert recognise(weights_of(XLM_R_BASE), [called]) == family


def fairseq_state(head=True, **options):
    return {"args": argparse.Namespace(**options), "model": weights_of(XLM_R_BASE, head)}


def test_xlm_rs_archive():
    assert recognise_checkpoint(fairseq_state(arch="roberta_base"), Path("xlmr.base/model.pt")) == "xlm-r-base"
    assert recognise_checkpoint(fairseq_state(arch="roberta_base"), Path("elsewhere/model.pt")) == "xlm-r-base"
    assert recognise_checkpoint(fairseq_state(False), Path("elsewhere/model.pt")) is None


@pytest.mark.parametrize(
    ("began", "family"),
    [("models/xlmr.base", "xlm-r-base"), ("microsoft/xlm-align-base", "xlm-align-base"), (None, None)],
)
def test_a_model_of_this_package_has_the_family_of_its_origin(began, family):
    options = {"_name": "xalign_base", "init_checkpoint": began}
    state = {**fairseq_state(), "cfg": {"model": options, "checkpoint": {}}}
    assert recognise_checkpoint(state, Path("xlmr.base/checkpoint_best.pt")) == family
    state["cfg"] = {"model": {**options, "init_checkpoint": None}, "checkpoint": {"finetune_from_model": began}}
    assert recognise_checkpoint(state, Path("xlmr.base/checkpoint_best.pt")) == family


def test_checkpoints_are_read_with_their_family(tmp_path, monkeypatch, roberta, old_state):
    torch.save(old_state, tmp_path / "model.pt")
    assert family_of(read_pretrained(tmp_path)[0]) is None
    monkeypatch.setattr(known, "KNOWN", (known.KnownModel("tiny", (), (3, 24, 40, 35), known.ALWAYS),))
    assert family_of(read_pretrained(tmp_path)[0]) == "tiny"
