"""The model card of an exported folder: what the model is, how it was trained and used, and what to cite."""

from collections.abc import Collection, Mapping
from typing import Any

from xalign_fairseq.core.version import BIBTEX, __version__
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained import papers
from xalign_fairseq.encoder.pretrained.huggingface.families import BERT, XLM_R, Family
from xalign_fairseq.encoder.pretrained.huggingface.side_files import languages

_ONE_TYPE = (
    "All tokens are of one type: `token_type_ids` change nothing, as this encoder was trained without a vector for the "
    "second text of a pair."
)
# Base models by the last part of their names.
ORIGINS = {"e5-small": papers.E5, "multilingual-e5-small": papers.E5}
ARCHITECTURES = {XLM_R.model_type: papers.XLM_R, BERT.model_type: papers.BERT}


def model_card(
    name: str, family: Family, config: EncoderConfig, heads: Collection[str], record: Mapping[str, Any]
) -> str:
    """``README.md`` of an exported model."""
    parts = [
        _front_matter(record),
        f"# {name}",
        f"A multilingual encoder of {family.title}'s architecture: {config.encoder_layers} layers of hidden size "
        f"{config.encoder_embed_dim}, {config.encoder_attention_heads} attention heads, a vocabulary of "
        f"{config.vocab_size:,}, and texts of up to {config.max_positions} tokens, special ones included. Exported by "
        f"xalign_fairseq {__version__}.",
        "## Use",
        f"""```python
from transformers import AutoModelForMaskedLM, AutoTokenizer

model = AutoModelForMaskedLM.from_pretrained("{name}")
tokenizer = AutoTokenizer.from_pretrained("{name}")
```""",
        *([_ONE_TYPE] if family.token_types > config.token_types else []),
        "As a word aligner:",
        f"""```python
from xalign_fairseq import load_aligner

[pair] = load_aligner("{name}").align(["the red house"], ["la maison rouge"])
print(pair.links)
```""",
        "## Training",
        _training(record),
    ]
    if heads:
        kinds = sorted({key.split(".")[1] for key in heads})
        parts += [
            "## Heads",
            f"`xalign_heads.safetensors` holds parameters that transformers has no place for ({', '.join(kinds)}); "
            "xalign_fairseq reads them with the model.",
        ]
    parts += ["## Citation", _citation(family, record)]
    return "\n\n".join(parts) + "\n"


def _front_matter(record: Mapping[str, Any]) -> str:
    lines = ["---", "library_name: transformers", "pipeline_tag: fill-mask", "tags:"]
    lines += ["- word-alignment", "- cross-lingual", "- xalign_fairseq"]
    lines += [f"license: {record['license'].lower()}"] if "license" in record else []
    named = languages(record)
    # Quoted: YAML reads the language no as false.
    lines += ["language:", *(f'- "{language}"' for language in named)] if named else []
    return "\n".join([*lines, "---"])


def _training(record: Mapping[str, Any]) -> str:
    if not record:
        return "The checkpoint holds no record of a training by xalign_fairseq."
    rows = [f"| {name} | {_shown(value)} |" for name, value in record.items()]
    return "\n".join(["| | |", "| --- | --- |", *rows])


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_shown(each)}" for name, each in value.items())
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _citation(family: Family, record: Mapping[str, Any]) -> str:
    introduced = [papers.PAPERS[name] for name in record.get("objectives", {}) if name in papers.PAPERS]
    origin = ORIGINS.get(str(record.get("started from")).rpartition("/")[2])
    cited = dict.fromkeys([*introduced, *([origin] if origin else []), ARCHITECTURES[family.model_type]])
    lines = [f"- {paper.authors}: [{paper.title}]({paper.url})" for paper in cited]
    return "\n".join([*lines, "- xalign_fairseq:", "", "```bibtex", BIBTEX, "```"])
