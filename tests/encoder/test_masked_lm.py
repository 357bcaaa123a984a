import pytest
import torch

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.masked_lm import EMBEDDINGS, HEAD, has_head, is_same, new_head, usable
from xalign_fairseq.encoder.transformer import Encoder

CONFIG = EncoderConfig(30, 1, 16, 16, 2)


@pytest.fixture
def weights():
    return {f"encoder.{name}": value for name, value in Encoder(CONFIG).state_dict().items()}


def test_a_whole_tied_head_stays(weights, caplog):
    assert usable(weights) == weights and has_head(weights)
    once = {name: value for name, value in weights.items() if name != HEAD + "weight"}
    assert usable(once) == once
    copied = {**weights, HEAD + "weight": weights[EMBEDDINGS].clone()}
    assert usable(copied).keys() == weights.keys()
    assert not caplog.records


@pytest.mark.parametrize("change", ["another value", "another shape", "a part missing"])
def test_any_other_is_left_out(weights, caplog, change):
    match change:
        case "another value":
            weights[HEAD + "weight"] = weights[EMBEDDINGS] + 1
        case "another shape":
            weights[HEAD + "weight"] = weights[EMBEDDINGS][:-1]
        case "a part missing":
            del weights[HEAD + "layer_norm.bias"]
    found = usable(weights, "model.pt")
    assert not has_head(found) and found.keys() == {name for name in weights if not name.startswith(HEAD)}
    [record] = caplog.records
    assert record.getMessage().startswith("model.pt: the masked-language-model head is left out: it ")


def test_none_is_nothing_to_say(caplog):
    assert usable({EMBEDDINGS: torch.ones(2, 2)}).keys() == {EMBEDDINGS} and not caplog.records


def test_second_names():
    one = torch.ones(2)
    assert is_same(one, one) and is_same(one, one.clone()) and is_same(None, one) and is_same(one, None)
    assert not is_same(one, one + 1) and not is_same(one, torch.ones(3))


def test_a_new_head_is_the_same_every_time_and_draws_nothing_else():
    embeddings = torch.ones(30, 16)
    before = torch.get_rng_state()
    one, two = new_head(CONFIG, embeddings), new_head(CONFIG, embeddings)
    assert torch.equal(torch.get_rng_state(), before)
    assert one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)
    assert 0.01 < one["dense.weight"].std() < 0.03 and one["weight"].data_ptr() == embeddings.data_ptr()
