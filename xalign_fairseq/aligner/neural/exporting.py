"""Export the aligner's encoder to torch.export or ONNX, with a check of the links."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import StrPath, atomic_folder
from xalign_fairseq.data.inputs import Input, as_input
from xalign_fairseq.data.samples import BOS, EOS
from xalign_fairseq.encoder.hidden_states import HiddenStates, Pass
from xalign_fairseq.encoder.token_tables import Lookup, unpack
from xalign_fairseq.encoder.transformer import Encoder

FILE = "encoder.onnx"
CHECKED = (
    ("The red house is big .", "La maison rouge est grande ."),
    ("I see a dog and two cats .", "Ich sehe einen Hund und zwei Katzen ."),
    ("Yes", "Da"),
)


class _Layers(nn.Module):
    """Tokens (B, T) to hidden states (B, T, H) of some layers, padding included."""

    def __init__(self, encoder: Encoder, layers: Sequence[int]):
        super().__init__()
        self.layers, self.body = layers, copy.copy(encoder.sentence_encoder)
        table = self.body.embed_tokens
        if isinstance(table, Lookup):  # the exported program needs floats, not rows in four bits
            rows = unpack(table.table) if table.table.dtype == torch.uint8 else table.table
            self.body._modules = {**self.body._modules, "embed_tokens": nn.Embedding.from_pretrained(rows)}

    def forward(self, tokens: Tensor) -> tuple[Tensor, ...]:
        run = Pass(self.body, [Input(tokens)], None, training=False, grad=False)
        return tuple(run.upto(layer) for layer in self.layers)


class _Found(Pass):
    """A pass whose hidden states were computed outside torch."""

    def __init__(self, encoder: Encoder, given: Input, found: dict[int, Tensor]):
        super().__init__(encoder.sentence_encoder, [given], None, training=False, grad=False)
        self._found = found

    def upto(self, layer: int) -> Tensor:
        return self._found[layer]


class OnnxEncoder(Encoder):
    """An encoder that runs in onnxruntime.

    Example::

        aligner = dataclasses.replace(aligner, encoder=OnnxEncoder("onnx", aligner.encoder))
    """

    def __init__(self, folder: StrPath, like: Encoder):
        nn.Module.__init__(self)
        import onnxruntime

        self.config, self.name = like.config, str(folder)
        self.sentence_encoder = like.sentence_encoder
        self._session = onnxruntime.InferenceSession(Path(folder) / FILE, providers=["CPUExecutionProvider"])

    def states(self, given: Tensor | Input, *, training: bool = False, grad: bool = True) -> HiddenStates:
        """Same arguments and results as :meth:`.Encoder.states`, for the layers in the file."""
        read = as_input(given)
        names = [output.name for output in self._session.get_outputs()]
        states = self._session.run(names, {"tokens": read.tokens.cpu().numpy()})
        found = {int(name[len("layer_") :]): torch.from_numpy(each) for name, each in zip(names, states, strict=True)}
        return HiddenStates(_Found(self, read, found), 0)


def export_program(aligner: Aligner) -> torch.export.ExportedProgram:
    """Export the aligner's encoder, up to the linking layers, as a torch.export program.

    It maps tokens (B, T) int64, padded with ``encoder.config.pad``, to the states (B, T, H) float32 of each of
    ``aligner.linking.layers``, ascending. B and T are free.

    Raises:
        XalignError: transformers runs the encoder, or it has language embeddings, or it is not in float32.

    Example::

        program = export_program(load_aligner("e5-small", dtype="float32"))
        torch.export.save(program, "encoder.pt2")
    """
    config, layers = aligner.encoder.config, sorted(set(aligner.linking.layers))
    if config.transformers_config or config.languages:
        raise XalignError("only encoders of XLM-R's and BERT's kind are exported", where=aligner.encoder.name)
    if aligner.dtype != "float32":
        remedy = ("load it with", Parameter("dtype", "float32"))
        raise XalignError("an encoder is exported in float32", parameter="dtype", found=aligner.dtype, remedy=remedy)
    tokens = torch.tensor([[BOS, EOS, EOS, EOS], [BOS, EOS, config.pad, config.pad]], device=aligner.device)
    sizes = {"tokens": {0: torch.export.Dim("B"), 1: torch.export.Dim("T", max=config.max_positions)}}
    return torch.export.export(_Layers(aligner.encoder, layers).eval(), (tokens,), dynamic_shapes=sizes)


def export_onnx(aligner: Aligner, folder: StrPath) -> None:
    """Write the encoder as ``encoder.onnx``, and check that its links equal the aligner's.

    The input is ``tokens``, the outputs are ``layer_4`` and so on, as in :func:`export_program`. Needs the extra
    ``onnx``.

    Args:
        folder: the output; appears complete or not at all.

    Raises:
        XalignError: as in :func:`export_program`; or links differ.

    Example::

        export_onnx(load_aligner("e5-small", dtype="float32"), "onnx")
    """
    program = export_program(aligner)
    names = [f"layer_{layer}" for layer in sorted(set(aligner.linking.layers))]
    with atomic_folder(folder) as here:
        made = torch.onnx.export(program, (), input_names=["tokens"], output_names=names, dynamo=True, verbose=False)
        assert made is not None
        made.save(here / FILE, external_data=True)
        own = aligner.align(*zip(*CHECKED, strict=True))
        other = replace(aligner, encoder=OnnxEncoder(here, aligner.encoder)).align(*zip(*CHECKED, strict=True))
        for pair, mine, theirs in zip(CHECKED, own, other, strict=True):
            if mine.links.keys() != theirs.links.keys():
                raise XalignError("links by onnxruntime differ", where=" ||| ".join(map(str, pair)))
