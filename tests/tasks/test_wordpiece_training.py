import math
import re
import shutil

import pytest
import torch
from support.text import WORDPIECE_SIZES, train_symbols, write_bert

from tests.tasks.test_training import NO_VALID
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.data import lexicon
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceTokenizer
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.vocabulary import stored_model

pytestmark = pytest.mark.slow
EPS = ("--layer-norm-eps", "1e-12")


@pytest.fixture(scope="module")
def bert(sample, tmp_path_factory):
    """Path of a checkpoint with the sample's pieces."""
    path = tmp_path_factory.mktemp("bert") / "bert.pt"
    lines = [line for lang in ("en", "de") for line in (sample / f"en-de/train.{lang}").read_text().splitlines()]
    write_bert(path, train_symbols(lines, size=500))
    return path


@pytest.fixture(scope="module")
def bert_bin(sample, bert, command, tmp_path_factory):
    """The sample's German pair and monolingual text, prepared with the checkpoint's tokenizer."""
    out = tmp_path_factory.mktemp("bert_bin") / "databin"
    here = sample / "en-de"
    command(
        "xalign", "prepare", "--out", out, "--tokenizer", bert, "--pair", "en-de", "--trainpref", here / "train",
        "--validpref", here / "valid", "--links", here / "valid.gold", "--mono", f"en={sample}/mono/train.en",
    )  # fmt: skip
    return out


@pytest.fixture(scope="module")
def trained(train, bert, bert_bin, tmp_path_factory):
    """Four updates of XLM-Align's objectives from the checkpoint."""
    folder = tmp_path_factory.mktemp("run")
    logged, done = train(bert_bin, folder, "--init-checkpoint", bert, *EPS, "--max-update", 4,
                         "--best-checkpoint-metric", "aer")  # fmt: skip
    return logged, done, folder / "checkpoint_best.pt"


def test_training_starts_from_it_and_validates(trained, bert):
    logged, done, path = trained
    assert sorted(logged) == [1, 2, 3, 4] and {"mlm_loss", "tlm_loss", "dwa_loss"} <= set(logged[4])
    assert f"initialised from {bert}" in done.stdout + done.stderr
    assert re.search(r'"valid_aer": "0\.\d+"', done.stdout + done.stderr)
    assert path.is_file()


def test_its_checkpoint_has_tokenizer_and_layer_norms(trained, bert, bert_bin):
    state, start = checkpoint.read(trained[2]), checkpoint.read(bert)
    assert stored_model(state["task_state"]["tokenizer"]) == DataBin(bert_bin).tokenizer_model
    assert state["task_state"]["tokenizer"]["symbols"] == start["task_state"]["tokenizer"]["symbols"]
    encoder, _ = checkpoint.load_encoder(state)
    assert encoder.config.layer_norm_eps == WORDPIECE_SIZES["layer_norm_eps"]
    name = "encoder.sentence_encoder.embed_tokens.weight"
    moved = (state["model"][name] - start["model"][name]).abs().max()
    assert 0 < moved < 0.01  # four steps of Adam at 1e-3


def test_its_checkpoint_aligns(trained, sample):
    aligner = Aligner.from_pretrained(trained[2])
    assert isinstance(aligner.tokenizer, WordPieceTokenizer)
    found = aligner.align(*[(sample / f"en-de/test.{lang}").read_text().splitlines()[:5] for lang in ("en", "de")])
    assert len(found) == 5 and any(each.links for each in found)


def saved(folder):
    return torch.load(folder / "checkpoint_last.pt", weights_only=True)


def test_align_mlm_learns_from_the_trained_entries_and_the_checkpoint_keeps_the_choice(
    train, lexicon_bin, command, tmp_path
):
    folder, data = tmp_path / "run", shutil.copytree(lexicon_bin, tmp_path / "data")
    logged, _ = train(data, folder, *NO_VALID, "--max-update", 30, criterion="align_mlm")
    losses = [logged[update]["lexicon_align_loss"] for update in (1, 30)]
    assert 0.7 < losses[0] < 1  # random directions, and subwords that both sides share
    assert losses[1] < losses[0] - 0.1
    # alpha is 10: the sum of both means, in nats, logged over log 2
    both = logged[1]["mlm_loss"] + 10 * logged[1]["lexicon_align_loss"] / math.log(2)
    assert logged[1]["loss"] == pytest.approx(both, abs=0.02)
    state = saved(folder)
    stored = lexicon.Lexicon.from_state(state["task_state"]["lexicons"][0])
    assert stored.digest == lexicon.read(DataBin(lexicon_bin), "en", "de").digest
    embeddings = state["model"]["encoder.sentence_encoder.embed_tokens.weight"]
    cosines = []
    for part in (lexicon.TRAINED, lexicon.HELD_OUT):
        sides = stored.entries(part).padded()
        src, tgt = (torch.nn.functional.embedding_bag(side, embeddings, padding_idx=1) for side in sides)
        cosines.append(torch.nn.functional.cosine_similarity(src, tgt).mean().item())
    assert cosines[0] > cosines[1] + 0.1

    # Another selection of entries is refused, and the run continues with its own.
    nouns = lexicon_bin.parent / "nouns.tsv"
    command("xalign", "lexicon", data, "--pair", "en-de", "--from", nouns, "--seed", 2, "--overwrite")
    _, done = train(data, folder, *NO_VALID, "--max-update", 32, criterion="align_mlm", check=False)
    assert done.returncode != 0 and "not the one that the checkpoint was trained with" in done.stderr
    shutil.copytree(lexicon_bin, data, dirs_exist_ok=True)
    again, _ = train(data, folder, *NO_VALID, "--max-update", 32, criterion="align_mlm")
    assert sorted(again) == [31, 32]


def test_xlm_and_dict_mlm_train_language_embeddings(train, lexicon_bin, tmp_path):
    names = "en,fr,de"  # not the data's order of languages
    for criterion in ("xlm", "dict_mlm"):
        folder = tmp_path / criterion
        extra = (*NO_VALID, "--max-update", 2, "--language-embeddings", names)
        logged, _ = train(lexicon_bin, folder, *extra, criterion=criterion)
        assert {"xlm": "tlm_loss", "dict_mlm": "dict_mlm_loss"}[criterion] in logged[2]
        state = saved(folder)
        assert state["model"]["encoder.sentence_encoder.embed_languages.weight"].shape == (3, 32)
        assert state["cfg"]["model"]["language_embeddings"] == names
    assert ("lexicons" in saved(tmp_path / "xlm")["task_state"]) is False
