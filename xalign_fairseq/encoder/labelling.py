"""How the model of a checkpoint labels word links itself."""

from typing import Any

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transport.label_options import LabelOptions
from xalign_fairseq.transport.methods import Transport


def stored_labelling(state: dict[str, Any], config: EncoderConfig) -> LabelOptions | None:
    """The labelling method, what it reads and at which layers, as training stored it; None for a model that never did.

    A checkpoint of a version that did not store it tells the layers and the similarity by the options of ``dwa``, if
    that was among its objectives, with a weight other than 0: every criterion has these options.

    Args:
        state: what :func:`xalign_fairseq.encoder.checkpoint.read` returned.
        config: the sizes of its encoder.
    """
    stored = (state.get("task_state") or {}).get("labelling")
    if stored is not None:
        return LabelOptions.from_state(stored)
    trained = checkpoint.options(state, "criterion")
    objectives = [name.strip() for name in str(trained.get("objectives") or "dwa").split(",")]
    if "dwa" not in objectives or trained.get("dwa_weight") == 0:
        return None
    given = {"hidden": trained.get("dwa_label_layer"), "pointer": trained.get("dwa_layer")}
    layers = {name: config.resolve_layer(layer) for name, layer in given.items() if layer is not None}
    similarity = str(trained.get("dwa_label_by") or "hidden")
    return LabelOptions(Transport(), layers, similarity) if layers else None
