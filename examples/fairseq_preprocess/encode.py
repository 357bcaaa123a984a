#!/usr/bin/env python3
"""sentencepiece's spm_train and spm_encode, for machines with only the Python package.

usage: encode.py train PREFIX PIECES TEXT ...
       encode.py encode MODEL TEXT OUT
"""

import sys
from pathlib import Path

import sentencepiece

from xalign_fairseq.core.files import atomic_write


def main() -> None:
    match sys.argv[1:]:
        case ["train", prefix, pieces, *texts] if texts:
            sentencepiece.SentencePieceTrainer.train(
                input=",".join(texts),
                model_prefix=prefix,
                vocab_size=int(pieces),
                hard_vocab_limit=False,
                minloglevel=2,
            )
        case ["encode", model, text, out]:
            encoder = sentencepiece.SentencePieceProcessor(model_file=model)
            with open(text, encoding="utf-8", newline="\n") as lines, atomic_write(Path(out)) as encoded:
                encoded.writelines(" ".join(encoder.encode(line.strip(), out_type=str)) + "\n" for line in lines)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
