"""One sentence in five languages, with word links made by hand, and what the packaged encoder makes of its words."""

from functools import cache

import torch
from torch import Tensor

from xalign_fairseq import Aligner, Gold, parse_line
from xalign_fairseq.aligner.neural.pair_states import encode_pairs
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens
from xalign_fairseq.transport.linking import Linking

ENGLISH = ["Yesterday", "the", "old", "teacher", "did", "not", "sell", "her", "books", "."]
# Language -> translation, and links from English: i-j sure, ipj possible.
TRANSLATIONS = {
    "French": (
        "Hier , la vieille enseignante n' a pas vendu ses livres .",
        "0-0 1-2 2-3 3-4 4p6 5p5 5-7 6-8 6p6 7-9 8-10 9-11",
    ),
    "Hindi": ("कल बूढ़ी शिक्षिका ने अपनी किताबें नहीं बेचीं ।", "0-0 2-1 3-2 1p2 3p3 4p7 5-6 6-7 7-4 8-5 9-8"),
    "Chinese": ("昨天 老 教师 没有 卖 她 的 书 。", "0-0 2-1 3-2 1p2 4p3 5-3 6-4 7-5 7p6 8-7 9-8"),
    "Arabic": ("لم تبع المعلمة العجوز كتبها أمس .", "0-5 1p2 1p3 2-3 3-2 4p0 5-0 6-1 4p1 7-4 8-4 9-6"),
}


def pair(language: str) -> tuple[list[str], list[str], Gold]:
    """The English words, those of the translation, and the links made by hand."""
    text, links = TRANSLATIONS[language]
    return ENGLISH, text.split(), parse_line(links)


@cache
def aligner() -> Aligner:
    """The packaged encoder in float32, which is the same on every machine."""
    return Aligner.from_pretrained("e5-small", linking=Linking("grow"), dtype="float32", device="cpu")


def similarities(language: str) -> tuple[Tensor, Tensor, Tensor]:
    """Cosines (1, n, m) of the words of a pair less the mean of all words of it, and the masks of both sides.

    Without taking away the mean, which all words of an encoder share, all cosines are near 1.
    """
    src, tgt, _ = pair(language)
    words = torch.cat([word_vectors(aligner(), src), word_vectors(aligner(), tgt)])
    words = torch.nn.functional.normalize(words - words.mean(0), dim=1)
    n, m = len(src), len(tgt)
    return words[None, :n] @ words[None, n:].mT, torch.ones(1, n, dtype=torch.bool), torch.ones(1, m, dtype=torch.bool)


@torch.inference_mode()
def word_vectors(model: Aligner, words: list[str]) -> Tensor:
    """A vector (n, H) for each word of a sentence, the mean of its pieces at the layers that the aligner reads."""
    [encoded] = encode_pairs(model.tokenizer, [(words, words)], UnknownTokens())
    states, spans = model.pair_encoder.states([(encoded.src, encoded.tgt)], model.linking.layers)
    start, end = spans[0, :2].tolist()
    pieces = torch.stack([states[layer][0, start:end] for layer in model.linking.layers]).mean(0)
    owners = torch.as_tensor(encoded.src_words)
    return torch.stack([pieces[owners == word].mean(0) for word in range(len(words))])
