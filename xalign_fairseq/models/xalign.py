"""The encoder as a fairseq model: ``--arch xalign_tiny | xalign_small | xalign_base | xalign_large``."""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, Optional, TypeVar

from fairseq.dataclass import FairseqDataclass
from fairseq.models import BaseFairseqModel, register_model
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.pretraining import option
from xalign_fairseq.encoder import checkpoint, masked_lm
from xalign_fairseq.encoder.bodies.body import TransformersBody
from xalign_fairseq.encoder.bodies.families import warn_of_dropout
from xalign_fairseq.encoder.config import SIZES, EncoderConfig
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.pretrained.huggingface.adapting import is_body
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.transformer import Body, Encoder
from xalign_fairseq.objectives.registry import choice
from xalign_fairseq.training.headed import HeadedEncoder, require_fitting_head
from xalign_fairseq.transport.sinkhorn.toolchain import find_compiler

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

# layers, hidden, feed-forward, heads; base and large are XLM-R's (Conneau et al. 2020)
ARCHITECTURES = {
    "xalign_tiny": (3, 128, 512, 4),
    "xalign_small": (6, 256, 1024, 4),
    "xalign_base": (12, 768, 3072, 12),
    "xalign_large": (24, 1024, 4096, 16),
}


@dataclass
class XalignModelConfig(FairseqDataclass):
    """Sizes of the encoder; the defaults depend on ``--arch``."""

    encoder_layers: int = option(12, "number of layers")
    encoder_embed_dim: int = option(768, "hidden size")
    encoder_ffn_embed_dim: int = option(3072, "inner size of the feed-forward layers")
    encoder_attention_heads: int = option(12, "attention heads")
    max_positions: int = option(512, "maximum sequence length, with special tokens")
    dropout: float = option(0.0, "dropout of hidden states (XLM-Align's released code: 0)")
    attention_dropout: float = option(0.0, "dropout of attention weights")
    activation_dropout: float = option(0.0, "dropout inside the feed-forward layers")
    language_embeddings: str = option(
        "", "languages with an embedding of their own, such as en,de (XLM; default: none, as in XLM-R)"
    )
    autocast: str = option(
        "no",
        "compute matrix products in bfloat16 and everything else, parameters included, in float32: yes, no, or auto "
        "(if the device is fast at it)",
    )
    checkpoint_activations: bool = option(
        False, "save memory: keep only each layer's input and recompute the rest in the backward pass"
    )
    compile: bool = option(
        False,
        "compile what follows attention in each layer (torch.compile): for GPUs; on a CPU it saves at most 5 percent, "
        "and uses torch's own float32 products",
    )
    cuda_graphs: bool = option(
        False,
        "compile all layers and run them as CUDA graphs, which saves launches: for GPUs, with --fp16, --bf16 or "
        "--autocast, without --attention-dropout",
    )
    layer_norm_eps: float = option(1e-5, "added to the variance in layer norms: 1e-5 for XLM-R, 1e-12 for BERT")
    token_types: int = option(1, "2: the second text of a pair has its own vector, as in BERT; 1: it has none (XLM-R)")
    transformers_config: str = option(
        "",
        "configuration (JSON) of an encoder that transformers runs (ModernBERT, DeBERTa); default: that of "
        "--init-checkpoint",
    )
    init_checkpoint: Optional[str] = option(
        None,
        "start from a checkpoint of xalign or fairseq, a Hugging Face folder of XLM-R, BERT or an encoder that "
        "transformers runs, or e5-small",
    )


class XalignModel(HeadedEncoder, BaseFairseqModel):
    """:class:`~xalign_fairseq.training.headed.HeadedEncoder` as a fairseq model."""

    def __init__(self, config: EncoderConfig):
        super().__init__(Encoder(config))

    @classmethod
    def build_model(cls, cfg: Any, task: Any) -> "XalignModel":
        initial = getattr(cfg, "init_checkpoint", None)
        # A resumed run loads its weights later, but transformers' encoder must be built with its original settings.
        state = read_pretrained(initial)[0] if initial and (not task.restoring or is_body(Path(initial))) else {}
        given = checkpoint.options(state) if state else {}
        if given.get("transformers_config") and not getattr(cfg, "transformers_config", ""):
            for name in (*SIZES, "layer_norm_eps", "transformers_config"):
                setattr(cfg, name, given[name])
        config = EncoderConfig.from_options(cfg, vocab_size=task.dictionary.embedding_size)
        if not task.restoring:
            warn_of_dropout(config)
        model = cls(config)
        model.autocast = choice(getattr(cfg, "autocast", "no"), ("yes", "no", "auto"), "autocast")
        choose_layer_runs(model.encoder.sentence_encoder, cfg)
        if state and not task.restoring:
            task_state = state.get("task_state") or {}
            # From the tokenizer alone, the task only rejects another dictionary.
            task.load_state_dict({key: value for key, value in task_state.items() if key == "tokenizer"})
            task.lasting = checkpoint.lasting(task_state)
            require_same("language_embeddings", given.get("language_embeddings") or config.language_embeddings, config)
            require_sizes(given, cfg)
            for name in ("layer_norm_eps", "token_types"):
                require_same(name, getattr(EncoderConfig, name) if given.get(name) is None else given[name], config)
            model.load_state_dict(state["model"])
            logger.info("initialised from %s", cfg.init_checkpoint)
        return model

    def forward(self, run: Callable[[StepEncoder], Result]) -> Result:
        """Compute all objectives of an update in the one call that distributed wrappers see."""
        return self.run(run)

    def set_num_updates(self, num_updates: int) -> None:
        """fairseq calls this with the number of updates done before this one."""
        super().set_num_updates(num_updates)
        self.num_updates = num_updates

    def upgrade_state_dict_named(self, state_dict: dict[str, Tensor], name: str) -> None:
        """Rename old keys in place, keep heads missing from the checkpoint, and log differences."""
        current = self.state_dict()
        loaded = masked_lm.usable(masked_lm.today(state_dict))
        state_dict.clear()
        if masked_lm.EMBEDDINGS not in loaded:
            raise XalignError("the checkpoint holds no encoder of this kind", found=f"no {masked_lm.EMBEDDINGS}")
        for key, value in loaded.items():
            head = key.split(".")[1] if key.startswith("heads.") else ""
            if head and head not in self.heads:
                self._waiting[key] = value
            elif key not in current:
                logger.warning("not used from the checkpoint: %s", key)
            elif head and value.shape != current[key].shape:
                continue  # with another --arch it can't fit: the encoder's error comes first
            elif value.shape != current[key].shape:
                shapes = f"{tuple(value.shape)} and {tuple(current[key].shape)}"
                raise XalignError("the checkpoint does not fit this model", where=key, parameter="arch", found=shapes)
            else:
                state_dict[key] = value
        missing = [key for key in current if key not in state_dict]
        wrong = [key for key in missing if re.match(r"encoder\.sentence_encoder\.(?!embed_languages)", key)]
        if wrong:
            parameters = ("arch", "encoder_layers")
            raise XalignError("the checkpoint lacks parts of the encoder", parameter=parameters, found=wrong[:3])
        for name in self.heads:
            require_fitting_head(name, loaded, current)
        if missing:
            logger.warning("not in the checkpoint, kept as initialised: %s", ", ".join(missing))
            state_dict.update({key: current[key] for key in missing})


def choose_layer_runs(body: Body, cfg: object) -> None:
    """Set whether layers recompute activations, are compiled, or run as CUDA graphs; XalignError if they cannot."""
    names = ("checkpoint_activations", "compile", "cuda_graphs")
    recomputed, compiled, body.graphs = (bool(getattr(cfg, name, False)) for name in names)
    if body.graphs and (recomputed or compiled):
        parameters = ("cuda_graphs", "compile" if compiled else "checkpoint_activations")
        raise XalignError("CUDA graphs exclude compilation and recomputed activations", parameter=parameters)
    if parameter := "cuda_graphs" if body.graphs else "compile" if compiled else "":
        if isinstance(body, TransformersBody):
            raise XalignError("layers that transformers runs are not compiled here", parameter=parameter)
        try:
            find_compiler()
        except XalignError as error:
            problem = "torch.compile needs a C++ compiler, and there is none"
            raise XalignError(problem, parameter=parameter, remedy="install g++, or leave it out") from error
    layer: Any
    for layer in body.layers:
        layer.checkpoint_activations, layer.compiled = recomputed, compiled


def require_same(name: str, theirs: object, config: EncoderConfig) -> None:
    """Raise :class:`XalignError` if a setting of a checkpoint differs from this run's."""
    own = getattr(config, name)
    if theirs != own:
        problem = f"the checkpoint has another value of {name}"
        raise XalignError(problem, parameter=name, found=own or "none", expected=theirs)


def require_sizes(given: Mapping[str, object], cfg: object) -> None:
    """Raise :class:`XalignError` if the sizes that a checkpoint names differ from this run's."""
    own = {name: value for name in SIZES if (value := getattr(cfg, name, None)) is not None}
    differing = {name: given[name] for name, value in own.items() if given.get(name) not in (None, value)}
    if differing:
        found = tuple(Parameter(name, getattr(cfg, name)) for name in differing)
        expected = tuple(Parameter(name, value) for name, value in differing.items())
        problem = "the checkpoint's encoder has other sizes than the architecture"
        raise XalignError(problem, parameter="arch", found=found, expected=expected)


def _register(arch: str, sizes: tuple[int, int, int, int]) -> None:
    options = ("encoder_layers", "encoder_embed_dim", "encoder_ffn_embed_dim", "encoder_attention_heads")
    base = XalignModelConfig.__dataclass_fields__
    fields = [(name, int, option(size, base[name].metadata["help"])) for name, size in zip(options, sizes, strict=True)]
    class_name = "".join(part.capitalize() for part in arch.split("_"))
    config = make_dataclass(f"{class_name}Config", fields, bases=(XalignModelConfig,))
    config.__module__ = __name__
    register_model(arch, dataclass=config)(type(class_name, (XalignModel,), {"__module__": __name__}))


for _arch, _sizes in ARCHITECTURES.items():
    _register(_arch, _sizes)
