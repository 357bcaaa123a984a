"""Files of links against a file of gold links: AER, precision, recall, F1."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.progress import say
from xalign_fairseq.core.text.containers import text_sha256
from xalign_fairseq.core.text.lines import different_lengths, read_lines
from xalign_fairseq.evaluation.signature import on_data, score_signature
from xalign_fairseq.links.aer import AlignmentCounts, sentence_counts
from xalign_fairseq.links.bootstrap import LEVEL, METRICS, bootstrap_intervals, paired_bootstrap
from xalign_fairseq.links.gold import is_numbered, read_gold
from xalign_fairseq.links.pharaoh import check_bounds, one_based_evidence, read_marked

SAMPLES_OF_A_COMPARISON = 1000


@dataclass(frozen=True)
class LinkFilesToScore:
    """The links to score, their gold, the text to check indices, and links to ``compare`` by a paired bootstrap."""

    hyp: str
    gold: str
    text: tuple[str, str] | None = None
    compare: str | None = None
    bootstrap: int = 0
    seed: int = 1
    hyp_index_base: int | None = None
    gold_index_base: int | None = None


def score_files(files: LinkFilesToScore) -> dict[str, Any]:
    """The scores as fractions with signature, and optionally intervals and a comparison."""
    if files.bootstrap < 0 or files.seed < 0:
        raise XalignError("resamples or seed is negative", parameter=("bootstrap", "seed"))
    hyp_base, gold_base = files.hyp_index_base or 0, base_of_gold(files)
    first, *rest = read_counts(files, hyp_base, gold_base)
    result: dict[str, Any] = figures(first)
    signature = score_signature(hyp_base=hyp_base, gold_base=gold_base)
    result["signature"] = on_data(signature, {"gold": text_sha256(files.gold)[:12]})
    if files.bootstrap:
        result["interval"] = bootstrap_intervals(first, samples=files.bootstrap, seed=files.seed)
        result["bootstrap"] = {"samples": files.bootstrap, "seed": files.seed, "level": LEVEL}
    for counts in rest:
        samples = files.bootstrap or SAMPLES_OF_A_COMPARISON
        test = paired_bootstrap(first, counts, samples=samples, seed=files.seed)
        result["compare"] = {
            **figures(counts),
            "aer_difference": test.difference,
            "aer_difference_interval": (test.low, test.high),
            "p_value": test.p_value,
            "samples": samples,
        }
    return result


def read_counts(files: LinkFilesToScore, hyp_base: int, gold_base: int) -> list[list[AlignmentCounts]]:
    """The counts per sentence of the links and of the compared links, after all checks of the files."""
    paths = [path for path in (files.hyp, files.compare) if path]
    marked = {path: read_marked(path, base=hyp_base) for path in paths}
    hyps = {path: [set(line.possible) for line in lines] for path, lines in marked.items()}
    golds = read_gold(files.gold, base=gold_base, pairs=len(hyps[files.hyp]))
    possible = [gold.possible for gold in golds]
    has_possible = [any(line.sure != line.possible for line in lines) for lines in (golds, marked[files.hyp])]
    if has_possible == [False, True]:
        say("warning: only the links to score have possible links (ipj), gold has none: the files may be swapped")
    if not any(possible):
        raise XalignError("the gold file has no link", where=files.gold)
    counts = [sentence_counts(hyps[path], golds, where=f"{path}, {files.gold}") for path in paths]
    if files.text:
        src, tgt = ([len(line.split()) for line in read_lines(path)] for path in files.text)
        if len(src) != len(tgt):
            raise different_lengths(*files.text, (len(src), len(tgt)))
        lengths = list(zip(src, tgt, strict=True))
        for path, links in hyps.items():
            check_bounds(links, lengths, where=path, remedy=_converting("hyp_index_base"), base=hyp_base)
        remedy, numbered = _converting("gold_index_base"), is_numbered(files.gold)
        check_bounds(possible, lengths, where=files.gold, remedy=remedy, base=gold_base, numbered=numbered)
    if files.hyp_index_base is None:
        for path, links in hyps.items():
            _refuse_one_based(one_based_evidence(links, possible), path, "hyp_index_base")
    pairs = list(zip(hyps[files.hyp], possible, strict=True))
    right = sum(len(links & gold) for links, gold in pairs)
    if sum((j, i) in gold for links, gold in pairs for i, j in links) > max(2 * right, 10):
        say("warning: with source and target exchanged, more than twice as many links would be right")
    if files.gold_index_base is None and not gold_base:
        _refuse_one_based(one_based_evidence(possible, hyps[files.hyp]), files.gold, "gold_index_base")
    return counts


def base_of_gold(files: LinkFilesToScore) -> int:
    """The index of the first token in the gold file: 1 in the shared tasks' numbered lines."""
    numbered = is_numbered(files.gold)
    if numbered and files.gold_index_base == 0:
        raise XalignError("numbered gold counts tokens from 1", where=files.gold, parameter="gold_index_base")
    return 1 if numbered else files.gold_index_base or 0


def figures(counts: Sequence[AlignmentCounts]) -> dict[str, Any]:
    """The scores of summed counts, as fractions."""
    total = sum(counts, AlignmentCounts())
    scores = {name: getattr(total, name) for name in METRICS}
    return scores | {"links": total.links, "sure": total.sure, "sentences": len(counts)}


def _converting(parameter: str) -> tuple[str | Parameter, ...]:
    return (Parameter(parameter, 1), "converts it")


def _refuse_one_based(evidence: str | None, path: str, parameter: str) -> None:
    if evidence:
        remedy = (Parameter(parameter, 1), "converts it;", Parameter(parameter, 0), "reads it unchanged")
        raise XalignError("the file looks 1-based", where=path, found=evidence, remedy=remedy)
