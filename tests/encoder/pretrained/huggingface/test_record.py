"""What a checkpoint and its data-bin tell of a training."""

import json

import pytest

from xalign_fairseq.encoder.pretrained.huggingface.record import languages, training_record


@pytest.fixture
def state(tmp_path):
    """What fairseq saves, as far as a record is made of it."""
    data = tmp_path / "data-bin"
    data.mkdir()
    pairs = [
        {"split": "train", "src": "en", "tgt": "de", "pairs": 12_000},
        {"split": "valid", "src": "en", "tgt": "de", "pairs": 7},
    ]
    mono = [{"split": "train", "lang": "no", "sentences": 300}]
    (data / "manifest.json").write_text(json.dumps({"pairs": pairs, "mono": mono}))
    meters = [(180, "wpb", "AverageMeter", {"sum": 2_105_058}), (190, "bsz", "AverageMeter", {"sum": 46_512})]
    return {
        "cfg": {
            "model": {"init_checkpoint": "/home/me/xlmr.base/model.pt"},
            "criterion": {"objectives": "tlm,dwa", "dwa_weight": 0.5, "mlm_weight": 1.0},
            "task": {"data": f"{data}:{data}:{tmp_path / 'gone'}"},
            "common": {"seed": 3},
            "optimization": {"lr": [0.0005]},
            "checkpoint": {"best_checkpoint_metric": "aer"},
        },
        "optimizer_history": [{"num_updates": 10}, {"num_updates": 1000}],
        "extra_state": {"best": 0.25, "metrics": {"default": meters}},
        "model": {},
    }


def test_the_record(state):
    assert training_record(state) == {
        "started from": "model.pt",
        "objectives": {"tlm": 1.0, "dwa": 0.5},
        "updates": 1000,
        "items in batches": 46_512,
        "tokens in batches": 2_105_058,
        "learning rate": 0.0005,
        "seed": 3,
        "best on development data": {"aer": 0.25},
        "data": {"en-de": 24_000, "no": 600},  # two shards
    }
    assert languages(training_record(state)) == ["de", "en", "no"]


def test_the_record_of_a_checkpoint_that_holds_little(state):
    assert training_record({"model": {}, "args": None}) == {}
    del state["extra_state"], state["cfg"]["task"], state["cfg"]["optimization"], state["cfg"]["model"]
    record = training_record(state)
    assert record.keys() == {"objectives", "updates", "seed"}
    assert training_record({**state, "training_record": {"updates": 5}}) == {"updates": 5}


def test_a_fine_tuned_model_names_its_benchmark(state):
    state["cfg"]["criterion"] = {"_name": "transfer"}
    state["task_state"] = {"transfer": {"benchmark": "xnli"}}
    record = training_record(state)
    assert record["fine-tuned on"] == "xnli" and "objectives" not in record


def test_data_that_have_changed_their_manifest_since_count_as_they_are(state, tmp_path):
    (tmp_path / "data-bin/manifest.json").write_text(
        json.dumps({"mono": [{"split": "train", "lang": "fr", "sentences": 3}]})
    )
    assert training_record(state)["data"] == {"fr": 6}
    (tmp_path / "data-bin/manifest.json").unlink()
    assert "data" not in training_record(state)


def test_languages_of_pairs_and_of_texts():
    assert languages({"data": {"en-de": 1, "de": 2, "en-fr": 3}}) == ["de", "en", "fr"]
    assert languages({}) == []
