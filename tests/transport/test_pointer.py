import math

import pytest
import torch
from sinkhorn_pairs import pair_matrices

from xalign_fairseq.encoder.checkpoint import load_pointer
from xalign_fairseq.errors import XalignError
from xalign_fairseq.transport.labels import self_label
from xalign_fairseq.transport.pointer import Pointer

SPANS = torch.tensor([[1, 4, 5, 7], [1, 3, 4, 8]])


def build():
    torch.manual_seed(0)
    pointer = Pointer(6).double()
    for parameter in pointer.parameters():
        torch.nn.init.normal_(parameter)
    return pointer, torch.randn(2, 9, 6, dtype=torch.float64)


def test_similarity_is_the_geometric_mean_of_both_directions_weights_up_to_scaling():
    pointer, hidden = build()
    similarity, src_mask, _tgt_mask = pointer.similarity(hidden, SPANS)
    for b, (s0, s1, t0, t1) in enumerate(SPANS.tolist()):
        for i in range(s0, s1):
            for j in range(t0, t1):
                forward = pointer.query(hidden[b, i]) @ pointer.key(hidden[b, j])
                backward = pointer.query(hidden[b, j]) @ pointer.key(hidden[b, i])
                expected = math.exp(float((forward + backward).detach()) / (2 * math.sqrt(6)))
                assert similarity[b, i - s0, j - t0].item() == pytest.approx(expected, rel=1e-12)
    assert src_mask.tolist() == [[True] * 3, [True, True, False]]
    assert (similarity[1, 2] == 0).all() and (similarity[0, :, 2:] == 0).all()


def test_labels_by_the_pointer_differ_from_labels_by_hidden_states():
    pointer, hidden = build()
    own = self_label(hidden, SPANS, measure=pointer.similarity)
    assert own.shape == (2, 9) and (own != self_label(hidden, SPANS)).any()
    links, _ = pair_matrices(hidden, SPANS, measure=pointer.similarity)
    linked = {(b, 1 + i) for b, i, _ in links.nonzero().tolist()}
    assert linked == {(b, i) for b, i in (own >= 0).nonzero().tolist() if i < SPANS[b, 1]}


def test_the_pointer_of_a_checkpoint():
    pointer, _ = build()
    heads = {f"heads.dwa.pointer.{key}": value for key, value in pointer.state_dict().items()}
    loaded = load_pointer({**heads, "heads.dwa.agreement": torch.zeros(())})
    assert torch.equal(loaded.query.weight, pointer.query.weight.float())
    with pytest.raises(XalignError, match="no pointer"):
        load_pointer({})
