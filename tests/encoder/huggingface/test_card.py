import json

import pytest
import yaml

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.huggingface.card import model_card
from xalign_fairseq.encoder.huggingface.families import BERT, XLM_R
from xalign_fairseq.encoder.huggingface.record import languages, training_record

CONFIG = EncoderConfig(vocab_size=250_002)


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


def test_the_card(state):
    card = model_card("my-aligner", XLM_R, CONFIG, ["heads.dwa.pointer.query.weight"], training_record(state))
    head, _, body = card.removeprefix("---\n").partition("\n---\n")
    front = yaml.safe_load(head)
    assert front["language"] == ["de", "en", "no"] and front["library_name"] == "transformers"
    assert "word-alignment" in front["tags"]
    assert "# my-aligner" in body and 'AutoModelForMaskedLM.from_pretrained("my-aligner")' in body
    assert "a vocabulary of 250,002, and texts of up to 512 tokens" in body
    assert "| objectives | tlm: 1, dwa: 0.5 |" in body and "| updates | 1,000 |" in body
    assert "| data | en-de: 24,000, no: 600 |" in body and "| seed | 3 |" in body
    cited = body[body.index("## Citation") :]
    assert "xalign_fairseq 0." in cited
    assert all(name in cited for name in ("Conneau and Lample (2019)", "Chi et al. (2021)", "Conneau et al. (2020)"))
    assert "Pan et al." not in cited and "Devlin" not in cited


def test_the_card_of_a_model_without_record():
    card = model_card("labse", BERT, CONFIG, [], {})
    assert "holds no record of a training" in card and "Devlin et al. (2019)" in card
    assert "language:" not in card and "xalign_heads" not in card and "Chi et al." not in card
