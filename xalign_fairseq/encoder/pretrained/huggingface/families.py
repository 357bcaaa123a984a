"""The Hugging Face families that this encoder supports: names and settings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.bodies import families as bodies

# model_type -> why such a model is not read; docs/reference/hugging_face.md lists supported models.
_DECODERS = "gpt2 llama mistral mixtral gemma gemma2 gemma3_text qwen2 qwen3 bloom xglm"
NOT_SUPPORTED = {
    **dict.fromkeys(_DECODERS.split(), "decoders, and encoders made of them (such as LLM2Vec), are out of scope"),
    "roberta": "RoBERTa's body with byte-level BPE means an English model",
    "xlm-roberta-xl": "pre-norm layers",
}


# Parameters and modules of the encoder -> Hugging Face's, without the family's prefix; # is the layer's number.
BODY = {
    "sentence_encoder.embed_tokens": "embeddings.word_embeddings",
    "sentence_encoder.embed_positions": "embeddings.position_embeddings",
    "sentence_encoder.layernorm_embedding": "embeddings.LayerNorm",
    "sentence_encoder.layers.#.self_attn.q_proj": "encoder.layer.#.attention.self.query",
    "sentence_encoder.layers.#.self_attn.k_proj": "encoder.layer.#.attention.self.key",
    "sentence_encoder.layers.#.self_attn.v_proj": "encoder.layer.#.attention.self.value",
    "sentence_encoder.layers.#.self_attn.out_proj": "encoder.layer.#.attention.output.dense",
    "sentence_encoder.layers.#.self_attn_layer_norm": "encoder.layer.#.attention.output.LayerNorm",
    "sentence_encoder.layers.#.fc1": "encoder.layer.#.intermediate.dense",
    "sentence_encoder.layers.#.fc2": "encoder.layer.#.output.dense",
    "sentence_encoder.layers.#.final_layer_norm": "encoder.layer.#.output.LayerNorm",
    "lm_head.weight": "embeddings.word_embeddings.weight",
}
WORDS = "embeddings.word_embeddings.weight"
POSITIONS = "embeddings.position_embeddings.weight"
TOKEN_TYPES = "embeddings.token_type_embeddings.weight"
# The sizes of an encoder -> Hugging Face's names in config.json.
SIZES = {"vocab_size": "vocab_size", **bodies.SIZES, "max_positions": "max_position_embeddings"}
# Our names of other numbers -> Hugging Face's, and the default if config.json lacks them.
RATES = {
    "dropout": ("hidden_dropout_prob", 0.1),
    "attention_dropout": ("attention_probs_dropout_prob", 0.1),
    "layer_norm_eps": ("layer_norm_eps", 1e-12),
}
# Settings with one supported value, which is also the meaning of a missing or null setting.
SHARED = {"hidden_act": "gelu", "position_embedding_type": "absolute", "is_decoder": False}


@dataclass(frozen=True)
class Family:
    """How a family of Hugging Face models differs from this encoder."""

    model_type: str
    title: str
    architecture: str  # the class of the model with its masked-language-model head
    prefix: str  # prefix of the encoder's parameters, in files that also have a head
    head: Mapping[str, str]  # our modules of the masked-language-model head -> theirs
    head_prefix: str  # prefix of that head's parameters
    tied: Mapping[str, str]  # second names of tied tensors in some files
    position_offset: int  # number of position rows before the first token's
    token_types: int  # token types that its tokenizer returns
    fixed: Mapping[str, Any]  # settings that all its models share, besides SHARED

    def their_name(self, ours: str) -> str:
        """The Hugging Face name of an encoder's parameter, without prefix."""
        names = {**BODY, **self.head}
        layer = re.search(r"\.layers\.(\d+)\.", ours)
        name = ours.replace(layer[0], ".layers.#.") if layer else ours
        module, _, kind = name.rpartition(".")
        theirs = names.get(name) or f"{names[module]}.{kind}"
        return theirs.replace("#", layer[1]) if layer else theirs

    def full_name(self, theirs: str) -> str:
        """A name with the prefix that it has in the model with a masked-language-model head."""
        return theirs if theirs.startswith(self.head_prefix) else self.prefix + theirs


XLM_R = Family(
    model_type="xlm-roberta",
    title="XLM-R",
    architecture="XLMRobertaForMaskedLM",
    prefix="roberta.",
    head={"lm_head.dense": "lm_head.dense", "lm_head.layer_norm": "lm_head.layer_norm", "lm_head.bias": "lm_head.bias"},
    head_prefix="lm_head.",
    tied={"lm_head.decoder.weight": WORDS, "lm_head.decoder.bias": "lm_head.bias"},
    position_offset=2,
    token_types=1,
    fixed={"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2},
)
BERT = Family(
    model_type="bert",
    title="BERT",
    architecture="BertForMaskedLM",
    prefix="bert.",
    head={
        "lm_head.dense": "cls.predictions.transform.dense",
        "lm_head.layer_norm": "cls.predictions.transform.LayerNorm",
        "lm_head.bias": "cls.predictions.bias",
    },
    head_prefix="cls.predictions.",
    tied={"cls.predictions.decoder.weight": WORDS, "cls.predictions.decoder.bias": "cls.predictions.bias"},
    position_offset=0,
    token_types=2,
    fixed={},
)
FAMILIES = {family.model_type: family for family in (XLM_R, BERT)}


def find_family(model_type: object, where: object) -> Family:
    """The family of a ``model_type``; the error for another one has the reason, if there is one, and the families."""
    if isinstance(model_type, str) and model_type in FAMILIES:
        return FAMILIES[model_type]
    raise XalignError(
        "models of this architecture are not supported",
        where=where,
        found=f"model_type {model_type}",
        expected=f"one of {', '.join(FAMILIES)} (XLM-R, XLM-Align, XLM-V, E5, BGE-M3; mBERT, LaBSE; ...), or, run by "
        f"transformers, {', '.join(bodies.BODIES)} ({'; '.join(body.title for body in bodies.BODIES.values())})",
        remedy=NOT_SUPPORTED.get(model_type) if isinstance(model_type, str) else None,
    )
