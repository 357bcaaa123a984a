"""Encoders with language embeddings in real runs: fine-tuning and what it leaves, AER in validation."""

import json

import pytest
import torch
from support.checkpoints import ROWS, with_languages

from tests.tasks.conftest import validations
from tests.tasks.test_transfer_tasks import fine_tune
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.transfer.benchmarks import find
from xalign_fairseq.transfer.predict import Predictor, evaluate

pytestmark = pytest.mark.slow
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
    extra = (*LANGUAGES, "--valid-langs", "de", "--valid-split", "test")
    _, scores, _ = fine_tune(command, transfer_data, speaking_encoder, "pos", tmp_path, *extra, epochs=4)
    predictor = Predictor.load(tmp_path / "checkpoint_last.pt")
    path = find(predictor.benchmark, transfer_data, "test", "de")
    assert 100 * evaluate(predictor, path, "de").scores["accuracy"] == pytest.approx(scores[-1], abs=0.01)
    german, english = (predictor.predict(predictor.benchmark.read(path, language)) for language in ("de", "en"))
    assert german != english
    before, after = rows(speaking_encoder), rows(tmp_path / "checkpoint_last.pt")
    assert torch.equal(before[0], after[0]) and not torch.equal(before[1], after[1])  # trained on English alone


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
        (("--language-embeddings", "en,de"), ("another value of language_embeddings", "--language-embeddings de,en")),
        ((*LANGUAGES, "--train-files", "fr={}"), ("no embedding for a language", "fr", "one of de, en")),
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
