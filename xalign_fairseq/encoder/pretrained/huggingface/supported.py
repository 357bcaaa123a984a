"""Which models of Hugging Face's can be read, and why others can't: the one list, for errors and documentation."""

from dataclasses import dataclass

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.bodies.families import BODIES


@dataclass(frozen=True)
class Supported:
    """A row of the list.

    Attributes:
        model_type: in ``config.json``.
        tokenizer: that such models have.
        models: the best known ones.
    """

    model_type: str
    tokenizer: str
    models: str

    @property
    def layers(self) -> str:
        """What runs the layers, and whether without padding."""
        body = BODIES.get(self.model_type)
        return "our own, packed" if body is None else f"transformers, {'packed' if body.packs else 'padded'}"


SUPPORTED = (
    Supported(
        "xlm-roberta",
        "XLM-R's sentencepiece, any number of pieces",
        "XLM-R, XLM-Align, InfoXLM, XLM-V, Glot500, multilingual-e5-base and -large, BGE-M3, "
        "paraphrase-multilingual-mpnet-base-v2",
    ),
    Supported(
        "bert", "the same", "multilingual-e5-small, paraphrase-multilingual-MiniLM-L12-v2, Multilingual-MiniLM-L12-H384"
    ),
    Supported("bert", "WordPiece", "mBERT, LaBSE"),
    Supported(
        "distilbert",
        "WordPiece",
        "distilbert-base-multilingual-cased, distiluse-base-multilingual-cased-v2 (without its projection); exported "
        "as a BERT",
    ),
    Supported("modernbert", "`tokenizer.json`: byte-level BPE, or mmBERT's BPE", "ModernBERT, mmBERT"),
    Supported("eurobert", "`tokenizer.json`: byte-level BPE", "EuroBERT; the code in its folders is not run"),
    Supported("gte", "`tokenizer.json`", "mGTE as transformers 5.23 and later write it"),
    Supported(
        "new",
        "the same",
        "mGTE: gte-multilingual-base; needs transformers 5.23; its own code is not run",
    ),
    Supported("deberta-v2", "`tokenizer.json` or `spm.model`", "mDeBERTa-v3, DeBERTa-v3; v2 without convolution"),
    Supported("mt5", "`tokenizer.json` or `spiece.model`", "the encoder of mT5; `<s>` is `</s>`, `<mask>` is `<unk>`"),
    Supported(
        "m2m_100",
        "`tokenizer.json`",
        "the encoders of NLLB and M2M-100; `<s>` is what the tokenizer puts first, NLLB's own language code",
    ),
)
_OUT_OF_SCOPE = "decoders, and encoders made of them (LLM2Vec and its kin), are out of scope"
# model_type -> why such a model is not read.
NOT_SUPPORTED = {
    **dict.fromkeys(
        ("gpt2", "llama", "mistral", "mixtral", "gemma", "gemma2", "gemma3_text", "qwen2", "qwen3", "bloom", "xglm"),
        _OUT_OF_SCOPE,
    ),
    "roberta": "byte-level BPE over RoBERTa's body is of English models",
    "xlm-roberta-xl": "layers that normalise first",
    "t5": "English; mT5 and its kin have model_type mt5",
    "umt5": "a bias of places in every layer of its own",
}


def refusal(model_type: object, where: object) -> XalignError:
    """The error for a model that is not of the list: why, where there is something to be said, and the whole list."""
    own = dict.fromkeys(row.model_type for row in SUPPORTED if row.model_type not in BODIES)
    why = NOT_SUPPORTED.get(model_type) if isinstance(model_type, str) else None
    return XalignError(
        "models of this architecture are not supported",
        where=where,
        found=f"model_type {model_type}",
        expected=f"one of {', '.join(own)} (XLM-R, XLM-Align, XLM-V, E5, BGE-M3; mBERT, LaBSE; ...), or, run by "
        f"transformers, {', '.join(BODIES)} ({'; '.join(body.title for body in BODIES.values())})",
        remedy=why,
    )


def supported_table() -> str:
    """The list as Markdown."""
    rows = [f"| `{row.model_type}` | {row.layers} | {row.tokenizer} | {row.models} |" for row in SUPPORTED]
    head = ["| `model_type` | layers | tokenizer | models of this kind |", "| --- | --- | --- | --- |"]
    why = [f"- `{name}`: {reason}." for name, reason in NOT_SUPPORTED.items() if reason != _OUT_OF_SCOPE]
    out = f"- {_OUT_OF_SCOPE[0].upper()}{_OUT_OF_SCOPE[1:]}: "
    named = ", ".join(f"`{name}`" for name, reason in NOT_SUPPORTED.items() if reason == _OUT_OF_SCOPE)
    return "\n".join([*head, *rows, "", "Not supported, among others:", "", *why, f"{out}{named}."])
