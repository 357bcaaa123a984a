"""A post-norm transformer encoder with XLM-R's parametrisation and parameter names, in plain torch.

Names and mathematics follow RoBERTa as fairseq trains it (Liu et al. 2019; Conneau et al. 2020), so that
``xlmr.base/model.pt`` loads key by key. Layers run one by one, so a pass can stop at any layer.
"""

import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from xalign_fairseq.data.inputs import Input, as_input
from xalign_fairseq.data.packing import Packing
from xalign_fairseq.encoder.bodies.body import TransformersBody
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.hidden_states import HiddenStates, open_passes
from xalign_fairseq.transport.ops.attention import Packed, Padded, dropout
from xalign_fairseq.transport.ops.products import Linear, linear


class SelfAttention(nn.Module):
    """Multi-head self-attention with separate q, k, v and output maps, each with a bias.

    One product with q, k and v concatenated in each step makes a step 1.04 times as long (small, float32, one thread of
    a Zen 4): concatenating their gradients costs as much as the products save.
    """

    def __init__(self, config: EncoderConfig):
        super().__init__()
        dim = config.encoder_embed_dim
        self.heads = config.encoder_attention_heads
        self.dropout = config.attention_dropout
        self.k_proj = Linear(dim, dim)
        self.v_proj = Linear(dim, dim)
        self.q_proj = Linear(dim, dim)
        self.out_proj = Linear(dim, dim)

    def forward(self, x: Tensor, sentences: Packed | Padded, training: bool, rows: Tensor | None = None) -> Tensor:
        """x (N, H), packed, or (B, T, H) -> the same shape; with ``rows`` (K,) of a packed x -> (K, H)."""
        q, k, v = (map_(x).unflatten(-1, (self.heads, -1)) for map_ in (self.q_proj, self.k_proj, self.v_proj))
        mixed = sentences.attend(q, k, v, self.dropout if training else 0.0).flatten(-2)
        made: Tensor = self.out_proj(mixed if rows is None else mixed.index_select(0, rows))
        return made


class EncoderLayer(nn.Module):
    """x = LN(x + attention(x)); x = LN(x + W2 gelu(W1 x)).

    Attributes:
        checkpoint_activations: if there is a gradient, keep only the layer's input, and recompute the rest in the
            backward pass with the same dropout.
        compiled: run the rest of the layer after attention by torch.compile, see :func:`compiled_rest`.
    """

    checkpoint_activations = False
    compiled = False

    def __init__(self, config: EncoderConfig):
        super().__init__()
        dim = config.encoder_embed_dim
        self.drops = config.drops
        self.dropout = config.dropout
        self.activation_dropout = config.activation_dropout
        self.self_attn = SelfAttention(config)
        self.self_attn_layer_norm = nn.LayerNorm(dim, eps=config.layer_norm_eps)
        self.fc1 = Linear(dim, config.encoder_ffn_embed_dim)
        self.fc2 = Linear(config.encoder_ffn_embed_dim, dim)
        self.final_layer_norm = nn.LayerNorm(dim, eps=config.layer_norm_eps)

    def forward(self, x: Tensor, sentences: Packed | Padded, training: bool, rows: Tensor | None = None) -> Tensor:
        """x (N, H), packed, or (B, T, H) -> the same shape.

        Args:
            rows: (K,) int64, the packed rows to compute; the output is then (K, H). Attention reads all rows; the rest
                of the layer (three quarters of its products) runs only for these.
        """
        if self.checkpoint_activations and torch.is_grad_enabled():
            given = (self.run, x, sentences, training, rows)
            made: Tensor = checkpoint(*given, use_reentrant=False, preserve_rng_state=training and self.drops)
            return made
        return self.run(x, sentences, training, rows)

    def run(self, x: Tensor, sentences: Packed | Padded, training: bool, rows: Tensor | None) -> Tensor:
        rest = compiled_rest() if self.compiled else EncoderLayer.rest
        attended = self.self_attn(x, sentences, training, rows)
        return rest(self, x if rows is None else x.index_select(0, rows), attended, training)

    def rest(self, x: Tensor, attended: Tensor, training: bool) -> Tensor:
        """The rest of the layer, from its input and its attention's output."""
        x = self.self_attn_layer_norm(x + dropout(attended, self.dropout, training))
        inner = self.fc1(x)
        # Hooks cannot be compiled, and checkpoints recompute all. On a GPU the additional launch was not measured.
        keeps_value = self.checkpoint_activations or torch.compiler.is_compiling() or inner.device.type != "cpu"
        if keeps_value or (training and self.activation_dropout):
            mapped = self.fc2(dropout(F.gelu(inner), self.activation_dropout, training))
        else:
            mapped = map_gelu(self.fc2, inner)
        made: Tensor = self.final_layer_norm(x + dropout(mapped, self.dropout, training))
        return made


def map_gelu(linear_map: Linear, x: Tensor) -> Tensor:
    """W gelu(x) + b, which keeps only x for the backward pass and computes gelu(x) there again.

    This saves a fifth of a layer's memory and takes about 1 % longer.
    """
    activated = F.gelu(x)
    place = activated.data_ptr()

    def pack(saved: Tensor) -> Tensor | torch.Size:
        return saved.shape if saved.data_ptr() == place else saved

    def unpack(packed: Tensor | torch.Size) -> Tensor:
        return packed if isinstance(packed, Tensor) else F.gelu(x).view(packed)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        made: Tensor = linear_map(activated)
    return made


@functools.cache
def compiled_rest() -> Callable[[EncoderLayer, Tensor, Tensor, bool], Tensor]:
    """:meth:`EncoderLayer.rest`, compiled once for all layers and any number of tokens.

    Attention stays outside, because its shapes (sentence lengths) differ in every batch. So ragged batches need one
    compilation. Gradient, dropout, frozen parameters, and packing or padding need others. torch stops at 8
    (``torch._dynamo.config.recompile_limit``) and runs further ones uncompiled. This changes neither the names of
    parameters nor copies of a layer.
    """
    return torch.compile(EncoderLayer.rest, dynamic=True)


class SentenceEncoder(nn.Module):
    """Token and position embeddings, and a stack of layers.

    Languages have embeddings if the configuration names them; a second text has one if there are two token types.

    Positions are ``pad + 1 + k`` for the k-th token that is not padding, as in XLM-R, unless the input has its own.

    Attributes:
        packs: whether inputs are read without their padding.
        takes_rows: whether a layer can compute only some of its rows.
        graphs: whether the layers run as CUDA graphs, see :mod:`xalign_fairseq.encoder.graphs`.
    """

    packs = True
    takes_rows = True
    graphs = False

    def __init__(self, config: EncoderConfig):
        super().__init__()
        self.config = config
        dim, pad = config.encoder_embed_dim, config.pad
        self.embed_tokens = nn.Embedding(config.vocab_size, dim, padding_idx=pad)
        self.embed_positions = nn.Embedding(config.max_positions + pad + 1, dim, padding_idx=pad)
        if config.languages:
            self.embed_languages = nn.Embedding(len(config.languages), dim)
        if config.token_types > 1:
            # BERT's type 1 minus its type 0, which is part of the positions.
            self.second_text = nn.Parameter(torch.zeros(dim))
        self.layernorm_embedding = nn.LayerNorm(dim, eps=config.layer_norm_eps)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.encoder_layers))

    def sentences(self, inputs: Sequence[Input], packing: Packing | None) -> Packed | Padded:
        """The lengths that attention reads: of several inputs with a packing, otherwise of one with padding."""
        return Padded(inputs[0].tokens.eq(self.config.pad)) if packing is None else packing.sentences

    def embed(
        self, tokens: Tensor, positions: Tensor, languages: Tensor | None, second: Tensor | None, training: bool
    ) -> Tensor:
        """Hidden states of layer 0 (..., H).

        Args:
            tokens: (...) int64.
            positions: (...) int64, from 1 on; 0 at padding.
            languages: (...) int64, rows of the language embeddings; None for an encoder without any.
            second: (...) bool, tokens of a second text; None for an encoder with one token type.
        """
        x = self.embed_tokens(tokens) + self.embed_positions(positions + self.config.pad)
        if languages is not None:
            x = x + self.embed_languages(languages)
        if second is not None:
            x = x + second[..., None] * self.second_text
        return dropout(self.layernorm_embedding(x), self.config.dropout, training)


# The embeddings and layers that a pass runs.
Body: TypeAlias = SentenceEncoder | TransformersBody


def make_body(config: EncoderConfig) -> Body:
    """Embeddings and layers of a configuration: transformers' if it names a model, otherwise our own."""
    return TransformersBody(config) if config.transformers_config else SentenceEncoder(config)


class LMHead(nn.Module):
    """Masked-language-model head: logits = E LN(gelu(W h)) + b with E the token embeddings (tied)."""

    def __init__(self, config: EncoderConfig, embeddings: nn.Embedding):
        super().__init__()
        dim = config.encoder_embed_dim
        self.dense = Linear(dim, dim)
        self.layer_norm = nn.LayerNorm(dim, eps=config.layer_norm_eps)
        self.weight = embeddings.weight
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden: Tensor) -> Tensor:
        return linear(self.features(hidden), self.weight, self.bias)

    def features(self, hidden: Tensor) -> Tensor:
        """hidden (N, H) -> the vectors that are compared with the token embeddings (N, H)."""
        made: Tensor = self.layer_norm(F.gelu(self.dense(hidden)))
        return made


class Encoder(nn.Module):
    """The sentence encoder and its MLM head under XLM-R's names, ``sentence_encoder`` and ``lm_head``.

    Example::

        encoder = Encoder(EncoderConfig(vocab_size=1000, encoder_layers=2))
        states = encoder.states(tokens)          # tokens (B, T), nothing is computed yet
        states.layer(1)                          # (B, T, H); runs the first layer only
    """

    def __init__(self, config: EncoderConfig):
        super().__init__()
        self.config = config
        self.name = "the encoder"  # for errors
        self.sentence_encoder = make_body(config)
        self.lm_head = LMHead(config, self.sentence_encoder.embed_tokens)
        self.apply(initialise)

    @property
    def device(self) -> torch.device:
        return next(self.sentence_encoder.parameters()).device

    def states(self, given: Tensor | Input, *, training: bool = False, grad: bool = True) -> HiddenStates:
        """Open a pass over tokens (B, T), or tokens with languages; its layers run when first requested."""
        return open_passes(self.sentence_encoder, [as_input(given)], training=training, grad=grad)[0]


def initialise(module: nn.Module) -> None:
    """BERT's initialisation: N(0, 0.02) for maps and embeddings, zero for biases and the padding row."""
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, std=0.02)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
        if module.padding_idx is not None:
            with torch.no_grad():
                module.weight[module.padding_idx].zero_()
