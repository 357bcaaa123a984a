"""Small data-bins and texts, and a BERT-like vocabulary with its checkpoints."""

import io
import itertools
from argparse import Namespace

import numpy as np
import sentencepiece
import torch

from support.small import move
from xalign_fairseq.data.databin import links_prefix, mono_prefix, words_prefix
from xalign_fairseq.data.mmap import MMapReader, MMapWriter
from xalign_fairseq.data.tokenizers.wordpiece import from_vocabulary
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import tokenizer_state

SYMBOLS = 40
CONFIG = EncoderConfig(SYMBOLS + 5, 2, 16, 32, 2, max_positions=64)


def write_plain_data(folder, pairs=60):
    """The folder, with a training and a validation split."""
    folder.mkdir(exist_ok=True)
    (folder / "dict.txt").write_text("".join(f"w{number} 1\n" for number in range(SYMBOLS)))
    rng = np.random.default_rng(5)
    for split, count in (("train", pairs), ("valid", 10)):
        lengths = rng.integers(2, 12, count)
        sides = [[[*rng.integers(4, 4 + SYMBOLS, n + extra), 2] for n in lengths] for extra in (0, 1)]
        for lang, side in zip(("de", "en"), sides, strict=True):
            write(folder / f"{split}.de-en.{lang}", side)
            write(folder / words_prefix(split, "de", "en", lang), [range(len(ids) - 1) for ids in side])
            write(folder / mono_prefix(split, lang), side)
        write(folder / links_prefix(split, "de", "en"), [[v for k in range(n) for v in (k, k, 1)] for n in lengths])
    return folder


def write(prefix, rows):
    """Write rows of ids as an mmap file, and open it."""
    with MMapWriter(prefix, np.uint16) as writer:
        for row in rows:
            writer.add(row)
    return MMapReader(prefix)


WORDS = {"das": "the", "ein": "a", "haus": "house", "buch": "book", "ist": "is", "alt": "old", "neu": "new"}
SENTENCES = [f"{a} {b} ist {c}" for a, b, c in itertools.product(("Das", "Ein"), ("Haus", "Buch"), ("alt.", "neu."))]


def translated(sentence: str) -> str:
    """Word by word."""
    words = (WORDS[word.lower().rstrip(".")] + "." * word.endswith(".") for word in sentence.split())
    return " ".join(words).capitalize()


def write_bitext(folder, times=6):
    """Files text.de and text.en; their paths."""
    lines = SENTENCES * times
    (folder / "text.de").write_text("".join(f"{line}\n" for line in lines))
    (folder / "text.en").write_text("".join(f"{translated(line)}\n" for line in lines))
    return str(folder / "text.de"), str(folder / "text.en")


# As in multilingual BERT, except for the numbers.
WORDPIECE_SPECIALS = ["[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# English, German, French, Czech, Russian, Greek, Arabic, Hebrew, Hindi, Chinese, Japanese, Korean, Vietnamese.
LINES = [
    "The quick brown foxes aren't jumping over 3.14 lazy dogs, they said.",
    "Die Straße führt über große Brücken; Kaffeetassen stehen daneben.",
    "L'été dernier, nous étions à la plage — c'était déjà l'automne…",
    "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    "Съешь же ещё этих мягких французских булок, да выпей чаю.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.",
    "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر",
    "דג סקרן שט בים מאוכזב ולפתע מצא חברה",
    "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश।",
    "我们今天去北京,明天回上海。",
    "いろはにほへと ちりぬるを 東京の天気は晴れです。",
    "키스의 고유조건은 입술끼리 만나야 하고",
    "Con đường này dẫn đến trường đại học Hà Nội.",
]
WORDPIECE_SIZES = {
    "encoder_layers": 2,
    "encoder_embed_dim": 32,
    "encoder_ffn_embed_dim": 64,
    "encoder_attention_heads": 2,
    "max_positions": 128,
    "layer_norm_eps": 1e-12,
}


def train_symbols(lines, lowercase=False, size=400):
    """The lines of a ``vocab.txt`` with pieces of this text."""
    import tokenizers

    made = tokenizers.BertWordPieceTokenizer(lowercase=lowercase)
    made.train_from_iterator(
        lines, vocab_size=size, min_frequency=1, special_tokens=WORDPIECE_SPECIALS, show_progress=False
    )
    return sorted(made.get_vocab(), key=made.get_vocab().__getitem__)


def encoder_state(dictionary, tokenizer, sizes, noise=0.0, **model):
    """The content of a checkpoint with an untrained encoder; ``noise`` makes biases and layer norms matter."""
    torch.manual_seed(0)
    encoder = Encoder(EncoderConfig(vocab_size=dictionary.embedding_size, **sizes))
    move(encoder, noise)
    return {
        "args": None,
        "cfg": {"model": Namespace(**model, **sizes), "task": {"_name": "xalign_pretraining", "data": "data-bin"}},
        "model": {f"encoder.{key}": value for key, value in encoder.state_dict().items()},
        "task_state": {"tokenizer": tokenizer_state(dictionary, tokenizer)},
    }


def write_bert(path, symbols):
    """The state of a checkpoint of this package with an untrained encoder like BERT's."""
    state = encoder_state(*from_vocabulary(symbols, lowercase=False), WORDPIECE_SIZES)
    torch.save(state, path)
    return state


def sentencepiece_model(lines, **options):
    """The bytes of a sentencepiece model of these lines; ``options`` are the trainer's."""
    model = io.BytesIO()
    settings = {"hard_vocab_limit": False, "minloglevel": 2, "num_threads": 1, **options}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=model, **settings)
    return model.getvalue()
