"""Linear maps: Eq. 1 and 2 in plain loops, languages, a rotation that training finds, bad input."""

import pytest
import torch
from support.small import CONFIG, move
from support.trials import Task, bound
from support.word_pair_batches import DE, EN, LANGUAGES, RU, SENTENCES, Trial, batch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.objectives.linear_mapping import LinearMapping


def trial(**options):
    """With maps other than the identity."""
    made = Trial(LinearMapping, **options)
    move(made.heads, 0.3)
    return made


@torch.no_grad()
def by_hand(made, pooling="first"):
    """Loss, squared norms and cosines in plain loops over pairs and layers."""
    maps, layers = made.heads["linear_mapping"], CONFIG.encoder_layers + 1
    total, cosine = 0.0, 0.0
    for layer in range(layers):
        for s, t, language, *_ in made.pairs(pooling=pooling, layer=layer):
            w = maps.of(LANGUAGES[language])[layer]
            mapped = torch.stack([sum(t[i] * w[i, j] for i in range(8)) for j in range(8)])
            total += float(((s - mapped) ** 2).sum()) / layers
            cosine += float(s @ mapped / s.norm() / mapped.norm())
    return total, cosine


@pytest.mark.parametrize("pooling", ["first", "mean"])
def test_the_loss_is_the_mean_over_layers_of_squared_distances_of_linked_words(pooling):
    made = trial(pooling=pooling, beta=0)
    loss = made.loss(batch())
    total, cosine = by_hand(made, pooling)
    assert loss.count == 9 and loss.total.dtype == torch.float64
    assert loss.total.item() == pytest.approx(total, rel=1e-10)
    similar, of = loss.stats["similarity"]
    assert similar.item() == pytest.approx(cosine, rel=1e-10) and of == 9 * 3
    assert loss.stats["orthogonality_error"][1] == 0  # update 5: in training it is measured every 20 updates
    error, number = made.loss(batch(), training=False).stats["orthogonality_error"]
    expected, _ = made.heads["linear_mapping"].orthogonality_error()
    assert number == 2 * 3 and error == expected > 1


def test_only_the_maps_have_a_gradient():
    made = trial(beta=0)
    _, gradient = made.gradient(batch())
    assert all((value is None) != name.startswith("linear_mapping") for name, value in gradient.items())
    maps = made.heads["linear_mapping"]
    # gradcheck changes its inputs in place, so they need not be arguments.
    weights = tuple(maps.parameters())
    assert torch.autograd.gradcheck(lambda *_: made.loss(batch()).total, weights, fast_mode=True)


def test_words_of_a_language_without_a_map_are_not_counted():
    """Languages of a pair that is only validated."""
    made = trial(beta=0)
    known = made.loss(batch(SENTENCES[2:3]), training=False)
    unknown = ((-1, EN), *SENTENCES[1][1:])
    unmapped = ((DE, RU), *SENTENCES[0][1:])  # both have a map, but neither is the pivot
    for others in ([unknown], [unmapped], [unmapped, unknown]):
        given = batch([*others, SENTENCES[2]])
        both = made.loss(given, training=False)
        assert both.count == known.count == made.objective.count(given) == 2
        assert both.total.item() == pytest.approx(known.total.item(), rel=1e-10)


def test_in_training_the_maps_are_orthogonalised_before_the_first_forward_of_an_update():
    made = trial(beta=0.1)
    maps = made.heads["linear_mapping"]
    before = maps.of("de").detach().clone()
    validation = made.loss(batch(), training=False).total
    assert (maps.of("de") == before).all()
    first = made.loss(batch()).total
    once = 1.1 * before - 0.1 * before @ before.mT @ before
    torch.testing.assert_close(maps.of("de").detach(), once, rtol=1e-10, atol=1e-10)
    assert made.loss(batch()).total == first != validation  # the second batch of --update-freq 2
    torch.testing.assert_close(maps.of("de").detach(), once, rtol=1e-10, atol=1e-10)
    made.loss(batch(), update=6)
    assert not maps.of("de").detach().allclose(once)


def test_bad_input():
    for beta in (-0.1, 1.0):
        with pytest.raises(XalignError, match="linear_mapping_beta"):
            LinearMapping(beta=beta)
    with pytest.raises(XalignError, match="pivot_lang"):
        bound(LinearMapping(), task=Task(languages=("de", "fr", "ru", "sw"), pivot=None))
