"""A post-norm transformer encoder with XLM-R's parametrisation and parameter names, in plain torch.

Names and mathematics follow RoBERTa as fairseq trains it (Liu et al. 2019; Conneau et al. 2020), so that
``xlmr.base/model.pt`` loads key by key. Every layer can be run by itself, which lets a pass stop at any layer.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.errors import XalignError
from xalign_fairseq.ops.products import Linear, linear


def attend(q: Tensor, k: Tensor, v: Tensor, padding: Tensor | None, dropout: float) -> Tensor:
    """The one place where attention is computed: softmax(q k^T / sqrt(d)) v over unpadded positions.

    Args:
        q, k, v: (B, heads, T, d).
        padding: (B, T) bool, True at padding; None if there is none.
        dropout: probability of dropping an attention weight.
    """
    if q.dtype == torch.bfloat16 and q.device.type == "cpu":
        return attend_by_products(q, k, v, padding, dropout)
    mask = None if padding is None else ~padding[:, None, None, :]
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=dropout)


def attend_by_products(q: Tensor, k: Tensor, v: Tensor, padding: Tensor | None, dropout: float) -> Tensor:
    """:func:`attend` by two batched products, with all weights in memory.

    In bfloat16 on a CPU torch's own function takes 1.3 times this forward, and 10 (short sequences) to 3 (256 tokens)
    times this backward: it multiplies head by head.
    """
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
    if padding is not None:
        # Not infinity: a sequence of padding alone would give nan, and its gradient all parameters.
        lowest = torch.zeros_like(padding, dtype=scores.dtype).masked_fill_(padding, torch.finfo(scores.dtype).min)
        scores = scores + lowest[:, None, None, :]
    return F.dropout(scores.softmax(-1), dropout) @ v


class SelfAttention(nn.Module):
    """Multi-head self-attention with separate q, k, v and output maps, each with a bias."""

    def __init__(self, config: EncoderConfig):
        super().__init__()
        dim = config.encoder_embed_dim
        self.heads = config.encoder_attention_heads
        self.dropout = config.attention_dropout
        self.k_proj = Linear(dim, dim)
        self.v_proj = Linear(dim, dim)
        self.q_proj = Linear(dim, dim)
        self.out_proj = Linear(dim, dim)

    def forward(self, x: Tensor, padding: Tensor | None, training: bool) -> Tensor:
        """x (B, T, H) -> (B, T, H)."""
        split = (*x.shape[:2], self.heads, -1)
        q, k, v = (map_(x).view(split).transpose(1, 2) for map_ in (self.q_proj, self.k_proj, self.v_proj))
        mixed = attend(q, k, v, padding, self.dropout if training else 0.0)
        return self.out_proj(mixed.transpose(1, 2).reshape(x.shape))


class EncoderLayer(nn.Module):
    """x = LN(x + attention(x)); x = LN(x + W2 gelu(W1 x))."""

    def __init__(self, config: EncoderConfig):
        super().__init__()
        dim = config.encoder_embed_dim
        self.dropout = config.dropout
        self.activation_dropout = config.activation_dropout
        self.self_attn = SelfAttention(config)
        self.self_attn_layer_norm = nn.LayerNorm(dim, eps=config.layer_norm_eps)
        self.fc1 = Linear(dim, config.encoder_ffn_embed_dim)
        self.fc2 = Linear(config.encoder_ffn_embed_dim, dim)
        self.final_layer_norm = nn.LayerNorm(dim, eps=config.layer_norm_eps)

    def forward(self, x: Tensor, padding: Tensor | None, training: bool) -> Tensor:
        """x (B, T, H) -> (B, T, H)."""
        attended = F.dropout(self.self_attn(x, padding, training), self.dropout, training)
        x = self.self_attn_layer_norm(x + attended)
        inner = F.dropout(F.gelu(self.fc1(x)), self.activation_dropout, training)
        return self.final_layer_norm(x + F.dropout(self.fc2(inner), self.dropout, training))


class SentenceEncoder(nn.Module):
    """Token and position embeddings, language embeddings where the configuration names any, and a stack of layers.

    Positions are ``pad + 1 + k`` for the k-th token that is not padding, as in XLM-R, unless the input has its own.
    """

    def __init__(self, config: EncoderConfig):
        super().__init__()
        self.config = config
        dim, pad = config.encoder_embed_dim, config.pad
        self.embed_tokens = nn.Embedding(config.vocab_size, dim, padding_idx=pad)
        self.embed_positions = nn.Embedding(config.max_positions + pad + 1, dim, padding_idx=pad)
        if config.languages:
            self.embed_languages = nn.Embedding(len(config.languages), dim)
        self.layernorm_embedding = nn.LayerNorm(dim, eps=config.layer_norm_eps)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.encoder_layers))

    def embed(self, given: Input, padding: Tensor, training: bool) -> Tensor:
        """Input of (B, T) -> hidden states of layer 0 (B, T, H); padded positions are zero."""
        tokens = given.tokens
        if tokens.shape[1] > self.config.max_positions:
            raise XalignError(
                "a sequence is longer than the encoder's positions",
                found=f"{tokens.shape[1]} tokens",
                expected=f"at most {self.config.max_positions}",
            )
        keep = ~padding
        positions = keep.cumsum(1) if given.positions is None else given.positions + 1
        x = self.embed_tokens(tokens) + self.embed_positions(positions * keep + self.config.pad)
        if self.config.languages:
            x = x + self.embed_languages(self._languages(given))
        x = self.layernorm_embedding(x)
        x = F.dropout(x, self.config.dropout, training)
        return x.masked_fill(padding[..., None], 0)

    def _languages(self, given: Input) -> Tensor:
        if given.languages is None:
            raise XalignError(
                "the encoder has language embeddings, and the language of a text was not given",
                found="tokens alone",
                expected=f"one of {', '.join(self.config.languages)} for each text",
            )
        return given.languages


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
        """hidden (N, H) -> logits (N, V)."""
        return linear(self.layer_norm(F.gelu(self.dense(hidden))), self.weight, self.bias)


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
        self.sentence_encoder = SentenceEncoder(config)
        self.lm_head = LMHead(config, self.sentence_encoder.embed_tokens)
        self.apply(initialise)

    @property
    def device(self) -> torch.device:
        """Where the encoder is."""
        return self.lm_head.bias.device

    def states(self, given: Tensor | Input, *, training: bool = False, grad: bool = True) -> "HiddenStates":
        """Open a pass over tokens (B, T), or tokens with languages; its layers run when they are first asked for."""
        return HiddenStates(self.sentence_encoder, given, training, grad)


class HiddenStates:
    """One pass over a batch that runs only as far as the layers asked for, and never runs a layer twice."""

    def __init__(self, encoder: SentenceEncoder, given: Tensor | Input, training: bool, grad: bool):
        self._encoder = encoder
        self._given = given if isinstance(given, Input) else Input(given)
        self._training = training
        self.grad = grad
        tokens = self._given.tokens
        self._padding = tokens.eq(encoder.config.pad)
        # A batch without padding needs no mask, and without one torch's faster kernels apply.
        padded = self._given.padded
        if padded is None:
            padded = tokens.device.type != "cpu" or bool(self._padding.any())
        self._mask = self._padding if padded else None
        self._states: list[Tensor] = []

    @property
    def reached(self) -> int:
        """The highest layer that has run, -1 before any."""
        return len(self._states) - 1

    def layer(self, layer: int = -1) -> Tensor:
        """Hidden states (B, T, H) of ``layer`` (0 embeddings, -1 last); earlier layers are kept, later ones not run."""
        layer = self._encoder.config.resolve_layer(layer)
        with torch.set_grad_enabled(self.grad and torch.is_grad_enabled()):
            if not self._states:
                self._states.append(self._encoder.embed(self._given, self._padding, self._training))
            while len(self._states) <= layer:
                run = self._encoder.layers[len(self._states) - 1]
                self._states.append(run(self._states[-1], self._mask, self._training))
        return self._states[layer]


def initialise(module: nn.Module) -> None:
    """BERT's initialisation: N(0, 0.02) for maps and embeddings, zero for biases and the padding row."""
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, std=0.02)
        nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
        if module.padding_idx is not None:
            with torch.no_grad():
                module.weight[module.padding_idx].zero_()
