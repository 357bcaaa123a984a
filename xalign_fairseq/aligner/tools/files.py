"""The files of ``xalign links``: what is read, what will be written, and that neither takes the other's place."""

import os
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import require_place
from xalign_fairseq.core.text.containers import file_of, suffix_of


@dataclass(frozen=True)
class LinkFiles:
    """Inputs and outputs, by what they hold.

    Args:
        src: source text.
        tgt: target text.
        links: Pharaoh links, one line for each pair that is kept.
        texts: new source and target text, if pairs are dropped.
        directions: forward and backward links of every pair of the input, if wanted.
    """

    src: Path
    tgt: Path
    links: Path
    texts: tuple[Path, Path] | None = None
    directions: tuple[Path, Path] | None = None

    @classmethod
    def of(
        cls, src: str, tgt: str, out: str, *, drops_pairs: bool = False, directions: str | None = None
    ) -> "LinkFiles":
        """Name the outputs.

        Args:
            src: source text.
            tgt: target text.
            out: the links; with ``drops_pairs`` the prefix P (or ``P.links``) of ``P.links`` and of the new texts,
                whose suffixes are the languages of the old ones.
            drops_pairs: whether new texts are written.
            directions: the prefix P of ``P.fwd`` and ``P.rev``.

        Example::

            LinkFiles.of("all.en", "all.de", "kept", drops_pairs=True).texts  # (Path("kept.en"), Path("kept.de"))
        """
        both = (Path(f"{directions}.fwd"), Path(f"{directions}.rev")) if directions is not None else None
        if not drops_pairs:
            return cls(Path(src), Path(tgt), Path(out), directions=both)
        for path in (src, tgt):
            if not suffix_of(path):
                raise XalignError(
                    "the names of the new text files cannot be derived",
                    where=path,
                    found="no suffix that names the language",
                    expected="names like all.en and all.de, from which P.en and P.de are made",
                )
        prefix = out.removesuffix(".links")
        texts = (Path(prefix + suffix_of(src)), Path(prefix + suffix_of(tgt)))
        return cls(Path(src), Path(tgt), Path(f"{prefix}.links"), texts, both)

    @property
    def manifest(self) -> Path:
        """The manifest, next to the links."""
        return self.links.with_name(f"{self.links.name}.json")

    @property
    def outputs(self) -> list[Path]:
        """All that will be written."""
        return [self.links, *(self.texts or ()), *(self.directions or ()), self.manifest]

    def check(self, overwrite: bool = False, other_inputs: tuple[str, ...] = ()) -> None:
        """Refuse outputs that are folders, that are inputs or one another, or that exist, unless ``overwrite``.

        Args:
            overwrite: replace what exists.
            other_inputs: files next to the texts, and folders of files.

        Example::

            LinkFiles.of("all.en", "all.de", "all.links").check()
        """
        for path in self.outputs:
            require_place(path)
        for first, second in combinations(self.outputs, 2):
            if os.path.realpath(first) == os.path.realpath(second):
                raise XalignError(
                    "two outputs have the same name",
                    where=first,
                    remedy=("choose other names for", Parameter("out"), "and", Parameter("directions")),
                )
        inputs = {os.path.realpath(path) for path in (file_of(str(self.src)), file_of(str(self.tgt)), *other_inputs)}
        for path in self.outputs:
            if os.path.realpath(path) in inputs:
                raise XalignError(
                    "an input would be overwritten",
                    where=path,
                    remedy=("choose another", Parameter("out"), "or", Parameter("directions")),
                )
        for path in self.outputs:
            require_place(path, other_inputs)  # in a folder that is read
        existing = [str(path) for path in self.outputs if path.exists()]
        if existing and not overwrite:
            raise XalignError(
                "output files already exist and were not changed",
                where=", ".join(existing),
                remedy=("choose another name, or replace them by", Parameter("overwrite")),
            )
