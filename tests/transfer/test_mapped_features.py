"""A frozen encoder's features read through linear maps: in prediction, and in the trainer's batches."""

import logging

import pytest
import torch
from support.checkpoints import with_head

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.transfer.benchmarks import find
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.predict import Predictor
from xalign_fairseq.transfer.spec import TransferSpec

LABELS = ("ADJ", "DET", "NOUN", "PROPN", "PUNCT", "VERB")


class Mapped:
    """The states of one language, layer by layer."""

    def __init__(self, states, maps):
        self.states, self.maps = states, maps

    def layer(self, layer):
        return self.states.layer(layer) @ self.maps[layer]


@pytest.fixture(scope="module")
def save(transfer_encoder, tmp_path_factory):
    """A function that writes an untrained feature-based tagger with maps of de and fr; returns its path."""

    def write(**features):
        state = with_head(checkpoint.read(transfer_encoder), TransferSpec("pos", LABELS, Limits(32, 8), {}, features))
        maps = LanguageMaps(["de", "fr"], "en", 2, 32)
        for parameter in maps.parameters():
            torch.nn.init.normal_(parameter)
        state["model"] |= {f"heads.linear_mapping.{key}": value for key, value in maps.state_dict().items()}
        path = tmp_path_factory.mktemp("mapped") / "mapped.pt"
        torch.save(state, path)
        return path

    return write


def alone(predictor, example, maps):
    """The prediction of one example, with its states multiplied by maps."""
    batch = predictor.family.collate([predictor.family.encode(example)])
    with torch.inference_mode():
        hidden = predictor.head.features(Mapped(predictor.encoder.states(batch["tokens"]), maps), batch["tokens"])
        return predictor.family.predict(predictor.head.output, hidden, batch, [example])[0]


def test_each_language_is_read_through_its_own_maps(save, transfer_data, caplog):
    predictor = Predictor.load(save(feature_based=True, extra_layers=1))
    examples = {
        language: predictor.benchmark.read(find(predictor.benchmark, transfer_data, "test", language), language)
        for language in ("en", "de")
    }
    together = [each for both in zip(*examples.values(), strict=True) for each in both]
    identity = torch.eye(32).repeat(3, 1, 1)
    predictions = predictor.predict(together)
    different = 0
    for example, found in zip(together, predictions, strict=True):
        plain = alone(predictor, example, identity)
        mapped = alone(predictor, example, predictor.maps.of("de"))
        assert found == (mapped if example.language == "de" else plain)
        different += mapped != plain
    assert different > 3
    assert not caplog.records


def test_a_language_without_a_map_is_read_as_it_is_and_told(save, transfer_data, caplog):
    predictor = Predictor.load(save(feature_based=True, extra_layers=0))
    path = find(predictor.benchmark, transfer_data, "test", "de")
    with caplog.at_level(logging.WARNING):
        finnish = predictor.predict(predictor.benchmark.read(path, "fi"))
    assert caplog.text.count("no linear map of fi") == 1
    assert finnish == predictor.predict(predictor.benchmark.read(path, "en"))
    assert finnish != predictor.predict(predictor.benchmark.read(path, "de"))


def test_an_encoder_that_was_trained_has_left_its_maps_behind(save):
    assert Predictor.load(save(feature_based=False)).maps is None
