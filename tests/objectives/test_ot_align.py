"""The cost of transport between both sides, against a plain restatement pair by pair; its gradient; odd pairs."""

import pytest
import torch
from support.word_pair_batches import DE, EN, SENTENCES, Trial, batch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.objectives.ot_align import OtAlign

KINDS = (
    {},
    {"encoding": "joint", "layer": 1},
    {"marginals": "attention"},
    {"marginals": "attention", "encoding": "joint"},
    {"dustbin": 0.4},
    {"dustbin": 0.6, "marginals": "attention", "encoding": "joint"},
)


def trial(**options):
    """Cosines of the encoder of a trial spread from -1 to 1."""
    return Trial(OtAlign, **{"mu": 0.3, "iterations": 4, **options})


def side_states(trial, sentence, layer):
    """Hidden states of the tokens of both sides of one pair, encoded without padding."""
    ids = [[token for word in words for token in word] for words in sentence[1:3]]
    if trial.objective.encoding == "separate":
        return [trial.encoder.states(torch.tensor([[0, *side, 2]])).layer(layer)[0, 1:-1] for side in ids]
    hidden = trial.encoder.states(torch.tensor([[0, *ids[0], 2, *ids[1], 2]])).layer(layer)[0]
    return [hidden[1 : 1 + len(ids[0])], hidden[2 + len(ids[0]) : -1]]


def shares(trial, sentence, layer):
    """Masses of both sides, which sum to 1."""
    found = side_states(trial, sentence, layer)
    if trial.objective.marginals == "uniform":
        return [torch.full((len(each),), 1 / len(each), dtype=each.dtype) for each in found]
    attention = trial.encoder.sentence_encoder.layers[layer - 1].self_attn
    made = []
    for x in side_states(trial, sentence, layer - 1):
        q, k = (map_(x).unflatten(1, (attention.heads, -1)) for map_ in (attention.q_proj, attention.k_proj))
        weights = torch.einsum("ihd,jhd->hij", q, k).mul(q.shape[2] ** -0.5).softmax(2)
        made.append(weights.mean((0, 1)).detach())
    return made


def plain_cost(trial, sentence):
    """Cost of one pair, and the mass that stays alone."""
    cfg, layer = trial.objective, trial.objective.trained_layer
    src, tgt = (each / each.norm(dim=1, keepdim=True) for each in side_states(trial, sentence, layer))
    cosine, (a, b) = src @ tgt.T, shares(trial, sentence, layer)
    n, m = cosine.shape
    if cfg.dustbin is None:
        kernel, u = (cosine / cfg.mu).exp(), torch.ones_like(a)
        for _ in range(cfg.iterations):
            v = b / (kernel.T @ u)
            u = a / (kernel @ v)
        return ((u[:, None] * kernel * v) * (1 - cosine)).sum(), torch.zeros(())
    rim = torch.full((n + 1, m + 1), cfg.dustbin, dtype=cosine.dtype)
    rim = torch.cat([torch.cat([cosine, rim[:n, :1]], 1), rim[:1]])
    kernel = (rim / cfg.mu).exp()
    a, b = torch.cat([a * n, a.new_tensor([m])]), torch.cat([b * m, b.new_tensor([n])])
    v = torch.ones_like(b)
    for _ in range(cfg.iterations):
        u = a / (kernel @ v)
        v = b / (kernel.T @ u)
    plan = u[:, None] * kernel * v
    together, alone = plan[:-1, :-1] * 2 / (n + m), (plan[-1, :-1].sum() + plan[:-1, -1].sum()) / (n + m)
    return (together * (1 - cosine)).sum() + (1 - cfg.dustbin) * alone, alone


@pytest.mark.parametrize("options", KINDS)
def test_loss_and_gradient_equal_the_restatement(options):
    one = trial(**options)
    loss, gradient = one.gradient(batch())
    costs, alone = zip(*(plain_cost(one, sentence) for sentence in SENTENCES), strict=True)
    assert loss.total.item() == pytest.approx(sum(costs).item(), rel=1e-9) and loss.total.item() > 0.1
    assert loss.count.item() == 4
    assert loss.stats["alone"][0].item() == pytest.approx(sum(alone).item(), rel=1e-9)
    assert loss.stats["pairs_without_plan"][0].item() == 0
    parameters = one.parameters
    expected = torch.autograd.grad(sum(costs), list(parameters.values()), allow_unused=True)
    reached = 0
    for name, plain in zip(parameters, expected, strict=True):
        if plain is None:
            assert gradient[name] is None or not gradient[name].any(), name
        else:
            torch.testing.assert_close(gradient[name], plain, rtol=1e-7, atol=1e-9, msg=name)
            reached += plain.abs().max() > 1e-4
    assert reached > 10


def test_one_token_on_each_side_costs_their_cosine():
    one = trial()
    s, t = (one.hidden(SENTENCES[3], side, one.objective.trained_layer)[1] for side in (0, 1))
    cosine = torch.cosine_similarity(s, t, dim=0).item()
    assert one.loss(batch(SENTENCES[3:])).total.item() == pytest.approx(1 - cosine)
    # Together at the cost 1 - cos, or each alone at the half of 1 - z.
    for z in (0.0, 1.0):
        loss = trial(dustbin=z, mu=0.01, iterations=200).loss(batch(SENTENCES[3:]))
        assert loss.total.item() == pytest.approx(min(1 - cosine, 1 - z), abs=1e-2)
        assert loss.stats["alone"][0].item() == pytest.approx(float(cosine < z), abs=1e-2)


def test_the_higher_the_dustbin_the_more_stays_alone():
    alone = [trial(dustbin=z, iterations=50).loss(batch()).stats["alone"][0].item() / 4 for z in (0.0, 0.5, 1.0)]
    assert 0 < alone[0] < alone[1] < alone[2] < 1


def test_sharper_plans_have_best_partners():
    shares = []
    for mu in (10.0, 0.3, 0.02):
        part, whole = trial(mu=mu, iterations=100).loss(batch(SENTENCES[:1])).stats["best_partner"]
        shares.append(part.item() / whole.item())
    # 4 tokens with 5: at first all partners are equal.
    assert 1 / 5 < shares[0] < 0.25 < shares[1] < shares[2] < 1


@pytest.mark.parametrize("options", [{}, {"dustbin": 0.5}, {"marginals": "attention", "encoding": "joint"}])
def test_pairs_with_an_empty_side_cost_nothing(options):
    one = trial(**options)
    empty = [((EN, DE), [[5], [6]], [], [], True), ((DE, EN), [], [], [], True)]
    alone, gradient = one.gradient(batch(empty))
    assert alone.total.item() == 0 and alone.count.item() == 0
    assert not any(grad.any() for grad in gradient.values() if grad is not None)
    beside = one.loss(batch([*SENTENCES, *empty]))
    assert beside.total.item() == pytest.approx(one.loss(batch()).total.item()) and beside.count.item() == 4


@pytest.mark.parametrize("options", [{}, {"dustbin": 0.5}, {"marginals": "attention"}])
def test_a_pair_without_finite_states_is_counted_and_left_out(options):
    one = trial(**options)
    expected = one.loss(batch(SENTENCES[:3]))
    with torch.no_grad():  # 46 is a token of the last pair alone
        one.encoder.sentence_encoder.embed_tokens.weight[46] = torch.nan
    loss = one.loss(batch())
    assert loss.total.item() == pytest.approx(expected.total.item()) and loss.count.item() == 3
    assert [part.item() for part in loss.stats["pairs_without_plan"]] == [1, 4]


@pytest.mark.parametrize(("option", "value"), [("mu", 0.0), ("iterations", 0), ("dustbin", 1.5)])
def test_wrong_options_are_refused(option, value):
    with pytest.raises(XalignError, match=f"ot_align_{option}"):
        trial(**{option: value})


def test_embeddings_have_no_attention():
    assert trial(layer=0).loss(batch()).total > 0
    with pytest.raises(XalignError, match="no attention"):
        trial(layer=0, marginals="attention")
