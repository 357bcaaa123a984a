import numpy as np
import pytest
import torch
from support.small import move

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.mappings import LanguageMaps, MappedStates, Procrustes, apply_map, load_maps
from xalign_fairseq.encoder.transformer import Encoder


def random_maps(languages=("de", "to"), layers=2, dim=4, scale=0.3):
    maps = LanguageMaps(languages, "en", layers, dim)
    torch.manual_seed(1)
    move(maps, scale)
    return maps


def test_maps_are_one_parameter_per_language_and_start_as_identities():
    maps = LanguageMaps(["de", "to"], "en", 2, 4)  # "to", Tongan, is also a method of modules
    assert maps.languages == ("de", "to")
    assert {key: tuple(value.shape) for key, value in maps.state_dict().items()} == {
        "maps.de": (3, 4, 4),
        "maps.to": (3, 4, 4),
        "pivot.en": (1,),
    }
    assert all((maps.of(language) == torch.eye(4)).all() for language in ("de", "to"))
    assert maps.of("en") is None and maps.of("fr") is None
    assert [name for name, _ in maps.named_parameters()] == ["maps.de", "maps.to"]


def test_loaded_maps_are_orthogonalised_again_in_the_same_update():
    maps = random_maps()
    before = {name: value.clone() for name, value in maps.state_dict().items()}
    maps.orthogonalise(0.1, 3)
    once = maps.of("de").clone()
    maps.load_state_dict(before)
    maps.orthogonalise(0.1, 3)
    assert torch.equal(maps.of("de"), once) and not torch.equal(once, before["maps.de"])


def test_maps_stay_in_float32_in_a_half_model():
    model = torch.nn.ModuleDict({"maps": random_maps(), "linear": torch.nn.Linear(2, 2)})
    before = model["maps"].of("de").clone()
    model.half()
    assert model["linear"].weight.dtype == torch.float16
    assert model["maps"].of("de").dtype == torch.float32 and (model["maps"].of("de") == before).all()
    assert model.double()["maps"].of("to").dtype == torch.float64


def test_the_orthogonality_update_by_its_equation_once_an_update():
    maps = random_maps().double()
    before = {language: maps.of(language).detach().clone() for language in maps.languages}
    maps.orthogonalise(0.1, update=7)
    maps.orthogonalise(0.1, update=7)
    for language, old in before.items():
        for w, now in zip(old, maps.of(language), strict=True):
            torch.testing.assert_close(now.detach(), 1.1 * w - 0.1 * w @ w.T @ w, rtol=1e-12, atol=1e-12)
    maps.orthogonalise(0.1, update=8)
    w = before["de"][0]
    w = 1.1 * w - 0.1 * w @ w.T @ w
    torch.testing.assert_close(maps.of("de")[0].detach(), 1.1 * w - 0.1 * w @ w.T @ w, rtol=1e-12, atol=1e-12)


def test_the_error_is_the_distance_from_orthogonality():
    maps = random_maps()
    error, number = maps.orthogonality_error()
    by_hand = sum((w @ w.T - torch.eye(4)).norm() for language in maps.languages for w in maps.of(language))
    assert number == 6 and error.item() == pytest.approx(by_hand.item(), rel=1e-5) and error > 1


def test_each_row_is_mapped_by_its_languages_map_of_the_layer():
    encoder, maps = Encoder(EncoderConfig(20, 2, 4, 8, 2, max_positions=10)).double().eval(), random_maps()
    tokens = torch.tensor([[0, 5, 6, 2], [0, 7, 2, 1], [0, 8, 2, 1], [0, 9, 5, 2]])
    states = encoder.states(tokens, grad=False)
    mapped = MappedStates(states, maps, ["de", "en", "to", "de"])
    for layer in (0, 1, 2, -1):
        for row, language in enumerate(["de", "en", "to", "de"]):
            expected = states.layer(layer)[row]
            if language != "en":
                expected = expected @ maps.of(language)[layer].double()
            torch.testing.assert_close(mapped.layer(layer)[row], expected)
    assert MappedStates(states, maps, ["en", "fr", "en", "fr"]).layer(1) is states.layer(1)
    half = MappedStates(encoder.bfloat16().states(tokens, grad=False), maps, ["de"] * 4).layer(1)
    assert half.dtype == torch.bfloat16


def test_maps_are_applied_in_float32_at_least():
    w = random_maps(scale=1e-4).of("de").detach()
    half = torch.randn(3, 5, 4).half()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = apply_map(half, w)
    assert found.dtype == torch.float32 and (found == half.float() @ w).all()
    assert apply_map(half.double(), w).dtype == torch.float64


def test_maps_are_restored_from_the_heads_of_a_checkpoint():
    maps = random_maps()
    heads = {f"heads.linear_mapping.{key}": value for key, value in maps.state_dict().items()}
    loaded = load_maps({"heads.dwa.agreement": torch.zeros(()), **heads})
    assert loaded.languages == ("de", "to") and not any(p.requires_grad for p in loaded.parameters())
    assert all((loaded.of(language) == maps.of(language)).all() for language in ("de", "to"))
    loaded.require(["en", "de"])
    assert load_maps({"heads.dwa.agreement": torch.zeros(())}) is None


def test_a_language_without_a_map_is_named_with_those_that_have_one(caplog):
    maps = random_maps()
    with pytest.raises(XalignError, match=r"fr, ru(.|\n)*expected: de, to, en"):
        maps.require(["fr", "de", "en", "ru", "fr"])
    maps.warn_of_unmapped(["en", "de"])
    assert not caplog.records
    maps.warn_of_unmapped(["fr", "en"])
    assert "no linear map of fr" in caplog.text and "de, to" in caplog.text


def vectors(layers=3, pairs=200, dim=6, rank=6, seed=0):
    rng = np.random.default_rng(seed)
    s, t = rng.normal(size=(2, layers, pairs, dim))
    basis = rng.normal(size=(rank, dim))
    return torch.from_numpy(s), torch.from_numpy(t[..., :rank] @ basis if rank < dim else t)


def solved(s, t, batch=None):
    problem = Procrustes(len(s), s.shape[2])
    for start in range(0, s.shape[1], batch or s.shape[1]):
        part = slice(start, start + (batch or s.shape[1]))
        problem.add(s[:, part], t[:, part])
    return problem


def test_the_map_equals_scipy():
    linalg = pytest.importorskip("scipy.linalg")
    s, t = vectors()
    for w, a, b in zip(solved(s, t).solve(), t, s, strict=True):
        expected, _ = linalg.orthogonal_procrustes(a.numpy(), b.numpy())
        np.testing.assert_allclose(w, expected, atol=1e-10)


@pytest.mark.parametrize(("pairs", "rank"), [(200, 2), (3, 6), (1, 6)])
def test_maps_are_orthogonal_if_the_pairs_do_not_span_the_space(pairs, rank):
    linalg = pytest.importorskip("scipy.linalg")
    s, t = vectors(pairs=pairs, rank=rank)
    problem = solved(s, t)
    w = problem.solve()
    torch.testing.assert_close(w @ w.mT, torch.eye(6).double().expand(3, 6, 6), atol=1e-10, rtol=0)
    for layer in range(3):  # the last bits decide which of the best maps is found, not its quality
        expected, _ = linalg.orthogonal_procrustes(t[layer].numpy(), s[layer].numpy())
        best = ((t[layer].numpy() @ expected - s[layer].numpy()) ** 2).sum(1).mean()
        assert problem.distance(w)[layer].item() == pytest.approx(best, rel=1e-9)


def test_the_distance_is_the_mean_over_the_pairs():
    s, t = vectors()
    problem = solved(s, t, 30)
    w = problem.solve()
    for maps, mapped in ((None, t), (w, t @ w)):
        torch.testing.assert_close(problem.distance(maps), (s - mapped).square().sum(2).mean(1))
    assert (problem.distance(w.float()) < problem.distance()).all()


def test_sums_of_half_precision_vectors_are_in_float64():
    s, t = (each.half() for each in vectors(pairs=3000))
    torch.testing.assert_close(solved(s, t, 100).solve(), solved(s.double(), t.double()).solve(), atol=1e-12, rtol=0)


def test_nothing_to_learn_from():
    with pytest.raises(XalignError, match=r"de(.|\n)*no linked words"):
        Procrustes(2, 3).solve("de")
    problem = Procrustes(1, 3)
    problem.add(torch.full((1, 2, 3), float("nan")), torch.ones(1, 2, 3))
    with pytest.raises(XalignError, match="not finite"):
        problem.solve("de")
