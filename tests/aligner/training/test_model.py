from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from support.checkpoints import with_languages

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.training import model
from xalign_fairseq.aligner.training.model import RunFolder, aer_of, digest, open_start
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.core.locks import locked_folder
from xalign_fairseq.encoder.pretrained.known import FAMILY
from xalign_fairseq.encoder.pretrained.reading import read_pretrained, read_tokenizer
from xalign_fairseq.encoder.pretrained.trimming import trim
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.transport.linking import Linking

EMBEDDINGS = "encoder.sentence_encoder.embed_tokens.weight"
WEIGHTS = {"a": torch.arange(6.0).view(2, 3), "b": torch.zeros(2, dtype=torch.float16)}


def test_the_layer_is_the_requested_one_or_follows_the_depth(small_run):
    assert open_start(small_run).layer == 2  # 10/12 of two layers
    assert open_start(replace(small_run, layer=1)).layer == open_start(replace(small_run, layer=-2)).layer == 1
    assert open_start(small_run).config.encoder_embed_dim == 32
    with pytest.raises(XalignError, match="layer"):
        open_start(replace(small_run, layer=3))
    assert open_start(replace(small_run, freeze_layers=2)).run.freeze_layers == 2
    with pytest.raises(XalignError, match=r"freeze_layers[\s\S]*99[\s\S]*0 to 2"):
        open_start(replace(small_run, freeze_layers=99))


def test_options_are_checked_as_the_models_family_has_them(small_run, tmp_path):
    state = torch.load(small_run.model, weights_only=False)
    state["task_state"][FAMILY] = "e5-small"
    torch.save(state, tmp_path / "model.pt")
    run = replace(
        small_run, model=str(tmp_path / "model.pt"), layer=1, chosen=frozenset({"layer", "updates", "method"})
    )
    assert open_start(replace(run, method="itermax")).run.objectives == ("self_training",)
    with pytest.raises(XalignError, match=r"warmup[\s\S]*found: 500\n[\s\S]*at most 200"):
        open_start(replace(run, warmup=500, chosen=frozenset({"layer", "warmup"})))


def test_a_model_is_identified_by_content_and_not_by_file(small_run, tmp_path):
    start = open_start(small_run)
    state = torch.load(small_run.model, weights_only=False)

    def stored(name, state):
        torch.save(state, tmp_path / name)
        return open_start(replace(small_run, model=str(tmp_path / name))).digest

    assert stored("copy.pt", state) == start.digest
    state["model"]["encoder.lm_head.bias"] += 1  # of the MLM head, which some models lack
    assert stored("head.pt", state) == start.digest
    state["model"]["encoder.sentence_encoder.layers.0.fc1.bias"] += 1
    assert stored("other.pt", state) != start.digest


def test_a_language_without_embedding_is_refused(small_run, tmp_path):
    torch.save(with_languages(torch.load(small_run.model, weights_only=False), "xx", "de"), tmp_path / "model.pt")
    with pytest.raises(XalignError, match=r"\ben\b"):
        open_start(replace(small_run, model=str(tmp_path / "model.pt")))


def test_the_digest_depends_on_weights_names_kinds_and_symbols():
    mine = digest(WEIGHTS, "symbols")
    assert len(mine) == 16 and digest(dict(reversed(WEIGHTS.items())), "symbols") == mine
    assert digest({**WEIGHTS, "a": WEIGHTS["a"].t().contiguous().t()}, "symbols") == mine  # in any storage
    others = [
        {**WEIGHTS, "a": WEIGHTS["a"].view(3, 2)},
        {**WEIGHTS, "b": WEIGHTS["b"].bfloat16()},
        {"a": WEIGHTS["b"], "b": WEIGHTS["a"]},
    ]
    assert mine not in [digest(other, "symbols") for other in others] + [digest(WEIGHTS, "other symbols")]


@pytest.mark.parametrize("method", ["", "argmax"])
def test_the_aer_equals_that_of_the_aligner(small_run, method):
    linking = Linking(method, layers=(1,), similarity="hidden")
    gold = small_run.check()
    found = aer_of(small_run.model, gold, AlignerOptions(linking, device="cpu", dtype="float32"))
    usual = {"encoding": "separate"} if method else {}
    aligner = Aligner.from_pretrained(small_run.model, linking=Linking(method, layers=(1,), **usual), dtype="float32")
    assert found == score([set(each.links) for each in aligner.stream(gold.pairs)], read_gold(small_run.dev.gold)).aer
    assert aer_of(small_run.model, None, AlignerOptions()) is None


def test_trained_parameters_are_in_the_full_model(small_run, monkeypatch):
    monkeypatch.setattr(model, "trim", partial(trim, floor=0))
    small_run.out.mkdir()
    assert " ids (before: " in model.trim_model(small_run)
    small, _ = read_pretrained(small_run.out / model.TRIMMED)
    before, whole = read_tokenizer(small_run.model), read_tokenizer(small_run.out / model.TRIMMED)
    for path in (small_run.src, small_run.tgt, small_run.dev.src, small_run.dev.tgt):
        for line in Path(path).read_text().splitlines():
            pieces = [[each.dictionary.symbols[i] for i in each.encode(line)] for each in (before, whole)]
            assert pieces[0] == pieces[1]

    small["model"][EMBEDDINGS] += 1
    torch.save(small, small_run.out / "checkpoint_best.pt")
    path = model.put_back(small_run, small_run.out / "checkpoint_best.pt")
    learned, original = read_pretrained(path)[0]["model"], read_pretrained(small_run.model)[0]["model"]
    moved = (learned[EMBEDDINGS] != original[EMBEDDINGS]).any(1)
    assert int(moved.sum()) == len(small["model"][EMBEDDINGS]) < len(original[EMBEDDINGS])
    layer = "encoder.sentence_encoder.layers.0.fc1.weight"
    assert learned[layer].equal(original[layer])


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "run")


@pytest.mark.parametrize("trained", [False, True])
def test_a_run_resumes_only_with_the_same_settings(folder, trained):
    assert folder.started({"seed": 1}) is None
    folder.path.mkdir()
    write_json(folder.run, {"identity": {"seed": 1, "lr": 0.1}, "before": 0.5})
    assert folder.started({"lr": 0.1, "seed": 1})["before"] == 0.5
    if trained:
        folder.last.touch()
    message = r"another run[\s\S]*found: differs from the earlier run in: lr: 0\.1, now null; seed: 1, now 2"
    with pytest.raises(XalignError, match=message) as error:
        folder.started({"seed": 2})
    assert ("nothing is trained yet" in str(error.value)) != trained


def test_a_folder_with_other_files_is_refused_and_one_of_a_killed_run_is_not(folder):
    for name in ("data-bin", "data-bin.lock", ".data-bin.7-0123456789ab.tmp", ".run.json.7-0123456789ab.tmp"):
        (folder.path / name).mkdir(parents=True)
    with locked_folder(folder.path):
        folder.require_own()
    (folder.path / "notes.txt").touch()
    with pytest.raises(XalignError, match="not from a run of train-aligner"):
        folder.require_own()


@pytest.mark.parametrize(("kept", "result"), [(("best", "last"), "best"), (("last",), "last")])
def test_files_left_at_the_end(folder, kept, result):
    folder.path.mkdir()
    for name in ("1_4.pt", "1_8.pt.tmp", *(f"{name}.pt" for name in kept)):
        (folder.path / f"checkpoint_{name}").touch()
    assert folder.tidy() == folder.path / f"checkpoint_{result}.pt"
    assert {path.name for path in folder.path.iterdir()} == {f"checkpoint_{name}.pt" for name in kept}
