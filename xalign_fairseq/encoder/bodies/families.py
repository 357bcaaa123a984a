"""The families of encoders that transformers runs."""

import logging
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.json_files import parse_json, require_form
from xalign_fairseq.encoder.bodies.deberta import Deberta
from xalign_fairseq.encoder.bodies.eurobert import EuroBert
from xalign_fairseq.encoder.bodies.family import BodyFamily
from xalign_fairseq.encoder.bodies.gte import Gte, New
from xalign_fairseq.encoder.bodies.m2m100 import M2M100
from xalign_fairseq.encoder.bodies.modernbert import ModernBert
from xalign_fairseq.encoder.bodies.mt5 import MT5
from xalign_fairseq.encoder.config import DROPOUTS, EncoderConfig

logger = logging.getLogger(__name__)
WHERE = Parameter("transformers_config")
BODIES: dict[str, BodyFamily] = {
    family.model_type: family for family in (ModernBert(), EuroBert(), MT5(), M2M100(), Deberta(), Gte(), New())
}


def read_settings(transformers_config: str, where: object) -> tuple[BodyFamily, dict[str, Any]]:
    """The family of the option ``transformers_config``, and its settings, checked."""
    settings = require_form(parse_json(transformers_config, where), dict[str, Any], where)
    family = find_body(settings.get("model_type"), where)
    return family, family.check(settings, where)


def find_body(model_type: object, where: object) -> BodyFamily:
    """The family of a ``model_type``; :class:`XalignError` if there is none."""
    if not isinstance(model_type, str) or model_type not in BODIES:
        problem, expected = "transformers runs no encoder of this architecture here", f"one of {', '.join(BODIES)}"
        raise XalignError(problem, where=where, found=f"model_type {model_type}", expected=expected)
    return BODIES[model_type]


def takes_positions(config: EncoderConfig) -> bool:
    """Whether an encoder reads its tokens' positions, as our own does, not only their distances."""
    if not config.transformers_config:
        return True
    family, settings = read_settings(config.transformers_config, WHERE)
    return family.takes_positions(settings)


def warn_of_dropout(config: EncoderConfig) -> None:
    """Warn of each rate of dropout that is asked for and that the encoder, run by transformers, has no place for."""
    if config.transformers_config:
        family, _ = read_settings(config.transformers_config, WHERE)
        for name in DROPOUTS:
            rate = getattr(config, name)
            if rate and name not in family.rates:
                logger.warning("%s %g has no effect: layers of %s have no such dropout", name, rate, family.title)
