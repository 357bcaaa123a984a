"""Translations in the plane before and after half a minute of contrastive alignment, by PCA and by t-SNE."""

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pictures
import torch
from sentences import word_vectors

from xalign_fairseq import Aligner
from xalign_fairseq.cli import main as xalign
from xalign_fairseq.evaluation.plots.embeddings import Panel, plot_embeddings
from xalign_fairseq.languages.sample.bitext import write_sample
from xalign_fairseq.links.pharaoh import read_links
from xalign_fairseq.objectives import WordContrastive
from xalign_fairseq.training import AlignmentModel, Batches, PretrainingData, PretrainingDataOptions
from xalign_fairseq.transport.linking import Linking

INPUTS = ("docs/gallery/sentences.py",)
UPDATES, WORDS, LAYER = 40, 20, 12


def draw(path: Path) -> None:
    """Train on the sample's English and French, and draw words of sentences that were not trained on."""
    with tempfile.TemporaryDirectory() as folder:
        text, data, after = (str(Path(folder, name)) for name in ("text", "data-bin", "after"))
        write_sample(text, 2000, 1, 50, 80, False)
        xalign(["prepare", "--out", data, "--tokenizer", "e5-small", "--pair", "en-fr",
                "--trainpref", f"{text}/en-fr/train", "--links", f"{text}/en-fr/train.gold"])  # fmt: skip
        train(data, after)
        pairs, panels = [], []
        for name, model in (("before", "e5-small"), ("after", after)):
            pairs, src, tgt = vectors(model, f"{text}/en-fr/test")
            cosines = src @ tgt.T
            others = cosines[~np.eye(len(pairs), dtype=bool)].mean()
            title = f"{name}: mean cosine of translations {cosines.diagonal().mean():.2f}, of other pairs {others:.2f}"
            panels += [Panel(title, src, tgt, by) for by in ("PCA", "t-SNE")]
    plot_embeddings(pairs, panels, path)


def train(data: str, folder: str) -> None:
    """Wu & Dredze's strong contrastive alignment at the last layer."""
    torch.manual_seed(1)
    read = PretrainingData(data, PretrainingDataOptions(lang_pairs="en-fr"), seed=1)
    model = AlignmentModel.from_pretrained("e5-small", [WordContrastive(negatives="strong")], read)
    model.encoder.sentence_encoder.embed_tokens.weight.requires_grad_(False)  # most of the parameters
    optimizer = torch.optim.AdamW([each for each in model.parameters() if each.requires_grad], lr=1e-4)
    for _, batch in zip(range(UPDATES), Batches(read, model.reader, max_tokens=512), strict=False):
        model(batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)


def vectors(model: str, prefix: str) -> tuple[list[tuple[str, str]], np.ndarray, np.ndarray]:
    """The most frequent linked pairs of longer words, and the mean vector of each word, at length 1."""
    aligner = Aligner.from_pretrained(model, linking=Linking(layers=(LAYER,)), dtype="float32", device="cpu")
    sides = [Path(f"{prefix}.{language}").read_text(encoding="utf-8").splitlines() for language in ("en", "fr")]
    counts: Counter[tuple[str, str]] = Counter()
    found: dict[tuple[str, str], list[torch.Tensor]] = {}
    for src, tgt, links in zip(*sides, read_links(f"{prefix}.gold"), strict=True):
        src_words, tgt_words = src.split(), tgt.split()
        src_vectors, tgt_vectors = word_vectors(aligner, src_words), word_vectors(aligner, tgt_words)
        for i, j in links:
            if len(src_words[i]) > 3 and len(tgt_words[j]) > 3:
                pair = src_words[i].lower(), tgt_words[j].lower()
                counts[pair] += 1
                found.setdefault(pair, []).append(torch.stack([src_vectors[i], tgt_vectors[j]]))
    pairs, seen = [], set()
    for src_word, tgt_word in sorted(counts, key=lambda pair: (-counts[pair], pair)):
        if not {src_word, tgt_word} & seen and len(pairs) < WORDS:  # one form of each word
            pairs.append((src_word, tgt_word))
            seen |= {src_word, tgt_word}
    means = torch.nn.functional.normalize(torch.stack([torch.stack(found[pair]).mean(0) for pair in pairs]), dim=2)
    return pairs, means[:, 0].numpy(), means[:, 1].numpy()


if __name__ == "__main__":
    pictures.main(__file__, draw, INPUTS)
