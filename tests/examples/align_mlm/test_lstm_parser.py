"""What the small parser learns, for any batch; one seed gives one parser."""

import pytest
import torch

from tests.examples.align_mlm.parsers import lstm_parser, parse_text


@pytest.mark.slow  # trains a parser
def test_the_same_seed_trains_the_same_parser(trained):
    examples = parse_text.read_treebank(trained / "train.conllu")[:40]
    first, second, other = (lstm_parser.train(examples, 1, seed, lambda _: None).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], each) for name, each in second.items())
    assert not torch.equal(first["tags.weight"], other["tags.weight"])
