"""Linear maps from each language's hidden states to the pivot language's, one per layer."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.encoder.copies import StaysFloat32
from xalign_fairseq.encoder.hidden_states import HiddenStates

logger = logging.getLogger(__name__)

HEAD = "linear_mapping"
LEARN = ("learn it from bitext with links:", Command("procrustes"), "or", Parameter("criterion", "linear_mapping"))


class LanguageMaps(StaysFloat32):
    """W_L^l for each language L except the pivot and each layer l, so that s ~ t W (Wu & Dredze 2020, Eq. 1).

    The maps of a language are one parameter ``maps.L`` of shape (layers + 1, H, H): embeddings, layer 1 ... They start
    as identities and stay in float32 when the model is trained in half precision. A buffer ``pivot.L`` records the
    pivot language, whose states are not mapped.
    """

    def __init__(self, languages: Sequence[str], pivot: str, layers: int, dim: int):
        super().__init__()
        self.maps, self._pivot = nn.Module(), pivot
        for language in languages:
            # With setattr or a ParameterDict, Tongan (to) would replace Module.to.
            self.maps._parameters[language] = nn.Parameter(torch.eye(dim).repeat(layers + 1, 1, 1))
        self.pivot = nn.Module()
        self.pivot._buffers[pivot] = torch.zeros(1)
        self._edited_before = -1

    def _load_from_state_dict(self, *args: object, **kwargs: object) -> None:
        super()._load_from_state_dict(*args, **kwargs)
        self._edited_before = -1  # no update orthogonalised yet

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages with maps."""
        return tuple(self.maps._parameters)

    def items(self) -> Iterator[tuple[str, Tensor]]:
        """Each language with maps, and its maps (layers + 1, H, H)."""
        return self.maps.named_parameters()

    def of(self, language: str) -> Tensor | None:
        """Maps (layers + 1, H, H) of a language; None for the pivot and unmapped languages."""
        return self.maps._parameters.get(language)

    def require(self, languages: Sequence[str], where: object = None) -> None:
        """Raise :class:`XalignError` for languages without a map, except the pivot."""
        unknown = self._without_map(languages)
        if unknown:
            known, unknown_names = ", ".join([*self.languages, self._pivot]), ", ".join(unknown)
            raise XalignError("there is no linear map of a language", where=where, found=unknown_names, expected=known)

    def warn_of_unmapped(self, languages: Sequence[str]) -> None:
        """Warn of languages without a map; their states are read unmapped."""
        unknown = self._without_map(languages)
        if unknown:
            mapped = ", ".join(self.languages)
            logger.warning("no linear map of %s: its states are not mapped (maps of %s)", ", ".join(unknown), mapped)

    def _without_map(self, languages: Sequence[str]) -> list[str]:
        return [each for each in dict.fromkeys(languages) if each != self._pivot and self.of(each) is None]

    @torch.no_grad()
    def orthogonalise(self, beta: float, update: int) -> None:
        """W <- (1 + beta) W - beta (W W^T) W (Eq. 2), in place; only the first call of an update counts."""
        if update == self._edited_before:
            return
        self._edited_before = update
        with _full_precision(self):
            for maps in self.maps.parameters():
                maps.copy_((1 + beta) * maps - beta * (maps @ maps.mT) @ maps)

    @torch.no_grad()
    def orthogonality_error(self) -> tuple[Tensor, int]:
        """Sum of ||W W^T - I|| (Frobenius) over all maps of all layers, and their number."""
        with _full_precision(self):
            errors = [
                (maps @ maps.mT - torch.eye(maps.shape[-1], dtype=maps.dtype, device=maps.device)).norm(dim=(1, 2))
                for maps in self.maps.parameters()
            ]
        return torch.cat(errors).sum(), sum(map(len, errors))


# A pass of the encoder, with or without maps.
States: TypeAlias = "HiddenStates | MappedStates"


class MappedStates:
    """A pass of the encoder with each row mapped by its language's map of the requested layer.

    Args:
        languages: language of each of the B rows; rows without a map do not change.
    """

    def __init__(self, states: States, maps: LanguageMaps, languages: Sequence[str]):
        self._states, self._maps = states, maps
        rows: dict[str, list[int]] = {}
        for row, language in enumerate(languages):
            if maps.of(language) is not None:
                rows.setdefault(language, []).append(row)
        self._rows = rows

    def layer(self, layer: int = -1) -> Tensor:
        """Hidden states (B, T, H) in the space of the pivot language, in the dtype of the encoder."""
        hidden = self._states.layer(layer)
        mapped = hidden.clone() if self._rows else hidden
        for language, rows in self._rows.items():
            maps = self._maps.of(language)
            assert maps is not None
            mapped[rows] = apply_map(hidden[rows], maps[layer]).to(hidden.dtype)
        return mapped


def apply_map(vectors: Tensor, maps: Tensor) -> Tensor:
    """t W for vectors (..., K, H) and maps (..., H, H), in float32 or wider, also inside autocast."""
    wide = torch.promote_types(vectors.dtype, maps.dtype)
    with torch.autocast(vectors.device.type, enabled=False):
        return vectors.to(wide) @ maps.to(wide)


def load_maps(heads: Mapping[str, Tensor]) -> LanguageMaps | None:
    """The frozen maps among a checkpoint's heads (``heads.linear_mapping...``); None without any."""
    prefix = f"heads.{HEAD}."
    mine = {key.removeprefix(prefix): value for key, value in heads.items() if key.startswith(prefix)}
    if not mine:
        return None
    languages, [pivot] = _languages(mine, "maps"), _languages(mine, "pivot")
    layers, dim, _ = mine[f"maps.{languages[0]}"].shape
    maps = LanguageMaps(languages, pivot, layers - 1, dim)
    maps.load_state_dict(mine)
    return maps.eval().requires_grad_(False)


def _languages(tensors: Mapping[str, Any], part: str) -> list[str]:
    return [key.partition(".")[2] for key in tensors if key.startswith(f"{part}.")]


def _full_precision(module: nn.Module) -> torch.autocast:
    return torch.autocast(next(module.parameters()).device.type, enabled=False)


class Procrustes:
    r"""W = argmin ||S - T W||^2 over orthogonal W, for several layers at once, from batches of word pairs.

    With the singular value decomposition :math:`U \Sigma V^\top = T^\top S` it is :math:`W = U V^\top` (Schoenemann
    1966; Smith et al. 2017; Wu & Dredze 2020, Eq. 1). Only T^T S (H, H) and the squared norms are kept, in float64.
    """

    def __init__(self, layers: int, dim: int, device: torch.device | str = "cpu"):
        self.pairs = 0
        self._products = torch.zeros(layers, dim, dim, dtype=torch.float64, device=device)
        self._squares = torch.zeros(layers, dtype=torch.float64, device=device)

    def add(self, s: Tensor, t: Tensor) -> None:
        """Add K word pairs: s and t (L, K, H) of any floating dtype."""
        s, t = s.double(), t.double()
        self.pairs += s.shape[1]
        self._products += t.mT @ s
        self._squares += s.square().sum((1, 2)) + t.square().sum((1, 2))

    def solve(self, where: object = None) -> Tensor:
        """W (L, H, H) float64, always orthogonal. Raises XalignError without pairs or if vectors are not finite."""
        if not self.pairs or not self._products.isfinite().all():
            found = "hidden states that are not finite" if self.pairs else "no linked words"
            raise XalignError("no map can be computed", where=where, found=found)
        u, _, vh = torch.linalg.svd(self._products)
        maps: Tensor = u @ vh
        return maps

    def distance(self, maps: Tensor | None = None) -> Tensor:
        """Mean over the pairs of ||s - t W||^2, (L,), for orthogonal W, by default identities."""
        if maps is None:
            inner = self._products.diagonal(dim1=1, dim2=2).sum(1)
        else:
            inner = (self._products * maps.to(self._products)).sum((1, 2))
        return (self._squares - 2 * inner).clamp(min=0) / self.pairs
