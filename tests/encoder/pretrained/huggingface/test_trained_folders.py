"""A model of a Hugging Face folder is trained in a custom loop and saved as a folder."""

import pytest
import torch
from support.huggingface_folders import assert_same_hidden
from support.small import diagonal, pair

from xalign_fairseq.data.batches import collate
from xalign_fairseq.objectives import DWA, TLM
from xalign_fairseq.training.alignment_model import AlignmentModel


def objectives():
    return [TLM(), DWA(label_layer=1, start_update=0)]


@pytest.mark.parametrize("kind", ["XLMRobertaForMaskedLM", "BertForMaskedLM"])
def test_a_model_is_trained_written_and_loaded_by_both(build, save, transformers, tmp_path, kind):
    library = build(kind)
    model = AlignmentModel.from_pretrained(save(library), objectives())
    tokens = torch.tensor([[0, 5, 6, 7, 2]])
    before = model.encoder.states(tokens).layer().detach()
    made = model(collate([pair([5, 6, 7], [8, 9, 10, 11], diagonal(3, 4))], []))
    made.loss.backward()
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    assert made.losses["dwa"].count > 0
    model.save_pretrained(tmp_path / "out")
    again = transformers.AutoModel.from_pretrained(tmp_path / "out").eval()
    assert again.config.model_type == library.config.model_type
    if kind.startswith("XLM"):  # ids of a BERT are in its own order
        assert_same_hidden(model.encoder, again, tokens)
    assert not torch.allclose(model.encoder.states(tokens).layer(), before, atol=1e-3)
    back = AlignmentModel.from_pretrained(tmp_path / "out", objectives())
    for name, value in model.state_dict().items():
        if name != "_extra_state":
            torch.testing.assert_close(back.state_dict()[name], value, msg=name)
