"""The engine of ``xalign derive``: options to transformations, files to a folder with its manifest."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import atomic_folder, file_sha256
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.core.text.containers import file_of
from xalign_fairseq.core.text.corpus import require_files
from xalign_fairseq.core.version import __version__
from xalign_fairseq.data.databin import MANIFEST
from xalign_fairseq.data.prepare.manifest import hashes
from xalign_fairseq.data.prepare.sources import require_language
from xalign_fairseq.languages.files import derive_source, open_source
from xalign_fairseq.languages.script import Transliteration
from xalign_fairseq.languages.sentence import Composition, Sentence
from xalign_fairseq.languages.syntax import Reordering, learn, read_treebank

MARKS = "sentence marks"


class Inversion:
    """Reverses the words between sentence marks; T_inv of ALIGN-MLM (appendices F and G.2, word level).

    A mark (``.`` in the paper, ``. ! ?`` in its code) stays at the end of its segment. Applied twice, it gives the
    natural order again. ``counts``: the marks found, 0 if they are not separate words.
    """

    def __init__(self, marks: Iterable[str] = (".",)):
        self.marks = frozenset(marks)
        self.counts: Counter[str] = Counter({MARKS: 0})

    def __call__(self, sentence: Sentence, key: int) -> Sentence:
        """Invert; ``key`` is not used."""
        permutation: list[int] = []
        begin = 0
        for place, natural in enumerate(sentence.order):
            if sentence.source[natural] in self.marks:
                permutation += [*range(place - 1, begin - 1, -1), place]
                begin = place + 1
                self.counts[MARKS] += 1
        permutation += range(len(sentence.order) - 1, begin - 1, -1)
        return sentence.reordered(permutation)


SCRIPT, INVERSION, SYNTAX = STEPS = ("script", "inversion", "syntax")
_INPUTS = ("NAME=FILE as", Parameter("text"), Parameter("conllu"), Parameter("ner"), "or", Parameter("nli"))


@dataclass(frozen=True)
class DeriveOptions:
    """The options of ``xalign derive``; ``inputs`` are (kind, name, path); a kind is an option's name."""

    destdir: str
    steps: tuple[str, ...]
    inputs: tuple[tuple[str, str, str], ...]
    spm: str | None = None
    source_lang: str = "en"
    lang: str = "xx"
    overlap: float = 0
    seed: int = 1
    inversion_marks: tuple[str, ...] = (".",)
    towards: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise :class:`XalignError` for missing, invalid or inconsistent options."""
        if not self.steps or set(self.steps) - set(STEPS) or len(set(self.steps)) < len(self.steps):
            found, expected = ",".join(self.steps), f"some of {','.join(STEPS)}, each once, in the order of their use"
            raise XalignError("steps are unknown or repeated", parameter="steps", found=found, expected=expected)
        for step, name, required in (
            (SCRIPT, "spm", True),
            (SYNTAX, "towards", True),
            (SCRIPT, "overlap", False),
            (INVERSION, "inversion_marks", False),
        ):
            is_given = getattr(self, name) != getattr(DeriveOptions, name)
            if step in self.steps and required and not is_given:
                raise XalignError(f"the step {step} lacks its file", parameter=("steps", name))
            if is_given and step not in self.steps:
                raise XalignError("an option belongs to a step that is not requested", parameter=("steps", name))
        if self.seed < 0:
            raise XalignError("a seed is negative", parameter="seed", found=self.seed)
        for language in (self.source_lang, self.lang):
            require_language(language)
        if self.source_lang == self.lang:
            raise XalignError("both languages have the same code", parameter=("lang", "source_lang"), found=self.lang)
        if not self.inputs:
            raise XalignError("there is nothing to derive from", expected=_INPUTS)
        outputs = Counter(("tsv" if kind in ("ner", "nli") else kind, name) for kind, name, _ in self.inputs)
        for (_, name), count in outputs.items():
            if count > 1 or "/" in name:
                raise XalignError("file names must differ and have no slash", found=name)


def derive(options: DeriveOptions, quiet: bool = False) -> dict[str, Any]:
    """Write the derived files of all inputs, the script's model and lexicon, and ``manifest.json``, which is returned.

    All files are checked before the first is written (text in CoNLL-U is read while it is derived); the folder appears
    complete or not at all.

    Raises:
        XalignError: missing, invalid or inconsistent options, malformed files, an existing ``destdir``.
    """
    options.check()
    paths = [path for _, _, path in options.inputs]
    require_files([*paths, *options.towards], remedy="check the files to derive from")
    with atomic_folder(options.destdir, overwrite=None) as folder:
        sources = [
            open_source(kind, name, path, options.source_lang, SYNTAX in options.steps)
            for kind, name, path in options.inputs
        ]
        steps = {name: _step(name, options) for name in options.steps}
        transform = Composition(tuple(steps.values()))
        inputs = []
        for source in sources:
            counts = derive_source(source, folder, options.source_lang, options.lang, transform, quiet)
            inputs.append({"kind": source.kind, "name": source.name, "file": source.path, "counts": counts})
        script = steps.get(SCRIPT)
        if isinstance(script, Transliteration):
            script.save(folder, options.source_lang, options.lang)
        manifest = {
            "xalign_fairseq": __version__,
            "options": {name: value for name, value in asdict(options).items() if name not in ("destdir", "inputs")},
            "steps": {name: dict(step.counts) for name, step in steps.items()},
            "inputs": inputs,
            "sha256": {
                path: file_sha256(Path(file_of(path))) for path in [*paths, *options.towards, options.spm] if path
            },
            "files": hashes(folder),
        }
        write_json(folder / MANIFEST, manifest)
        return manifest


def _step(name: str, options: DeriveOptions) -> Inversion | Transliteration | Reordering:
    """The transformation of a step; ``check`` has verified that its files are given."""
    if name == INVERSION:
        return Inversion(options.inversion_marks)
    if name == SCRIPT:
        assert options.spm is not None
        return Transliteration(options.spm, options.overlap, options.seed)
    return Reordering(learn(tree for path in options.towards for tree in read_treebank(path)), options.seed)
