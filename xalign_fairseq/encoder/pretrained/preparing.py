"""Prepare a data-bin with the vocabulary of a pretrained model."""

from typing import Any

from xalign_fairseq.core.files import require_free, require_outside
from xalign_fairseq.data.prepare import manifest
from xalign_fairseq.data.prepare.prepare import prepare
from xalign_fairseq.data.prepare.sources import PrepareOptions
from xalign_fairseq.encoder.checkpoint import vocab_size
from xalign_fairseq.encoder.pretrained.reading import find_pretrained, read_pretrained, read_tokenizer
from xalign_fairseq.encoder.pretrained.saving import save_checkpoint
from xalign_fairseq.encoder.pretrained.trimming import trim
from xalign_fairseq.encoder.vocabulary import load_tokenizer


def prepare_data(options: PrepareOptions) -> dict[str, Any]:
    """:func:`~xalign_fairseq.data.prepare.prepare.prepare` with the tokenizer of the model that the options name.

    With ``options.trim_vocabulary`` the model is trimmed to the texts and written into the data-bin as ``model.pt``.
    """
    options.check()
    if options.resume and not options.overwrite and (made := manifest.complete(options)):
        return made
    require_free(options.destdir, overwrite=options.overwrite)  # before reading and trimming a model
    if options.tokenizer is None:
        return prepare(options)
    where = find_pretrained(options.tokenizer)
    require_outside(where, options.destdir)
    if not options.trim_vocabulary:
        return prepare(options, read_tokenizer(where))
    small = trim(*read_pretrained(where), options.text_paths, quiet=options.quiet)
    tokenizer = load_tokenizer(small, vocab_size(small))
    return prepare(options, tokenizer, lambda folder: save_checkpoint(small, folder / "model.pt", folder))
