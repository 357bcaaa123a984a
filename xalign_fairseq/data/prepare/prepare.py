"""Text to a data-bin: the engine of ``xalign prepare``."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, atomic_folder, atomic_write
from xalign_fairseq.core.progress import progress as progress_of
from xalign_fairseq.core.text.corpus import TextFile, require_equal_lengths, scan
from xalign_fairseq.core.workers import Workers, processes
from xalign_fairseq.data.databin import DICTIONARY, DataBin
from xalign_fairseq.data.mmap import MMapWriter, bin_path, dtype_for_vocabulary, idx_path
from xalign_fairseq.data.prepare import manifest
from xalign_fairseq.data.prepare.binarize import SIDE_DTYPE, Encoded, MonoText, PairText, require_fitting_links
from xalign_fairseq.data.prepare.filters import Filters
from xalign_fairseq.data.prepare.progress import JOURNAL, PrepareProgress, fingerprint
from xalign_fairseq.data.prepare.sources import PrepareOptions
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.spm_training import train_sentencepiece
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer, Tokenizer
from xalign_fairseq.data.tokenizers.tokenizer_model import model_name, write_model

Text = PairText | MonoText


def prepare(
    options: PrepareOptions, tokenizer: Tokenizer | None = None, beside: Callable[[Path], object] | None = None
) -> dict[str, Any]:
    """Write a data-bin with fairseq's mmap files; return its manifest.

    All input is checked before the first file is written. ``destdir`` appears complete or not at all: an older folder
    does not change until then.

    Args:
        options: the inputs and the outputs.
        tokenizer: the tokenizer of the model ``options.tokenizer``
            (:func:`~xalign_fairseq.encoder.pretrained.reading.read_tokenizer`); None if the options name none.
        beside: is called with the folder before it appears; it may write files that the manifest does not list.

    Raises:
        XalignError: missing, empty or ill-encoded files; sides or links of different lengths; links that don't fit
            their sentences, or sentences with too many words for links; a dictionary that doesn't belong to the model;
            an existing ``destdir``; a full disk.
    """
    options.check()
    if (tokenizer is None) != (options.tokenizer is None):
        raise ValueError("options.tokenizer names the model that the tokenizer is of")
    with _disk_errors(options.destdir), atomic_folder(options.destdir, options.overwrite, options.resume) as folder:
        texts = _check_texts(options)
        _TOKENIZER.clear()  # an earlier call may have left that of another folder of this name
        progress = PrepareProgress(folder, fingerprint(options, tokenizer) if options.resume else None)
        if not progress.started and tokenizer is not None:
            _store_tokenizer(folder, tokenizer)
        elif not progress.started and options.spm is not None:
            _store_sentencepiece(folder, options.spm, options.dictionary)
        with processes(options.workers) as run:
            if not progress.started:
                for text in texts:
                    if isinstance(text, PairText) and text.links_file is not None:
                        require_fitting_links(text, options.filters if text.split == "train" else Filters(), run)
                if options.trains_model:
                    files = dict.fromkeys(file for text in texts if text.split == "train" for file in text.sources)
                    model = train_sentencepiece(list(files), options.vocab_size, options.seed)
                    _store_tokenizer(folder, SentencePieceTokenizer(model))
                progress.begin()
            counts = list(_write_texts(texts, folder, run, options, progress))
        # An interrupted run may have left parts of the following files.
        outputs = [name for text in texts for name in (*text.ids_outputs, *text.side_outputs)]
        names = [path(name).name for name in outputs for path in (bin_path, idx_path)]
        progress.remove_others({JOURNAL, DICTIONARY, model_name(_load_tokenizer(folder).model), *names})
        made = manifest.write(folder, list(zip(texts, counts, strict=True)), _load_tokenizer(folder), options)
        if beside is not None:
            beside(folder)
        (folder / JOURNAL).unlink(missing_ok=True)
        return made


def _check_texts(options: PrepareOptions) -> list[Text]:
    bar = progress_of(options.paths, total=len(options.paths), desc="checking", unit=" files", quiet=options.quiet)
    files: dict[str, TextFile] = {path: scan(path) for path in bar}
    texts: list[Text] = []
    for pair in options.pairs:
        links = files[pair.links] if pair.links is not None else None
        bitext = PairText(pair.split, pair.src, pair.tgt, files[pair.src_path], files[pair.tgt_path], links)
        require_equal_lengths(bitext.src_file, bitext.tgt_file)
        if links is not None:
            require_equal_lengths(bitext.src_file, links)
        texts.append(bitext)
    texts += [MonoText(mono.split, mono.lang, tuple(files[path] for path in mono.paths)) for mono in options.mono]
    return _shares(texts, *options.shard) if options.shard else texts


def _shares(texts: Sequence[Text], index: int, number: int) -> list[Text]:
    for kind in (PairText, MonoText):  # every shard needs text of each kind; a small text is only in some
        files = [file for text in texts if isinstance(text, kind) and text.split == "train" for file in text.sources]
        if files and (most := max(len(file.offsets) - 1 for file in files)) < number:
            where, found, expected = f"training {kind.kept}", f"{number} shards", f"at most {most}"
            raise XalignError("a shard has no line", where=where, parameter="shard", found=found, expected=expected)
    return [text.share(index, number) if text.split == "train" else text for text in texts]


def _store_tokenizer(folder: Path, tokenizer: Tokenizer) -> None:
    write_model(folder, tokenizer.model)
    tokenizer.dictionary.save(folder / DICTIONARY)
    _TOKENIZER[folder] = tokenizer


def _store_sentencepiece(folder: Path, model: StrPath, dictionary: StrPath | None) -> None:
    """Copy the user's files into the folder unchanged, if the two match."""
    if dictionary is None:
        _store_tokenizer(folder, SentencePieceTokenizer(model))
        return
    write_model(folder, Path(model).read_bytes())
    with atomic_write(folder / DICTIONARY, "wb") as stream:
        stream.write(Path(dictionary).read_bytes())
    try:
        _load_tokenizer(folder)
    except XalignError:  # retry, so that the error names the user's files
        SentencePieceTokenizer(model, Dictionary.load(dictionary))
        raise


def _write_texts(
    texts: Sequence[Text], folder: Path, run: Workers, options: PrepareOptions, progress: PrepareProgress
) -> Iterator[Counter[str]]:
    """Write the files of each text; yield its counts of kept and dropped lines."""
    ids_dtype = dtype_for_vocabulary(len(_load_tokenizer(folder).dictionary))
    total = sum(text.lines for text in texts)
    with progress_of(total=total, unit=" lines", quiet=options.quiet) as bar:
        for text in texts:
            bar.set_description(text.name)
            state = progress.of(text.name)
            bar.update(state.counts["lines"])
            if state.done or not text.lines:  # an empty share has no files
                yield state.counts
                continue
            filters = options.filters if text.split == "train" else Filters()
            parts, counts = islice(text.parts(), state.parts, None), state.counts
            outputs = [(name, ids_dtype) for name in text.ids_outputs]
            outputs += [(name, SIDE_DTYPE) for name in text.side_outputs]
            with ExitStack() as stack:
                writers = [
                    stack.enter_context(MMapWriter(folder / name, dtype, state.place(name), options.resume))
                    for name, dtype in outputs
                ]
                for encoded in run(partial(_encode, folder, filters), parts):
                    for writer, (flat, sizes) in zip(writers, encoded.items, strict=True):
                        writer.add_many(flat, sizes)
                    counts.update(encoded.counts)
                    state.parts += 1
                    bar.update(encoded.counts["lines"])
                    progress.note(state, writers)
            if counts[text.kept] == 0:
                where = f"{text.name}: {', '.join(file.path for file in text.sources)}"
                raise XalignError("no line of a text has tokens and passes the filters", where=where)
            progress.finish(state)
            yield counts


def _encode(folder: Path, filters: Filters, text: Text) -> Encoded:
    return text.encode(_load_tokenizer(folder), filters)


# Of the folder that is written, once in each process: its word cache serves all chunks.
_TOKENIZER: dict[Path, Tokenizer] = {}


def _load_tokenizer(folder: Path) -> Tokenizer:
    if folder not in _TOKENIZER:
        _TOKENIZER.clear()
        _TOKENIZER[folder] = DataBin(folder).tokenizer
    return _TOKENIZER[folder]


@contextmanager
def _disk_errors(destdir: StrPath) -> Iterator[None]:
    """Turn a full disk or an unwritable folder into an error which says that nothing was lost."""
    try:
        yield
    except OSError as error:
        problem = "the data-bin could not be written; existing files are unchanged"
        raise XalignError(problem, where=destdir, found=error) from error
