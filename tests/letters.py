"""A tokenizer that tests can read: a token for each letter."""

import numpy as np

from xalign_fairseq.data.tokenizers.dictionary import Dictionary


class Letters:
    """A tokenizer with a token for each letter, and one without a character for each dot; blanks have none."""

    dictionary = Dictionary("abcdefgh.")

    def encode(self, text):
        return [self.dictionary.index(c) for c in text if c != " "]

    def encode_with_offsets(self, text):
        begin = np.array([i for i, c in enumerate(text) if c != " "], dtype=np.int64)
        return self.encode(text), begin, begin + [text[i] != "." for i in begin]
