"""A small vocabulary of BERT's kind, trained on text of several scripts, and checkpoints with it."""

import torch

from xalign_fairseq.data.tokenizers.wordpiece import from_vocabulary
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import tokenizer_state

SPECIALS = ["[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]  # as in multilingual BERT, but for the numbers
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
SIZES = {
    "encoder_layers": 2, "encoder_embed_dim": 32, "encoder_ffn_embed_dim": 64, "encoder_attention_heads": 2,
    "max_positions": 128, "layer_norm_eps": 1e-12,
}  # fmt: skip


def train_symbols(lines, lowercase=False, size=400):
    """The lines of a ``vocab.txt`` with pieces of this text."""
    import tokenizers

    made = tokenizers.BertWordPieceTokenizer(lowercase=lowercase)
    made.train_from_iterator(lines, vocab_size=size, min_frequency=1, special_tokens=SPECIALS, show_progress=False)
    return sorted(made.get_vocab(), key=made.get_vocab().__getitem__)


def write_bert(path, symbols):
    """A checkpoint of this package with an untrained encoder like BERT's; its state."""
    dictionary, settings = from_vocabulary(symbols, lowercase=False)
    torch.manual_seed(0)
    encoder = Encoder(EncoderConfig(vocab_size=dictionary.embedding_size, **SIZES))
    state = {
        "cfg": {"model": SIZES},
        "model": {f"encoder.{key}": value for key, value in encoder.state_dict().items()},
        "task_state": {"tokenizer": tokenizer_state(dictionary, settings)},
    }
    torch.save(state, path)
    return state
