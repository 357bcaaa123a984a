import json

import pytest
from support.transfer_data import CONFIGURATION

HEAD = "2026-11-23 05:12:51 | INFO | "


def line(kind, prefix="", **values):
    return f"{HEAD}{kind} | {json.dumps({prefix + name: str(value) for name, value in values.items()})}\n"


@pytest.fixture
def run_folder(tmp_path):
    """40 updates of two objectives with two validations; resumed once from update 20 after 60 updates."""
    folder = tmp_path / "a <run>"
    data = tmp_path / "data-bin"
    folder.mkdir()
    data.mkdir()
    pair = {
        "split": "train", "src": "en", "tgt": "de", "pairs": 1600, "dropped": {"empty source": 2, "empty target": 0},
        "tokens": {"en": 18031, "de": 19638}, "links": {"sure": 7083, "possible": 1},
    }  # fmt: skip
    manifest = {
        "pairs": [pair],
        "mono": [{"split": "train", "lang": "de", "sentences": 300, "tokens": {"de": 9}}],
        "tokenizer": {"model": "sentencepiece.model", "symbols": 501, "digest": "abc"},
        "xalign_fairseq": "0.1.0",
        "files": {"dict.txt": {"bytes": 4000, "sha256": "f00"}},
    }
    (data / "manifest.json").write_text(json.dumps(manifest))
    session = {
        "command": "fairseq-train data-bin --lr '<b>'", "data": [str(data)], "begun": "2026-11-23T05:00:00+00:00",
        "ended": "2026-11-23T06:00:30+00:00", "exit": 0, "commit": "abc1234", "machine": "A <GPU>, 2 cores",
        "versions": {"python": "3.11.7", "torch": "2.13.0"},
    }  # fmt: skip
    killed = {**session, "ended": None, "exit": None}
    (folder / "training.json").write_text(json.dumps({"sessions": [killed, session]}))
    inner = [
        line("train_inner", num_updates=n, loss=20 - n / 10, mlm_loss=9 - n / 10, dwa_loss=4, wps=1000 + n, lr=0.1)
        for n in (10, 20, 30, 60)
    ]
    log = [
        f"{HEAD}fairseq_cli.train | {CONFIGURATION}\n",
        *inner,
        "2026-11-23 05:12:52 | WARNING | xalign_fairseq.trainer.compat | update 3 is <left out>\n" * 2,
        line("valid", "valid_", num_updates=20, loss=18, aer=0.31, **{"aer_en-de": 0.31}),
        line("train_inner", num_updates=30, loss=16.5, mlm_loss=5.5, dwa_loss=4, wps=1030, lr=0.1),
        line("train_inner", num_updates=40, loss=16, mlm_loss=5, dwa_loss=4, wps=1040, lr=0.05),
        line("valid", "valid_", num_updates=40, loss=17, aer=0.25, best_loss=17, **{"aer_en-de": 0.25}),
        line("train", "train_", num_updates=40, loss=17, wpb=100),
        f"{HEAD}fairseq_cli.train | done training in 90 seconds\n",
    ]
    (folder / "train.log").write_text("".join(log))
    return folder
