"""The informative part of a run's fairseq configuration."""

from collections.abc import Mapping
from typing import Any

from xalign_fairseq.trainer.checkpoint_repair import LAST

Groups = Mapping[str, Mapping[str, Any]]
# Options without use in training.
LEFT_OUT = ("generation", "eval_lm", "interactive", "scoring", "bpe", "tokenizer", "ema", "fb_hub", "common_eval")


def facts(configuration: Groups) -> list[tuple[str, str]]:
    """The most important options, by name."""

    def of(group: str, name: str) -> Any:
        return configuration.get(group, {}).get(name)

    objectives = [name for name in str(of("criterion", "objectives") or "").split(",") if name]
    sum_of = ", ".join(f"{name} × {of('criterion', f'{name}_weight')}" for name in objectives)
    sizes = [(of("model", f"encoder_{name}"), word) for name, word in SIZES]
    batch = [(of("dataset", "batch_size"), "examples"), (of("dataset", "max_tokens"), "tokens")]
    precisions = [name for name in ("fp16", "bf16") if of("common", name)]
    frequency = (of("optimization", "update_freq") or [1])[0]
    restored = of("checkpoint", "restore_file")
    restored = None if restored == LAST else restored  # the run's own checkpoint
    seed = of("common", "seed")
    processes = of("distributed_training", "distributed_world_size")
    known = {
        "task": of("task", "_name"),
        "criterion": of("criterion", "_name"),
        "objectives": sum_of,
        "loss normalization": of("criterion", "loss_normalization"),
        "encoder": ", ".join(f"{size} {word}" for size, word in sizes if size),
        "begins with": of("model", "init_checkpoint") or restored,
        "optimizer": of("optimizer", "_name"),
        "learning rate": ", ".join(map(str, of("optimization", "lr") or [])),
        "schedule": of("lr_scheduler", "_name"),
        "warm-up updates": of("lr_scheduler", "warmup_updates"),
        "updates": of("optimization", "max_update"),
        "batch": ", ".join(f"at most {size:,} {word}" for size, word in batch if size),
        "micro-batches": frequency if frequency != 1 else None,
        "processes": processes,
        "precision": ", ".join(precisions) or AUTOCAST.get(of("model", "autocast")),
        "seed": None if seed is None else str(seed),  # 0 is a seed, too
    }
    return [(name, str(value)) for name, value in known.items() if value not in (None, "", 0)]


SIZES = (("layers", "layers"), ("embed_dim", "wide"), ("attention_heads", "heads"))
AUTOCAST = {"yes": "bf16 products (autocast)", "auto": "bf16 products where fast (autocast)", "no": "fp32"}


def groups(configuration: Groups) -> dict[str, list[tuple[str, str]]]:
    """Every option with a value, by group; only the options of objectives in the sum."""
    found = {}
    for group, options in configuration.items():
        if group in LEFT_OUT:
            continue
        kept = _of_objectives(options) if "objectives" in options else options
        rows = [(name, str(value)) for name, value in kept.items() if value is not None]
        if rows:
            found[group] = rows
    return found


def _of_objectives(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the criterion and of the objectives in the sum; ``mlm_weight`` does not belong to ``dict_mlm``."""
    every = sorted(
        (name.removesuffix("_weight") for name in options if name.endswith("_weight")), key=len, reverse=True
    )
    used = str(options["objectives"]).split(",")
    owners = {option: next((name for name in every if option.startswith(f"{name}_")), None) for option in options}
    return {option: value for option, value in options.items() if owners[option] is None or owners[option] in used}
