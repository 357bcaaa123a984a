"""Small random models of the families that transformers runs, written by transformers, and their outputs."""

import torch

from support.small import move
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.vocabulary import load_tokenizer

TEXT = ["The red house is not so big.", "Der rote Hund schläft über Nacht.", "Bob sees a cat and Ann likes bread."]
SPECIALS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")
SIZES = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 40}
DEBERTA = {
    "relative_attention": True,
    "position_buckets": 8,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": "p2c|c2p",
    "position_biased_input": False,
}
# model_type -> the class to write, and its configuration.
MODELS = {
    "modernbert": ("ModernBertForMaskedLM", {
        **SIZES, "num_hidden_layers": 4, "local_attention": 8, "bos_token_id": 1, "cls_token_id": 1,
        "sep_token_id": 2, "eos_token_id": 2,
    }),
    "deberta-v2": ("DebertaV2ForMaskedLM", {**SIZES, **DEBERTA}),
}  # fmt: skip


def byte_level_bpe(text=TEXT, size=330):
    """A tokenizer like ModernBERT's: byte-level BPE, with [CLS] and [SEP] around a text."""
    import tokenizers
    from tokenizers import decoders, models, pre_tokenizers, processors, trainers

    made = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(SPECIALS), initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(text * 3, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return made


def write_tokenizer(folder, made=None):
    """Write a tokenizer with transformers; return its number of ids."""
    from transformers import PreTrainedTokenizerFast

    made = made or byte_level_bpe()
    names = dict(zip(("pad_token", "cls_token", "sep_token", "unk_token", "mask_token"), SPECIALS, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=made, **names).save_pretrained(folder)
    return made.get_vocab_size()


def write_model(folder, model_type, seed=0, **changes):
    """Write a small random model of a family with its tokenizer; return transformers' model."""
    import transformers

    folder.mkdir(parents=True, exist_ok=True)
    architecture, settings = MODELS[model_type]
    # Rows beyond the tokenizer's, as in published models.
    settings = {"pad_token_id": 0, **settings, "vocab_size": write_tokenizer(folder) + 7, **changes}
    torch.manual_seed(seed)
    model = getattr(transformers, architecture)(transformers.AutoConfig.for_model(model_type, **settings)).eval()
    move(model, 0.05)
    model.save_pretrained(folder)
    return model


def read_model(folder):
    """Encoder and tokenizer of a folder, as commands read them."""
    state, where = read_pretrained(folder)
    encoder, _ = checkpoint.load_encoder(state, where)
    return encoder, load_tokenizer(state, encoder.config.vocab_size, where=where)


def ragged_tokens(encoder, lengths=(19, 5, 12), seed=0):
    """Tokens (B, T) of our ids, padded."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.full((len(lengths), max(lengths)), encoder.config.pad)
    for row, length in enumerate(lengths):
        tokens[row, :length] = torch.randint(4, encoder.config.vocab_size - 1, (length,), generator=generator)
    return tokens


@torch.no_grad()
def their_states(model, tokenizer, tokens):
    """transformers' hidden states (B, T, H) of our ids, layer by layer."""
    keep = tokens.ne(1)
    ids = torch.tensor(tokenizer.pipeline.order)[tokens].where(keep, torch.tensor(model.config.pad_token_id))
    return model.base_model(input_ids=ids, attention_mask=keep.long(), output_hidden_states=True).hidden_states
