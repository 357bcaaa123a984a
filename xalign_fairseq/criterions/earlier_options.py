"""A criterion's options as checkpoints of earlier versions store them, which fairseq-validate builds it from."""

from typing import Any

from omegaconf import DictConfig, OmegaConf

# Options that are no more.
_GONE = ("moco_momentum_schedule", "moco_momentum_end", "moco_momentum_updates")
# Options that had no default of their own, and took that of the labelling method.
_UNSET = ("sinkhorn_iterations", "mu", "eps", "order", "dustbin", "filter")
# What ot-unbalanced shared with transport before it had options of its own.
_OF_DUSTBIN = {"sinkhorn_iterations": "dustbin_iterations", "mu": "dustbin_mu", "filter": "dustbin_filter"}


def of_today(cfg: Any) -> Any:
    """The same options by today's names; those that are no more or were left to the labelling method are left out.

    Example::

        of_today(OmegaConf.create({"dwa_method": "ot-unbalanced", "dwa_mu": 0.2, "dwa_eps": None}))
        # {"dwa_method": "ot-unbalanced", "dwa_dustbin_mu": 0.2}
    """
    if not isinstance(cfg, DictConfig):
        return cfg
    shared = "dwa_method" in cfg and "dwa_dustbin_mu" not in cfg
    if not shared and not any(option in cfg for option in _GONE):
        return cfg
    values = dict(OmegaConf.to_container(cfg))  # type: ignore[arg-type]
    for option in _GONE:
        values.pop(option, None)
    for option in _UNSET if shared else ():
        value = values.pop(f"dwa_{option}", None)
        if value is not None:
            moved = cfg.dwa_method == "ot-unbalanced" and option in _OF_DUSTBIN
            values[f"dwa_{_OF_DUSTBIN[option] if moved else option}"] = value
    return OmegaConf.create(values)
