import json

import pytest
import torch
from support.checkpoints import with_head

from xalign_fairseq.cli import main
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.task_record import TaskRecord


@pytest.fixture(scope="module")
def tagger(transfer_encoder, tmp_path_factory):
    """A tagger as fairseq-train saves it, with an untrained head."""
    spec = TaskRecord("pos", ("ADJ", "DET", "NOUN", "PROPN", "PUNCT", "VERB"), Limits(32, 8))
    path = tmp_path_factory.mktemp("tagger") / "tagger.pt"
    torch.save(with_head(checkpoint.read(transfer_encoder), spec), path)
    return path


def test_scores_and_predictions(tagger, transfer_data, tmp_path, capsys):
    out = tmp_path / "predictions"
    command = ["predict", "--model", str(tagger), "--data", str(transfer_data / "ud"), "--languages", "en", "de"]
    assert main([*command, "--out", str(out), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["benchmark"] == "pos"
    for language in ("en", "de"):
        rows = [json.loads(line) for line in (out / f"{language}.jsonl").read_text().splitlines()]
        right = [mine == gold for row in rows for mine, gold in zip(row["prediction"], row["gold"], strict=True)]
        assert found["languages"][language]["items"] == len(rows) == 12
        assert found["languages"][language]["scores"]["accuracy"] == pytest.approx(sum(right) / len(right))
    assert main([*command, "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert "de  accuracy" in printed
    assert "benchmark:pos" in printed


def test_a_file_without_labels_is_predicted_and_not_scored(tagger, transfer_data, tmp_path, capsys):
    text = (transfer_data / "ud/en_ewt-ud-test.conllu").read_text().splitlines()
    bare = ["\t".join([*line.split("\t")[:2], *"_" * 8]) if line else line for line in text]
    (tmp_path / "en_ewt-ud-test.conllu").write_text("\n".join(bare) + "\n")
    arguments = ["--languages", "en", "--out", str(tmp_path / "out"), "--quiet"]
    assert main(["predict", "--model", str(tagger), "--data", str(tmp_path), *arguments]) == 0
    assert "no score" in capsys.readouterr().out
    rows = [json.loads(line) for line in (tmp_path / "out/en.jsonl").read_text().splitlines()]
    assert all(row["gold"] is None and row["prediction"] for row in rows)


def test_missing_files_are_listed_before_any_work(tagger, transfer_data, capsys):
    arguments = ["--data", str(transfer_data / "ud"), "--languages", "en", "fi", "sv", "--quiet"]
    assert main(["predict", "--model", str(tagger), *arguments]) == 2
    printed = capsys.readouterr()
    assert all(word in printed.err for word in ("fi", "sv"))
    assert not printed.out
