import json
import math
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.tasks.conftest import SMALL, USER_DIR, losses, options, processes, validations

pytestmark = pytest.mark.slow
NO_VALID = ("--disable-validation",)


def assert_same(first, second, updates, tolerance=0.0):
    """Check that both runs logged these updates with equal values."""
    for update in updates:
        assert first[update].keys() == second[update].keys()
        for key, value in first[update].items():
            assert value == pytest.approx(second[update][key], abs=tolerance), (update, key)


@pytest.fixture(scope="module")
def plain(train, databin, tmp_path_factory):
    """Six updates with validation, for comparison with other runs."""
    folder = tmp_path_factory.mktemp("plain")
    logged, done = train(
        databin, folder, "--max-update", 6, "--tensorboard-logdir", folder / "tb", "--best-checkpoint-metric", "aer"
    )
    return logged, done, folder


@pytest.fixture(
    scope="module",
    params=[("joint", "mlm,tlm,dwa"), ("per-objective", "mlm,tlm,reg_hidden")],
    ids=["joint", "per-objective"],
)
def unshuffled(request, train, databin, tmp_path_factory):
    """Options of a normalisation, and losses of four updates of batches of eight in the data's order."""
    normalization, objectives = request.param
    extra = (*NO_VALID, "--max-update", 4, "--curriculum", 10, "--loss-normalization", normalization)
    extra += ("--objectives", objectives)
    return extra, train(databin, tmp_path_factory.mktemp("unshuffled"), *extra)[0]


def test_a_run_logs_every_loss_and_validates_aer(plain):
    logged, done, folder = plain
    assert sorted(logged) == [1, 2, 3, 4, 5, 6]
    assert {"mlm_loss", "tlm_loss", "dwa_loss", "dwa_accuracy"} <= set(logged[6])
    assert "dwa_loss" not in logged[1]  # as in the released code, the first update does not label
    assert logged[1]["mlm_loss"] == pytest.approx(math.log2(806), rel=0.05)  # bits per token of a uniform guess
    valid = validations(done.stdout + done.stderr)[-1]
    assert {"valid_aer", "valid_aer_en-de", "valid_aer_en-fr", "valid_dwa_links_per_token"} <= set(valid)
    both = float(valid["valid_aer_en-de"]) + float(valid["valid_aer_en-fr"])
    assert float(valid["valid_aer"]) == pytest.approx(both / 2, abs=1e-4)
    assert (folder / "checkpoint_best.pt").exists()
    assert list((folder / "tb").rglob("events.*"))


def test_validate_command_repeats_the_validation(plain, databin, command):
    _, done, folder = plain
    again = command(
        "fairseq-validate", databin, "--user-dir", USER_DIR, "--task", "xalign_pretraining", "--cpu",
        "--path", folder / "checkpoint_last.pt", "--batch-size", 8, "--num-workers", 0, "--log-format", "json",
    )  # fmt: skip
    expected = validations(done.stdout + done.stderr)[-1]
    found = [
        json.loads(line.split(" | ")[-1])
        for line in (again.stdout + again.stderr).splitlines()
        if "| valid |" in line and "{" in line
    ][-1]
    for name in ("aer", "aer_en-de", "tlm_loss", "dwa_loss"):
        value = found.get(name, found.get(f"valid_{name}"))
        assert float(value) == pytest.approx(float(expected[f"valid_{name}"]), abs=2e-3), name


def test_validation_and_aligner_do_as_training_labels(train, databin, sample, command, tmp_path):
    folder = tmp_path / "own"
    filter = ("--dwa-filter", "argmax")
    _, done = train(
        databin, folder, "--max-update", 2, "--validate-interval-updates", 2, "--dwa-label-layer", 1, *filter
    )
    valid, text = validations(done.stdout + done.stderr)[-1], sample / "en-de"
    stored = torch.load(folder / "checkpoint_last.pt", weights_only=False)["task_state"]["labelling"]
    assert stored["layers"] == {"hidden": 1, "pointer": 2} and stored["method"]["filter"] == "argmax"
    for given, same in (((), True), (("--filter", "union"), False)):
        out = tmp_path / "links"
        command("xalign", "align", "--model", folder / "checkpoint_last.pt", "--src", text / "valid.en",
                "--tgt", text / "valid.de", "--out", out, *given)  # fmt: skip
        scored = json.loads(command("xalign", "score", "--hyp", out, "--gold", text / "valid.gold", "--json").stdout)
        # The log has three digits.
        assert (scored["aer"] == pytest.approx(float(valid["valid_aer_en-de"]), abs=5.1e-4)) == same


def test_yaml_and_command_line_give_identical_losses(plain, databin, command, tmp_path):
    names = [name.removeprefix("--").replace("-", "_") for name in SMALL[::2]]
    sizes = dict(zip(names, map(int, SMALL[1::2]), strict=True))
    config = {
        "common": {"user_dir": str(USER_DIR), "cpu": True, "seed": 3, "log_format": "json", "log_interval": 1},
        "task": {
            "_name": "xalign_pretraining",
            "data": str(databin),
            "mono_batch_size": 4,
            "mono_tokens_per_sample": 64,
        },
        "criterion": {"_name": "xlm_align"},
        "model": {"_name": "xalign_tiny", **sizes},
        "optimizer": {"_name": "adam", "lr": [1e-3]},
        "lr_scheduler": {"_name": "fixed"},
        "dataset": {"batch_size": 8, "num_workers": 0, "disable_validation": True},
        "optimization": {"max_update": 6, "lr": [1e-3], "clip_norm": 1.0},
        "checkpoint": {"save_dir": str(tmp_path / "save"), "no_epoch_checkpoints": True},
        "distributed_training": {"distributed_world_size": 1},
    }
    (tmp_path / "run.yaml").write_text(json.dumps(config))  # JSON is YAML
    done = command("fairseq-hydra-train", "--config-dir", tmp_path, "--config-name", "run", cwd=tmp_path)
    log = "".join(path.read_text() for path in tmp_path.rglob("*.log")) + done.stdout + done.stderr
    assert_same(plain[0], losses(log), range(1, 7))


def test_a_killed_and_resumed_run_has_the_losses_of_the_uninterrupted_one(train, databin, tmp_path):
    extra = (*NO_VALID, "--max-update", 6, "--save-interval-updates", 3, "--dwa-links-until", 5)
    whole, _ = train(databin, tmp_path / "whole", *extra)
    process = subprocess.Popen(
        [str(Path(sys.executable).parent / "fairseq-train"), *map(str, options(databin, tmp_path / "cut", *extra)[1:])],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    for line in process.stdout:
        if '"num_updates": "4"' in line:
            process.send_signal(signal.SIGKILL)
            break
    process.stdout.close()
    process.wait()
    assert (tmp_path / "cut/checkpoint_last.pt").exists()
    resumed, _ = train(databin, tmp_path / "cut", *extra)
    assert sorted(resumed) == [4, 5, 6]
    assert_same(whole, resumed, (4, 5, 6))
    first, second = (torch.load(tmp_path / f / "checkpoint_last.pt", weights_only=True) for f in ("whole", "cut"))
    assert all(torch.equal(first["model"][key], second["model"][key]) for key in first["model"])


def test_accumulating_two_batches_of_four_equals_a_batch_of_eight(unshuffled, train, databin, tmp_path):
    extra, expected = unshuffled
    twice, _ = train(databin, tmp_path, *extra, "--update-freq", 2, batch=4)
    assert_same(expected, twice, range(1, 5), tolerance=2e-3)


@pytest.mark.parametrize(("count", "backend"), [(2, "c10d"), (4, "legacy_ddp")])
def test_several_processes_equal_one_with_all_their_pairs(count, backend, unshuffled, train, databin, tmp_path):
    extra, expected = unshuffled
    several = processes(tmp_path, count, backend)
    found, _ = train(databin, tmp_path / "save", *extra, *several, batch=8 // count)
    assert_same(expected, found, range(1, 5), tolerance=2e-3)


@pytest.mark.parametrize("option", ["--restore-file", "--finetune-from-model"])
def test_training_continues_from_an_encoder_only_checkpoint(plain, train, databin, tmp_path, option):
    state = torch.load(plain[2] / "checkpoint_last.pt", weights_only=True)
    state["model"] = {key: value for key, value in state["model"].items() if "sentence_encoder" in key}
    torch.save(state, tmp_path / "encoder.pt")
    extra = (*NO_VALID, "--max-update", 3, option, tmp_path / "encoder.pt")
    if option == "--restore-file":
        extra += ("--reset-optimizer", "--reset-dataloader", "--reset-meters", "--reset-lr-scheduler")
    logged, done = train(databin, tmp_path / "save", *extra)
    assert sorted(logged)[-1] == 3
    assert "not in the checkpoint, kept as initialised" in done.stdout + done.stderr
    weights = torch.load(tmp_path / "save/checkpoint_last.pt", weights_only=True)["model"]
    key = "encoder.sentence_encoder.layers.0.fc1.weight"
    assert not torch.equal(weights[key], state["model"][key])
    assert (weights[key] - state["model"][key]).abs().max() < 0.01  # three small steps away, so not a new start
    again, _ = train(databin, tmp_path / "save", *extra, "--max-update", 5)
    assert sorted(again) == [4, 5]


def test_data_of_fairseq_preprocess_train_and_align(train, databin, sample, command, tmp_path):
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor(model_file=str(databin / "sentencepiece.model"))
    for split in ("train", "valid"):
        for lang in ("en", "de"):
            lines = (sample / f"en-de/{split}.{lang}").read_text().splitlines()
            pieces = "".join(" ".join(model.encode(line, out_type=str)) + "\n" for line in lines)
            (tmp_path / f"{split}.{lang}").write_text(pieces)
    command(
        "fairseq-preprocess", "--source-lang", "en", "--target-lang", "de", "--joined-dictionary",
        "--trainpref", tmp_path / "train", "--validpref", tmp_path / "valid", "--destdir", tmp_path / "bin",
    )  # fmt: skip
    logged, _ = train(tmp_path / "bin", tmp_path / "save", "--max-update", 3, "--objectives", "tlm,dwa")
    assert logged[3]["dwa_loss"] > 0
    text = ("--src", sample / "en-de/test.en", "--tgt", sample / "en-de/test.de")
    arguments = ("xalign", "align", "--model", tmp_path / "save/checkpoint_last.pt", *text, "--out", tmp_path / "links")
    missing = command(*arguments, check=False)
    assert missing.returncode == 2 and "sentencepiece.model into its folder" in missing.stderr
    shutil.copy(databin / "sentencepiece.model", tmp_path / "bin")
    command(*arguments)
    assert len((tmp_path / "links").read_text().splitlines()) == 60
