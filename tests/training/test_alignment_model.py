from dataclasses import replace

import pytest
import torch
from support.small import diagonal, pair
from support.text import CONFIG, write_plain_data

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import collate
from xalign_fairseq.data.pretraining import PretrainingData
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.objectives import DWA, TLM, L2Align
from xalign_fairseq.training.alignment_model import AlignmentModel


def sample(*sizes):
    pairs = [pair([4 + k % 30 for k in range(n)], [9 + k % 30 for k in range(m)], diagonal(n, m)) for n, m in sizes]
    made = collate(pairs, [])
    for name in ("masked", "targets"):  # ids of this vocabulary
        made["bitext"][name].clamp_(max=CONFIG.vocab_size - 1)
    return made


PARTS = [sample((5, 7), (2, 3)), sample((9, 6)), sample((3, 4), (8, 8)), sample((6, 2))]
WHOLE = sample((5, 7), (2, 3), (9, 6), (3, 4), (8, 8), (6, 2))


def build(*objectives, normalization="joint", data=None):
    torch.manual_seed(1)
    return AlignmentModel(Encoder(CONFIG), objectives, data, loss_normalization=normalization).double()


def gradient(model):
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


def test_the_loss_is_the_sum_over_the_predictions():
    made = build(TLM(weight=0.5), DWA(label_layer=1, start_update=0))(WHOLE)
    tlm, dwa = made.losses["tlm"], made.losses["dwa"]
    assert made.total.item() == pytest.approx(0.5 * tlm.total.item() + dwa.total.item())
    assert made.count == tlm.count + dwa.count
    assert made.loss.item() == pytest.approx(made.total.item() / made.count.item())
    assert made.means()["tlm"] == pytest.approx(tlm.total.item() / tlm.count.item())


@pytest.mark.parametrize("normalization", ["joint", "per-objective"])
def test_an_accumulated_update_has_the_gradient_of_its_parts_as_one_batch(normalization):
    objectives = TLM(weight=0.5), L2Align(weight=3.0)
    model, whole = (build(*objectives, normalization=normalization) for _ in range(2))
    model.begin_update(PARTS)
    losses = [model(part).loss for part in PARTS]
    sum(losses).backward()
    made = whole(WHOLE)
    made.loss.backward()
    torch.testing.assert_close(gradient(model), gradient(whole), rtol=1e-9, atol=1e-12)
    assert sum(losses).item() == pytest.approx(made.loss.item()) and model.num_updates == whole.num_updates == 1


@pytest.mark.parametrize("normalization", ["joint", "per-objective"])
def test_an_update_with_only_a_stand_in_batch_has_a_zero_gradient(normalization):
    model = build(TLM(), normalization=normalization)
    model({**PARTS[0], "ignored": True}).loss.backward()
    assert not gradient(model).any()


@pytest.mark.parametrize("normalization", ["joint", "per-objective"])
def test_a_batch_that_fails_leaves_nothing_to_the_next(normalization, monkeypatch):
    """A batch too large for memory, which a user's loop skips."""
    objectives = TLM(weight=0.5), L2Align(weight=3.0)
    model, other = (build(*objectives, normalization=normalization) for _ in range(2))
    with monkeypatch.context() as patch:
        patch.setattr(model.weighted, "losses", None)
        for announced in ([], PARTS[:3]):
            model.begin_update(announced)
            with pytest.raises(TypeError):
                model(PARTS[0])
    assert model(PARTS[1]).loss.item() == pytest.approx(other(PARTS[1]).loss.item())
    assert model.num_updates == other.num_updates == 1


def test_objectives_that_count_what_they_label_are_not_accumulated_jointly():
    model = build(TLM(), DWA(label_layer=1, start_update=0))
    with pytest.raises(XalignError, match=r"dwa, whose counts depend[\s\S]*per-objective"):
        model.begin_update(PARTS)


def test_a_resumed_module_knows_its_updates_and_a_checkpoint_its_heads(tmp_path):
    data = PretrainingData(write_plain_data(tmp_path / "data"))
    model = build(TLM(), DWA(label_layer=1, start_update=0), data=data)
    model(WHOLE)
    again = build(TLM(), DWA(label_layer=1, start_update=0), data=data)
    again.load_state_dict(model.state_dict())
    assert again.num_updates == 1
    model.float().save_pretrained(tmp_path / "model.pt")
    with pytest.raises(XalignError, match="already exists"):
        model.save_pretrained(tmp_path / "model.pt")
    loaded = AlignmentModel.from_pretrained(
        tmp_path / "model.pt", [TLM(), DWA(label_layer=1, start_update=0)], data, dropout=0.1
    )
    assert loaded.encoder.config.dropout == 0.1 and loaded.training and loaded.num_updates == 0
    record = {"started from": "model.pt", "objectives": {"tlm": 1.0, "dwa": 1.0}, "updates": 0}
    assert loaded.checkpoint()["training_record"] == record
    for name, value in model.state_dict().items():
        if name != "_extra_state":
            assert torch.equal(loaded.state_dict()[name], value), name


@pytest.mark.parametrize("ids", [-5, 5])
def test_a_checkpoint_of_another_number_of_ids_is_refused(tmp_path, ids):
    """fairseq's checkpoints store no tokenizer to compare."""
    data = PretrainingData(write_plain_data(tmp_path / "data"))
    vocab_size = data.data.dictionary.embedding_size + ids
    model = AlignmentModel(Encoder(replace(CONFIG, vocab_size=vocab_size)), [TLM()])
    torch.save(model.checkpoint(), tmp_path / "other.pt")
    with pytest.raises(XalignError, match=rf"found: {vocab_size}[\s\S]*expected: {vocab_size - ids}"):
        AlignmentModel(model.encoder, [TLM()], data)
    with pytest.raises(XalignError, match=f"found: {vocab_size - ids} ids"):
        AlignmentModel.from_pretrained(tmp_path / "other.pt", [TLM()], data)


def test_validation_is_no_update():
    model = build(TLM()).eval()
    made = model(WHOLE)
    assert model.num_updates == 0 and made.loss.item() == pytest.approx(made.total.item() / made.count.item())
