import json

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.huggingface.tokenizer_json import added_tokens, parts


def test_missing_parts_are_empty(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"model": {"type": "Unigram"}, "normalizer": None}))
    assert parts(path, "model", "normalizer", "decoder") == [{"type": "Unigram"}, {}, {}]
    path.write_text(json.dumps({"model": [], "normalizer": 3, "decoder": "x"}))
    with pytest.raises(XalignError, match=r"tokenizer.json[\s\S]*\$\.model"):
        parts(path, "model", "normalizer", "decoder")


def test_added_tokens_of_either_file(tmp_path):
    assert added_tokens(tmp_path) == {}
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<en>": 7}))
    assert added_tokens(tmp_path) == {"<en>": 7}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"added_tokens": [{"id": 8, "content": "<de>"}]}))
    assert added_tokens(tmp_path) == {"<de>": 8}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"added_tokens": [{"id": 8}]}))
    with pytest.raises(XalignError, match=r"tokenizer.json[\s\S]*\$\.added_tokens\[0\]"):
        added_tokens(tmp_path)
