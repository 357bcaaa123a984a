"""Ids of the tiny XLM-R."""

import pytest


@pytest.fixture
def tokens(vocab_size, make_tokens):
    """Of the XLM-R."""
    return make_tokens(vocab_size)
