import numpy as np
import torch
from support import four_bit_files

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.masked_lm import EMBEDDINGS
from xalign_fairseq.encoder.pretrained import packaged
from xalign_fairseq.encoder.pretrained.known import family_of
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.vocabulary import load_tokenizer

PARTS = four_bit_files.make()


def test_parameters_go_by_our_names(small_file):
    state, where = read_pretrained(small_file)
    assert where == small_file and family_of(state) == "e5-small"
    encoder, _ = checkpoint.load_encoder(state)
    mine, theirs = encoder.state_dict(), PARTS.weights
    assert len(mine["sentence_encoder.embed_tokens.weight"]) == len(four_bit_files.PIECES)
    positions = mine["sentence_encoder.embed_positions.weight"].numpy()
    assert not positions[:2].any()
    np.testing.assert_array_equal(positions[2:], theirs["emb.pos"] + theirs["emb.type"][0])
    for name, ours in packaged.PARTS.items():
        prefix = f"sentence_encoder.layers.1.{ours}"
        np.testing.assert_allclose(mine[f"{prefix}.weight"], theirs[f"l1.{name}.w"], atol=0.35)
        np.testing.assert_array_equal(mine[f"{prefix}.bias"], theirs[f"l1.{name}.b"])
    config = encoder.config
    assert (config.encoder_layers, config.encoder_attention_heads, config.layer_norm_eps) == (2, 4, 1e-12)
    assert config.max_positions == four_bit_files.POSITIONS


def test_the_head_is_made_of_embeddings_and_scores(small_file):
    first, second = (packaged.read(small_file)["model"] for _ in range(2))
    assert all(torch.equal(value, second[name]) for name, value in first.items())
    assert first["encoder.lm_head.weight"].data_ptr() == first[EMBEDDINGS].data_ptr()
    pieces = four_bit_files.PIECES[4:-1]
    assert first["encoder.lm_head.bias"][4:-1].tolist() == [-4.0 - i for i in range(len(pieces))]


def test_the_tokenizer_has_xlm_rs_ids(small_file):
    tokenizer = load_tokenizer(packaged.read(small_file), len(four_bit_files.PIECES))
    pieces = four_bit_files.PIECES
    assert tokenizer.encode("the houses ,") == [pieces.index(each) for each in ("▁the", "▁house", "s", "▁", ",")]
    assert tokenizer.encode("das\u3000\uff28aus") == [pieces.index("▁das"), pieces.index("▁Haus")]  # nmt_nfkc
    assert tokenizer.dictionary.mask_index == len(pieces) - 1


def test_bytes_that_differ_from_the_release_give_a_warning(small_file, tmp_path, caplog):
    caplog.set_level("WARNING")
    packaged.read(small_file)
    assert caplog.text == ""
    packaged.read(small_file.rename(tmp_path / packaged.FILE))
    assert "changed, or from another release" in caplog.text


def test_a_local_path_with_the_name_takes_precedence(tmp_path, monkeypatch, small_file, caplog):
    monkeypatch.chdir(tmp_path)
    small_file.rename(packaged.NAME)
    state, _ = read_pretrained(packaged.NAME)
    assert state["model"]["encoder.lm_head.bias"].numel() == len(four_bit_files.PIECES)
    assert "not from the package" in caplog.text
