from argparse import Namespace

import pytest
import torch
from support import transfer_data as made_up

import xalign_fairseq

xalign_fairseq.register()

from fairseq.tasks import TASK_DATACLASS_REGISTRY, TASK_REGISTRY  # noqa: E402

from xalign_fairseq.core.errors import XalignError  # noqa: E402
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer  # noqa: E402
from xalign_fairseq.encoder import checkpoint  # noqa: E402


def task(data, benchmark="pos", family="tagging", **options):
    name = f"xalign_{family}"
    options = {"max_length": 64, "seed": 1, **options}
    return TASK_REGISTRY[name](TASK_DATACLASS_REGISTRY[name](data=str(data), benchmark=benchmark, **options))


def model_of(made, encoder):
    return made.build_model(Namespace(arch="xalign_tiny", init_checkpoint=str(encoder), **made_up.SIZES))


def texts(groups):
    return [[(each.language, " ".join(each.words)) for each in group] for group in groups]


def test_examples_are_those_of_the_chosen_languages(transfer_data):
    made = task(transfer_data, train_langs="en, de", valid_langs="de")
    assert len(made.train_groups) == 100 and {len(group) for group in made.train_groups} == {1}
    assert [group[0].language for group in made.train_groups] == ["en"] * 50 + ["de"] * 50
    assert [group[0].language for group in made.valid_groups] == ["de"] * 12
    assert made.spec.labels == ("ADJ", "DET", "NOUN", "PROPN", "PUNCT", "VERB")


def test_files_can_be_named(transfer_data):
    dev = transfer_data / "ud/en_ewt-ud-dev.conllu"
    made = task(transfer_data / "nowhere", train_files=f"en={dev}, fi={dev}", valid_files=f"en={dev}")
    assert [group[0].language for group in made.train_groups] == ["en"] * 12 + ["fi"] * 12
    with pytest.raises(XalignError, match=r"does not exist[\s\S]*valid_files[\s\S]*en=gone[\s\S]*LANG=FILE"):
        task(transfer_data, valid_files="en=gone")
    with pytest.raises(XalignError, match=r"train_files"):
        task(transfer_data, train_files=f"={dev}")
    with pytest.raises(XalignError, match=r"given twice[\s\S]*train_files"):
        task(transfer_data, train_files=f"en={dev},en={dev}")


def test_the_metric_that_selects_can_be_chosen(transfer_data):
    assert task(transfer_data).metric.name == "accuracy"
    assert task(transfer_data, score_metric="f1").metric.name == "f1"
    with pytest.raises(XalignError, match=r"(?s)no such score.*score_metric.*em.*accuracy, f1"):
        task(transfer_data, score_metric="em")


@pytest.mark.parametrize(("given", "usual", "expected"), [(None, 2, 2), (None, 1, 1), (1, 2, 1), (2, 1, 2)])
def test_pairs_are_joined_as_the_encoder_s_tokenizer_joins_them(
    given, usual, expected, transfer_data, transfer_encoder, monkeypatch
):
    monkeypatch.setattr(SentencePieceTokenizer, "pair_separators", usual)
    made = task(transfer_data, "xnli", "classification", pair_separators=given)
    model_of(made, transfer_encoder)
    assert made.state_dict()["transfer"]["limits"]["separators"] == expected
    encoded = made.family.encode(made.train_groups[0][0])
    assert encoded.windows[0].tolist().count(made.dictionary.eos_index) == expected + 1
    with pytest.raises(XalignError, match=r"(?s)pair_separators.*0 separators"):
        task(transfer_data, "xnli", "classification", pair_separators=0)


def test_the_held_out_share_does_not_depend_on_the_training_seed(transfer_data):
    whole = texts(task(transfer_data).train_groups)
    first, again = (task(transfer_data, holdout=0.2, seed=seed) for seed in (1, 2))
    assert len(first.valid_groups) == 10 and len(first.train_groups) == 40
    assert sorted(texts(first.valid_groups) + texts(first.train_groups)) == sorted(whole)
    assert texts(first.valid_groups) == texts(again.valid_groups)
    for share in (0.001, 0.999):
        with pytest.raises(XalignError, match=r"holdout[\s\S]*of 50 examples"):
            task(transfer_data, holdout=share)


def test_examples_without_a_label_cannot_be_trained_on(transfer_data, tmp_path):
    bare = tmp_path / "bare.tsv"
    bare.write_text("a house\ta tree\na house\ta ship\n")
    with pytest.raises(XalignError, match=r"no labels to train[\s\S]*bare.tsv[\s\S]*2 of 2"):
        task(transfer_data, "xnli", "classification", train_files=f"en={bare}")


def test_the_model_has_the_head_of_the_task_and_trains_no_lm_head(transfer_data, transfer_encoder):
    made = task(transfer_data)
    model = model_of(made, transfer_encoder)
    assert list(model.heads) == ["transfer_pos"] == [made.spec.head_name]
    learnt = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert not any("lm_head" in name for name in learnt) and "encoder.sentence_encoder.layers.0.fc1.weight" in learnt
    before = checkpoint.read(transfer_encoder)["model"]
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items() if "heads." not in name)
    made.load_dataset("train")
    assert len(made.dataset("train")) == 50 and made.dataset("train").training
    with pytest.raises(XalignError, match=r"splits train and valid[\s\S]*test"):
        made.load_dataset("test")


@pytest.mark.parametrize(
    ("options", "trained"),
    [
        ({"freeze_layers": 0}, {"layers.0", "layers.1", "heads"}),
        ({"freeze_layers": 1}, {"layers.1", "heads"}),
        ({"feature_based": True, "extra_layers": 1}, {"heads"}),
    ],
)
def test_frozen_parameters_are_not_trained(options, trained, transfer_data, transfer_encoder):
    model = model_of(task(transfer_data, **options), transfer_encoder)
    found = set()
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            inside = name.removeprefix("encoder.sentence_encoder.").split(".")
            found.add(".".join(inside[: 2 if inside[0] == "layers" else 1]))
    assert found == trained


def test_a_checkpoint_of_other_labels_or_options_is_refused(transfer_data, transfer_encoder, tmp_path):
    made = task(transfer_data)
    model_of(made, transfer_encoder)
    state = made.state_dict()
    made.load_state_dict(state)
    made.load_state_dict({"tokenizer": state["tokenizer"]})  # a pre-trained encoder
    made.load_state_dict({"transfer": {**state["transfer"], "benchmark": "ner"}})  # another task's head is ignored
    for part, value in (("labels", ["ADJ"]), ("options", {"crf": True}), ("features", {"feature_based": True})):
        with pytest.raises(XalignError, match=rf"other {part}[\s\S]*xalign_tagging"):
            made.load_state_dict({"transfer": {**state["transfer"], part: value}})


def test_a_class_that_is_held_out_alone_is_a_class(tmp_path):
    train, found = tmp_path / "train.tsv", []
    for place in range(10):
        rows = [f"the house {i}\ta tree {i}\t{'rare' if i == place else 'usual'}\n" for i in range(10)]
        train.write_text("".join(rows))
        made = task(tmp_path, "xnli", "classification", train_files=f"en={train}", holdout=0.2)
        assert made.spec.labels == ("rare", "usual")
        found.append(any(group[0].label == "rare" for group in made.valid_groups))
    assert sum(found) == 2


def test_a_benchmark_of_another_family_is_refused(transfer_data):
    with pytest.raises(XalignError, match=r"no such benchmark[\s\S]*xalign_tagging[\s\S]*pos"):
        task(transfer_data, "xnli")


def test_windows_longer_than_the_encoders_positions_are_refused(transfer_data, transfer_encoder):
    with pytest.raises(XalignError, match=r"max_length[\s\S]*65[\s\S]*at most 64"):
        model_of(task(transfer_data, max_length=65), transfer_encoder)


def test_without_an_encoder_nothing_is_fine_tuned(transfer_data):
    made = task(transfer_data)
    with pytest.raises(XalignError, match=r"needs a checkpoint[\s\S]*init_checkpoint"):
        _ = made.dictionary
