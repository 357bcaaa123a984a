import math
import shutil

import pytest
import torch

from tests.tasks.test_training import NO_VALID
from xalign_fairseq.data import lexicon
from xalign_fairseq.data.databin import DataBin

pytestmark = pytest.mark.slow


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
