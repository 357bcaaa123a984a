import pytest

from tests.examples.xlm_align.continued.made_up import report, study, train


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """A run whose pieces cost ten seconds and a thousand tokens each and whose scores fall, with its recorded calls."""
    called, at = [], {"updates": 0}

    def score(run, updates, seconds, tokens):
        called.append(("score", updates, seconds, tokens))
        found = {report.USUAL: {"mean": 21.0 - updates / 100}, "argmax-separate-6": {"mean": 20.5 - updates / 100}}
        train.add_row(run.curve, {"updates": updates, "cpu_seconds": seconds, "tokens": tokens, "aer": found})

    def train_to(run, until, lock=None):
        called.append(("train", until))
        cost = {"from": at["updates"], "updates": until, "cpu_seconds": 10.0, "tokens": 1000}
        at["updates"] = until
        train.add_row(run.folder / train.COST, cost)

    monkeypatch.setattr(train.Run, "_score", score)
    monkeypatch.setattr(train.Run, "_train", train_to)
    monkeypatch.setattr(train, "updates_of", lambda path: at["updates"])
    folder = tmp_path / "runs/so-1"
    folder.mkdir(parents=True)
    return train.Run(folder, tmp_path, tmp_path, 2, {**study.COMMON, "--max-update": "5"}, "so", 1), called, at
