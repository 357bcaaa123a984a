"""Hugging Face folders that tests write, change and read."""

import json

import torch

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.huggingface import importing

TEXT = [
    "The red house is not so big.", "A cat's 3 kittens sleep on the ﬁrst floor…", "Der rote Hund schläft über Nacht.",
    "Кошка спит на крыше дома.", "红色的房子很大，猫在睡觉。", "कुत्ता लाल घर में सो रहा है।", "البيت الأحمر كبير جدًا.",
    "赤い家は大きいです。", "빨간 집이 크다.", "บ้านสีแดงหลังใหญ่", "Το κόκκινο σπίτι είναι μεγάλο.",
]  # fmt: skip
UNSEEN = ["  Two\tＷＩＤＥ  words 𝒳 ☃ ", "Ünïcödé naïveté 42", "ქართული", "", "▁", "e\u0301 é", "\u200bzero"]
POSITIONS = 20
SIZES = {"hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 40}
XLM_R_SETTINGS = {"type_vocab_size": 1, "layer_norm_eps": 1e-5}
PREFIX = "encoder.sentence_encoder."

# Like multilingual BERT's: [PAD] first, unused places, the other special symbols in the middle, then pieces.
CHARACTERS = sorted({character for line in TEXT for character in line if not character.isspace()})
BERT_SYMBOLS = [
    "[PAD]", *(f"[unused{i}]" for i in range(1, 6)), "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<S>", "<T>",
    *CHARACTERS, *(f"##{character}" for character in CHARACTERS),
    "The", "red", "house", "##ouse", "##ing", "Hund", "schl", "##äft", "Кошка", "спит",
]  # fmt: skip


def to_bin(folder, change=lambda state: None):
    """Write the weights of an XLM-R as earlier releases did, which the library no longer can."""
    from safetensors.torch import load_file

    state = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    state["roberta.embeddings.position_ids"] = torch.arange(POSITIONS + 2)[None]
    state["lm_head.decoder.weight"] = state["roberta.embeddings.word_embeddings.weight"].clone()
    state["lm_head.decoder.bias"] = state["lm_head.bias"].clone()
    change(state)
    torch.save(state, folder / "pytorch_model.bin")


def configure(folder, **changes):
    """Change ``config.json``."""
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def change_weights(folder, change):
    """Change the tensors with ``change``."""
    from safetensors.torch import load_file, save_file

    state = load_file(folder / "model.safetensors")
    change(state)
    save_file(state, folder / "model.safetensors")


def imported(folder):
    """The state of a folder and its encoder."""
    state = importing.read(folder)
    return state, checkpoint.load_encoder(state, folder)[0]


def assert_same_logits(encoder, model, tokens, order=None):
    """Logits at every token other than padding; ``order`` are the model's ids of the encoder's."""
    keep = tokens.ne(1)
    order = range(encoder.config.vocab_size) if order is None else order
    ids = torch.tensor(order)
    with torch.no_grad():
        expected = model(ids[tokens], attention_mask=keep.long()).logits[keep][:, ids]
        found = encoder.lm_head(encoder.states(tokens).layer()[keep])
    assert expected.std() > 0.3
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
