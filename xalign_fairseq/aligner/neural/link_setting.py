"""How an aligner makes links: layers, method and encoding, as one value and as options of ``xalign align``."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from xalign_fairseq.transport.methods import Method, make_method
from xalign_fairseq.transport.names import METHODS

# Options of methods that a choice on development data sets, and that a command line therefore always names.
CHOSEN = ("filter", "threshold")


class LinkSetting(NamedTuple):
    """What decides the links of an encoder.

    Attributes:
        layers: whose hidden states are averaged, 0 the embeddings.
        method: what finds links in them.
        encoding: of the pairs, ``joint`` or ``separate``.

    Example::

        LinkSetting((7,), make_method("argmax"), "separate").options()
        # ["--method", "argmax", "--layer", "7", "--encoding", "separate"]
    """

    layers: tuple[int, ...]
    method: Method
    encoding: str

    def options(self) -> list[str]:
        """The options of ``xalign align`` that ask for it, whatever the model's defaults are."""
        words = ["--method", self.method_name]
        for option, value in self.method_options().items():
            words += [f"--{option}", str(value)]
        return [*words, "--layer", layer_words(self.layers), "--encoding", self.encoding]

    @property
    def method_name(self) -> str:
        """The method's name in :data:`~xalign_fairseq.transport.names.METHODS`."""
        return self.method.describe()["method"]

    def method_options(self) -> dict[str, Any]:
        """The method's options that are otherwise than usual, and those that are always named."""
        name = self.method_name
        usual = make_method(name)
        bearing = self.method.describe()  # not itermax's, where the filter is another
        values = {option: getattr(self.method, option) for option in METHODS[name] if option in bearing}
        return {
            option: value for option, value in values.items() if option in CHOSEN or value != getattr(usual, option)
        }


def layer_words(layers: Sequence[int]) -> str:
    """Layers as ``--layer`` takes them: ``7``, ``6-8`` for layers in a row, otherwise ``5,7``.

    Example::

        layer_words((6, 7, 8))  # "6-8"
    """
    if len(layers) > 1 and list(layers) == list(range(layers[0], layers[-1] + 1)):
        return f"{layers[0]}-{layers[-1]}"
    return ",".join(map(str, layers))
