import json
import shutil

import pytest
import torch
from support.checkpoints import ROWS, with_languages

from tests.tasks.conftest import assert_resumed, validations
from tests.tasks.test_transfer_tasks import fine_tune
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, find
from xalign_fairseq.transfer.predict import Predictor, evaluate

EMBEDDINGS = "encoder.sentence_encoder.embed_tokens.weight"
FIRST = "encoder.sentence_encoder.layers.0.fc1.weight"
NO_VALID = ("--disable-validation",)
FINE = (
    *("--criterion", "weighted", "--objectives", "self_training,tlm,reg_param"),
    *("--loss-normalization", "per-objective"),
    *("--freeze-layers", 0, "--autocast", "yes", "--self-training-layer", 1),
)
pytestmark = pytest.mark.slow


def weights(folder, name="checkpoint_last.pt"):
    return torch.load(folder / name, weights_only=True)


@pytest.fixture(scope="module")
def fine(train, databin, tmp_path_factory):
    """Six updates with a moving average, saved after the third."""
    folder = tmp_path_factory.mktemp("fine")
    extra = (*FINE, *NO_VALID, "--save-interval-updates", 3, "--store-ema", "--ema-decay", 0.5)
    return train(databin, folder, *extra, "--max-update", 6)[0], folder, extra


def test_frozen_embeddings_cost_the_optimizer_nothing(fine):
    _, folder, _ = fine
    first, last = weights(folder, "checkpoint_1_3.pt"), weights(folder)
    assert torch.equal(first["model"][EMBEDDINGS], last["model"][EMBEDDINGS])
    assert not torch.equal(first["model"][FIRST], last["model"][FIRST])
    assert last["extra_state"]["ema"][EMBEDDINGS].shape == last["model"][EMBEDDINGS].shape
    moments = [each["exp_avg"].shape for each in last["last_optimizer_state"]["state"].values()]
    assert last["model"][EMBEDDINGS].shape not in moments and last["model"][FIRST].shape in moments


def test_a_resumed_run_has_the_losses_of_the_uninterrupted_one(fine, train, databin, tmp_path):
    assert_resumed(train, databin, fine[:2], tmp_path / "resumed", *fine[2], "--max-update", 6)


EXTRA = ("--disable-validation", "--max-update", 3, "--dwa-start-update", 0)


@pytest.fixture(scope="module")
def plain(train, databin, tmp_path_factory):
    """Losses and checkpoint of three updates."""
    folder = tmp_path_factory.mktemp("plain")
    return train(databin, folder, *EXTRA)[0], torch.load(folder / "checkpoint_last.pt", weights_only=True)["model"]


@pytest.mark.parametrize("ways", [["--checkpoint-activations"], ["--compile", "--checkpoint-activations"]])
def test_losses_and_names_are_those_of_the_plain_run(plain, train, databin, tmp_path, ways):
    if "--compile" in ways and shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    logged, _ = train(databin, tmp_path, *EXTRA, *ways)
    for update in (1, 2, 3):
        assert logged[update] == pytest.approx(plain[0][update], rel=2e-3)
    weights = torch.load(tmp_path / "checkpoint_last.pt", weights_only=True)["model"]
    assert weights.keys() == plain[1].keys()
    for name, weight in weights.items():
        torch.testing.assert_close(weight, plain[1][name], rtol=1e-3, atol=1e-3)


LANGUAGES = ("--language-embeddings", "de,en")


@pytest.fixture(scope="module")
def speaking_encoder(transfer_encoder, tmp_path_factory):
    """The encoder with embeddings of German and English."""
    path = tmp_path_factory.mktemp("speaking") / "speaking.pt"
    torch.save(with_languages(checkpoint.read(transfer_encoder), "de", "en"), path)
    return path


def rows(path):
    """The embeddings of German and English in a checkpoint."""
    return checkpoint.read(path)["model"][ROWS]


def test_a_fine_tuned_model_is_itself_after_reload(command, transfer_data, speaking_encoder, tmp_path):
    path = find(BENCHMARKS["pos"], transfer_data, "test", "de")
    extra = (*LANGUAGES, "--valid-files", f"de={path}")
    _, scores, _ = fine_tune(command, transfer_data, speaking_encoder, "pos", tmp_path, *extra, epochs=4)
    predictor = Predictor.load(tmp_path / "checkpoint_last.pt")
    assert 100 * evaluate(predictor, path, "de").scores["accuracy"] == pytest.approx(scores[-1], abs=0.01)
    german, english = (predictor.predict(predictor.benchmark.read(path, language)) for language in ("de", "en"))
    assert german != english
    before, after = rows(speaking_encoder), rows(tmp_path / "checkpoint_last.pt")
    assert torch.equal(before[0], after[0]) and not torch.equal(before[1], after[1])  # trained only on English


def test_both_languages_of_a_mixed_pair_are_trained(command, transfer_data, speaking_encoder, tmp_path):
    source = transfer_data / "xnli/train-en.tsv"
    files = ("--train-files", f"en={source},de={source}", "--code-switch", *LANGUAGES)
    losses, scores, _ = fine_tune(command, transfer_data, speaking_encoder, "xnli", tmp_path, *files, epochs=1)
    assert len(losses) == 10 and scores
    before, after = rows(speaking_encoder), rows(tmp_path / "checkpoint_last.pt")
    assert (before != after).any(1).all()


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (("--language-embeddings", "en,de"), ("another value of language_embeddings", "expected: de,en")),
        ((*LANGUAGES, "--train-files", "fr={}"), ("no embedding for a language", "fr", "expected: de, en")),
    ],
)
def test_languages_that_do_not_fit_stop_before_training(
    command, transfer_data, speaking_encoder, tmp_path, extra, told
):
    extra = [each.format(transfer_data / "ud/en_ewt-ud-train.conllu") for each in extra]
    losses, _, output = fine_tune(
        command, transfer_data, speaking_encoder, "pos", tmp_path, *extra, check=False, epochs=1
    )
    assert not losses and all(words in output.split("\nerror: ")[-1] for words in told)


def test_validation_aer_is_that_of_the_aligner(train, databin, sample, command, tmp_path):
    _, done = train(databin, tmp_path, "--language-embeddings", "fr,de,en", "--max-update", 2, "--lr", 0.01)
    [valid] = validations(done.stdout + done.stderr)
    files = [
        f"--{name}={sample}/en-de/valid.{ending}" for name, ending in (("src", "en"), ("tgt", "de"), ("gold", "gold"))
    ]
    found = {}
    for languages in ("en-de", "de-en"):
        model = ["--model", tmp_path / "checkpoint_last.pt", *files, "--languages", languages]
        how = ["--filter", "itermax", "--layer", 2, "--dtype", "float32", "--json", "--quiet"]
        table = command("xalign", "layers", *model, *how)
        found[languages] = json.loads(table.stdout)["best"]["aer"]
    assert float(valid["valid_aer_en-de"]) == pytest.approx(found["en-de"], abs=1e-4)
    assert found["de-en"] != pytest.approx(found["en-de"], abs=1e-4)
