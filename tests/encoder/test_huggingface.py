import importlib
import json
import logging
import os
import sys

import numpy as np
import pytest
import sentencepiece
import torch

import xalign_fairseq
from xalign_fairseq.alignment.vocabulary import load_tokenizer
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.huggingface.importing import convert, their_name
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.errors import XalignError

TEXT = [
    "The red house is not so big.", "A cat's 3 kittens sleep on the ﬁrst floor…", "Der rote Hund schläft über Nacht.",
    "Кошка спит на крыше дома.", "红色的房子很大，猫在睡觉。", "कुत्ता लाल घर में सो रहा है।", "البيت الأحمر كبير جدًا.",
    "赤い家は大きいです。", "빨간 집이 크다.", "บ้านสีแดงหลังใหญ่", "Το κόκκινο σπίτι είναι μεγάλο.",
]  # fmt: skip
UNSEEN = [
    "  Two\tＷＩＤＥ  words 𝒳 ☃ ",
    "Ünïcödé naïveté 42",
    "ქართული",
    "",
    "▁",
    "e\u0301 é",
    "\u200bzero",
]
SIZES = {
    "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 40,
    "max_position_embeddings": 22, "layer_norm_eps": 1e-5,
}  # fmt: skip
PREFIX = "encoder.sentence_encoder."


@pytest.fixture(scope="module")
def transformers():
    """The library; it imports torchaudio where it finds it, which fails if that was built for another torch."""
    pytest.importorskip("safetensors")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torchaudio", None)
        found = pytest.importorskip("transformers")
        importlib.import_module("transformers.models.xlm_roberta.modeling_xlm_roberta")
    found.utils.logging.disable_progress_bar()
    return found


def train(prefix, **options):
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT * 10), model_prefix=str(prefix), vocab_size=400, hard_vocab_limit=False,
        character_coverage=1.0, minloglevel=2, num_threads=1, **options,
    )  # fmt: skip
    return prefix.with_name(prefix.name + ".model")


@pytest.fixture(scope="module")
def spm(tmp_path_factory):
    return train(tmp_path_factory.mktemp("spm") / "m")


@pytest.fixture(scope="module")
def vocab_size(spm):
    return sentencepiece.SentencePieceProcessor(str(spm)).get_piece_size() + 2


@pytest.fixture(scope="module")
def build(transformers, vocab_size):
    """Make a model of one of the library's classes; its biases and layer norms count, and so does its token type."""

    def build(kind="XLMRobertaForMaskedLM", **options):
        settings = {
            "vocab_size": vocab_size,
            "max_position_embeddings": 22,
            "type_vocab_size": 1,
            "layer_norm_eps": 1e-5,
        }
        config = transformers.XLMRobertaConfig(**{**SIZES, **settings, **options})
        torch.manual_seed(0)
        model = getattr(transformers, kind)(config).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(torch.randn_like(parameter) * 0.1)
        return model

    return build


@pytest.fixture
def save(tmp_path, spm):
    """Write a model and the tokenizer as a folder."""

    def save(model, **options):
        folder = tmp_path / "folder"
        model.save_pretrained(folder, **options)
        (folder / "sentencepiece.bpe.model").write_bytes(spm.read_bytes())
        return folder

    return save


@pytest.fixture
def folder(build, save):
    return save(build())


def to_bin(folder, shards, change=lambda state: None):
    """Write the weights as earlier releases did, which the library can no longer."""
    from safetensors.torch import load_file

    state = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    state["roberta.embeddings.position_ids"] = torch.arange(22)[None]
    state["lm_head.decoder.weight"] = state["roberta.embeddings.word_embeddings.weight"].clone()
    state["lm_head.decoder.bias"] = state["lm_head.bias"].clone()
    change(state)
    if shards == 1:
        torch.save(state, folder / "pytorch_model.bin")
        return
    files = [f"pytorch_model-{i + 1:05}-of-{shards:05}.bin" for i in range(shards)]
    weight_map = {name: files[i % shards] for i, name in enumerate(state)}
    for file in files:
        torch.save({name: value for name, value in state.items() if weight_map[name] == file}, folder / file)
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


def configure(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def change_weights(folder, change):
    from safetensors.torch import load_file, save_file

    state = load_file(folder / "model.safetensors")
    change(state)
    save_file(state, folder / "model.safetensors")


def converted(folder):
    target = folder.parent / "converted.pt"
    convert(folder, target)
    state = checkpoint.read(target)
    return state, checkpoint.load_encoder(state)[0]


@pytest.fixture
def tokens(vocab_size):
    """A padded batch; one row fills all positions."""
    generator = torch.Generator().manual_seed(1)
    batch = torch.full((4, 20), 1)
    for row, length in zip(batch, (20, 2, 7, 13), strict=True):
        row[:length] = torch.randint(4, vocab_size, (length,), generator=generator)
        row[0], row[length - 1] = 0, 2
    return batch


def assert_same_hidden(encoder, model, tokens):
    keep = tokens.ne(1)
    with torch.no_grad():
        expected = model(tokens, attention_mask=keep.long(), output_hidden_states=True).hidden_states
        states = encoder.states(tokens)
    for layer, each in enumerate(expected):
        torch.testing.assert_close(states.layer(layer)[keep], each[keep], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("form", ["safetensors", "safetensors in shards", "bin", "bin in shards"])
def test_logits_are_those_of_transformers(build, save, tokens, form):
    model = build()
    folder = save(model, **({"max_shard_size": "20KB"} if form == "safetensors in shards" else {}))
    if form.startswith("bin"):
        to_bin(folder, 3 if "shards" in form else 1)
    assert len(list(folder.glob("*.safetensors" if form.startswith("safe") else "*.bin"))) > 1 or "shards" not in form
    state, encoder = converted(folder)
    keep = tokens.ne(1)
    with torch.no_grad():
        expected = model(tokens, attention_mask=keep.long()).logits[keep]
        found = encoder.lm_head(encoder.states(tokens).layer()[keep])
    assert expected.std() > 0.3
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    assert encoder.config.max_positions == 20
    assert {f"encoder.{name}" for name in encoder.state_dict()} == set(state["model"])


def test_a_base_model_without_head_and_with_pooler(build, save, tokens, caplog):
    model = build("XLMRobertaModel")
    folder = save(model)
    state, encoder = converted(folder)
    assert "no masked-language-model head" in caplog.text
    assert "not used from" in caplog.text and "pooler (2 tensors)" in caplog.text
    assert_same_hidden(encoder, model, tokens)
    head = {name: value for name, value in state["model"].items() if ".lm_head." in name}
    assert 0.015 < head["encoder.lm_head.dense.weight"].std() < 0.025
    assert torch.equal(head["encoder.lm_head.weight"], state["model"][PREFIX + "embed_tokens.weight"])
    random = torch.get_rng_state()
    convert(folder, folder.parent / "again.pt")
    assert torch.equal(torch.get_rng_state(), random)
    again = checkpoint.read(folder.parent / "again.pt")
    assert all(torch.equal(again["model"][name], value) for name, value in head.items())


def test_a_classifier_is_left_out_and_named(build, save, tokens, caplog):
    model = build("XLMRobertaForSequenceClassification")
    _, encoder = converted(save(model))
    assert "classifier (4 tensors)" in caplog.text
    assert_same_hidden(encoder, model.roberta, tokens)


def test_several_token_types(build, save, tokens, caplog):
    model = build("XLMRobertaModel", type_vocab_size=2)
    _, encoder = converted(save(model))
    assert "of 2 token types the first is used" in caplog.text
    assert_same_hidden(encoder, model, tokens)


def test_half_precision_is_stored_as_float32(build, save):
    model = build().bfloat16()
    state, _ = converted(save(model))
    assert {value.dtype for value in state["model"].values()} == {torch.float32}
    found = state["model"][PREFIX + "layers.2.fc1.weight"]
    assert torch.equal(found, model.roberta.encoder.layer[2].intermediate.dense.weight.float())


def test_ids_are_those_of_transformers(transformers, folder, vocab_size):
    theirs = transformers.XLMRobertaTokenizer.from_pretrained(folder)
    state, encoder = converted(folder)
    ours = load_tokenizer(state, encoder.config.vocab_size)
    for line in TEXT + UNSEEN:
        assert ours.encode(line) == theirs(line)["input_ids"][1:-1], line
    dictionary = ours.dictionary
    assert [dictionary.bos_index, dictionary.pad_index, dictionary.eos_index, dictionary.unk_index] == [
        theirs.bos_token_id, theirs.pad_token_id, theirs.eos_token_id, theirs.unk_token_id,
    ]  # fmt: skip
    assert dictionary.mask_index == theirs.mask_token_id == vocab_size - 1


def test_a_model_in_training_takes_every_parameter(folder, caplog):
    xalign_fairseq.register()
    from xalign_fairseq.encoder.model import XalignModel

    state, encoder = converted(folder)
    assert state["cfg"]["model"]["dropout"] == state["cfg"]["model"]["attention_dropout"] == 0.1
    model = XalignModel(EncoderConfig.from_options(state["cfg"]["model"], encoder.config.vocab_size))
    with caplog.at_level(logging.WARNING):
        model.load_state_dict(state["model"], strict=True)
    assert not caplog.records
    for name, value in encoder.state_dict().items():
        assert torch.equal(model.encoder.state_dict()[name], value)


def test_every_parameter_has_a_name_in_transformers(build, vocab_size):
    names = {their_name(name) for name in Encoder(EncoderConfig(vocab_size, 3, 24, 40, 4)).state_dict()}
    theirs = {name.removeprefix("roberta.") for name in build().state_dict()}
    rest = {"embeddings.token_type_embeddings.weight", "lm_head.decoder.weight", "lm_head.decoder.bias"}
    assert theirs == names | rest


def test_another_epsilon_is_named(folder, caplog):
    configure(folder, layer_norm_eps=1e-12)
    converted(folder)
    assert "layer_norm_eps is 1e-12" in caplog.text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "bert"}, r"model of another kind[\s\S]*model_type bert[\s\S]*xlm-roberta"),
        ({"hidden_act": "relu"}, r"differs from XLM-R[\s\S]*hidden_act relu[\s\S]*hidden_act gelu"),
        ({"pad_token_id": 0}, r"differs from XLM-R[\s\S]*pad_token_id 0"),
        ({"eos_token_id": None}, r"differs from XLM-R[\s\S]*eos_token_id None"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type relative_key"),
        ({"is_decoder": True}, "is_decoder True"),
        ({"hidden_size": None}, r"sizes are not[\s\S]*no whole number as hidden_size$"),
        ({"vocab_size": 512}, r"vocabulary does not fit[\s\S]*512 ids"),
        ({"intermediate_size": 41}, r"not of the size[\s\S]*intermediate.dense[\s\S]*\(40, 24\)[\s\S]*\(41, 24\)"),
        ({"max_position_embeddings": 20}, r"not of the size[\s\S]*position_emb[\s\S]*\(22, 24\)[\s\S]*\(20, 24\)"),
        ({"num_hidden_layers": 2}, r"0 missing[\s\S]*16 unknown \['encoder.layer.2"),
        ({"num_hidden_layers": 4}, r"16 missing \['encoder.layer.3[\s\S]*0 unknown"),
    ],
)  # fmt: skip
def test_a_configuration_of_another_model(folder, changes, message):
    configure(folder, **changes)
    with pytest.raises(XalignError, match=message):
        convert(folder, folder.parent / "converted.pt")
    assert [path.name for path in folder.parent.iterdir()] == ["folder"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lm_head.dense.bias", r"1 missing \['lm_head.dense.bias'\], 0 unknown"),
        ("roberta.embeddings.LayerNorm.bias", r"1 missing \['embeddings.LayerNorm.bias'\], 0 unknown"),
        ("roberta.embeddings.token_type_embeddings.weight", r"1 missing \['embeddings.token_type_embeddings"),
    ],
)
def test_a_parameter_too_few_is_named(folder, name, message):
    change_weights(folder, lambda state: state.pop(name))
    with pytest.raises(XalignError, match=message):
        convert(folder, folder.parent / "converted.pt")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("roberta.encoder.extra.weight", r"0 missing \[\], 1 unknown \['encoder.extra.weight'\]"),
        ("lm_head.extra", r"0 missing \[\], 1 unknown \['lm_head.extra'\]"),
        ("lm_head.decoder.bias", r"not tied[\s\S]*lm_head.decoder.bias unlike lm_head.bias"),
    ],
)
def test_a_parameter_too_many_is_named(folder, name, message):
    change_weights(folder, lambda state: state.update({name: torch.ones(1)}))
    with pytest.raises(XalignError, match=message):
        convert(folder, folder.parent / "converted.pt")


def test_an_untied_head(folder):
    to_bin(folder, 1, change=lambda state: state["lm_head.decoder.weight"].add_(1))
    with pytest.raises(XalignError, match=r"not tied[\s\S]*lm_head.decoder.weight unlike embeddings.word_embeddings"):
        convert(folder, folder.parent / "converted.pt")


def test_a_head_whose_bias_has_only_its_second_name(folder, caplog):
    before, _ = converted(folder)
    change_weights(folder, lambda state: state.update({"lm_head.decoder.bias": state.pop("lm_head.bias")}))
    after, _ = converted(folder)
    assert torch.equal(after["model"]["encoder.lm_head.bias"], before["model"]["encoder.lm_head.bias"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("config.json", r"does not exist[\s\S]*config.json of model_type xlm-roberta"),
        ("model.safetensors", r"no weights[\s\S]*config.json[\s\S]*model.safetensors.index.json"),
        ("sentencepiece.bpe.model", r"no sentencepiece model[\s\S]*tokenizer.json, which is not read[\s\S]*next"),
    ],
)
def test_a_missing_file(folder, name, message):
    (folder / "tokenizer.json").write_text("{}")
    (folder / name).unlink()
    with pytest.raises(XalignError, match=message):
        convert(folder, folder.parent / "converted.pt")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "sentencepiece.bpe.model"])
def test_a_truncated_file(folder, name):
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(XalignError, match=name):
        convert(folder, folder.parent / "converted.pt")


def test_a_missing_shard(build, save):
    folder = save(build(), max_shard_size="20KB")
    next(folder.glob("model-00002-*")).unlink()
    with pytest.raises(XalignError, match=r"shards are not complete[\s\S]*model-00002-of-\d+.safetensors missing"):
        convert(folder, folder.parent / "converted.pt")


def test_pickled_code_is_not_run(folder):
    class Foreign:
        def __reduce__(self):
            return os.mkdir, (str(folder / "trap"),)

    to_bin(folder, 1, change=lambda state: state.update(extra=Foreign()))
    with pytest.raises(XalignError, match="foreign pickled code"):
        convert(folder, folder.parent / "converted.pt")
    assert not (folder / "trap").exists()


def test_without_safetensors(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(XalignError, match=r"needs safetensors[\s\S]*xalign_fairseq\[huggingface\]"):
        convert(folder, folder.parent / "converted.pt")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pad_id": 3}, r"<unk> <s> </s> first, and <pad> later"),
        ({"user_defined_symbols": ["<mask>"]}, "and <mask> later"),
        ({"bos_id": 2, "eos_id": 1}, "<unk> </s> <s> first"),
    ],
)
def test_a_sentencepiece_model_with_other_specials(folder, tmp_path, options, message):
    other = train(tmp_path / "other", **options)
    (folder / "sentencepiece.bpe.model").write_bytes(other.read_bytes())
    with pytest.raises(XalignError, match=rf"special symbols are not XLM-R's[\s\S]*{message}"):
        convert(folder, tmp_path / "converted.pt")


def test_the_tokenizer_is_carried_byte_by_byte(folder, spm):
    state, _ = converted(folder)
    stored = state["task_state"]["tokenizer"]["sentencepiece"]
    assert stored.dtype == torch.uint8
    assert np.array_equal(stored.numpy(), np.fromfile(spm, dtype=np.uint8))
