"""The text of the model card: what it names, what it shows of a record, and what it cites."""

import yaml

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.huggingface.card import model_card
from xalign_fairseq.encoder.pretrained.huggingface.families import XLM_R

CONFIG = EncoderConfig(vocab_size=250_002)
RECORD = {
    "started from": "model.pt",
    "objectives": {"tlm": 1.0, "dwa": 0.5},
    "updates": 1000,
    "best on development data": {"aer": 0.25},
    "seed": 3,
    "data": {"en-de": 24_000, "no": 600},
}


def test_the_card():
    card = model_card("my-aligner", XLM_R, CONFIG, ["heads.dwa.pointer.query.weight"], RECORD)
    head, _, body = card.removeprefix("---\n").partition("\n---\n")
    front = yaml.safe_load(head)
    assert front["language"] == ["de", "en", "no"] and front["library_name"] == "transformers"
    assert "word-alignment" in front["tags"]
    assert "# my-aligner" in body and 'AutoModelForMaskedLM.from_pretrained("my-aligner")' in body
    assert "a vocabulary of 250,002, and texts of up to 512 tokens" in body
    assert "| objectives | tlm: 1, dwa: 0.5 |" in body and "| updates | 1,000 |" in body
    assert "| data | en-de: 24,000, no: 600 |" in body and "| seed | 3 |" in body
    cited = body[body.index("## Citation") :]
    assert "```bibtex\n@software{xalign_fairseq," in cited
    assert all(name in cited for name in ("Conneau and Lample (2019)", "Chi et al. (2021)", "Conneau et al. (2020)"))
    assert "Pan et al." not in cited and "Devlin" not in cited
    assert "token_type_ids" not in card  # XLM-R's has one type


def test_heads_are_told_by_their_objectives_each_once():
    heads = ["heads.moco.queue", "heads.dwa.pointer.query.weight", "heads.dwa.pointer.key.weight"]
    assert "no place for (dwa, moco); xalign_fairseq reads them" in model_card("m", XLM_R, CONFIG, heads, {})


def test_a_paper_of_several_objectives_is_cited_once_and_an_unknown_objective_not_at_all():
    card = model_card("m", XLM_R, CONFIG, [], {"objectives": {"l2_align": 1.0, "linear_mapping": 1.0, "own": 1.0}})
    assert card.count("Wu and Dredze (2020)") == 1
    assert card.count("](https://") == 2  # and the architecture's
