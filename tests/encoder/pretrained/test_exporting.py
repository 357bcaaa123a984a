import json

import pytest
import tokenizers
import torch
import torch.nn.functional as F
import yaml
from support.huggingface_folders import BERT_SYMBOLS, POSITIONS, TEXT, UNSEEN, assert_same_logits, imported
from support.text import encoder_state

from xalign_fairseq.cli import main
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.model_proto import read_pieces
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.exporting import cut, export, model_card, write
from xalign_fairseq.encoder.pretrained.huggingface.families import XLM_R
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import dictionary_of_xlm_r
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.sentence_vectors import sentence_vectors
from xalign_fairseq.encoder.vocabulary import load_tokenizer

OPTIONS = {
    "encoder_layers": 2,
    "encoder_embed_dim": 16,
    "encoder_ffn_embed_dim": 32,
    "encoder_attention_heads": 2,
    "max_positions": 20,
}


@pytest.fixture
def own(spm):
    """The content of a checkpoint of this package, with a pointer."""
    model = spm.read_bytes()
    dictionary = dictionary_of_xlm_r([piece.text for piece in read_pieces(model)], spm)
    more = {"_name": "xalign_tiny", "dropout": 0.2, "init_checkpoint": "/home/me/base.pt"}
    state = encoder_state(dictionary, model, OPTIONS, noise=0.3, **more)
    state["cfg"]["criterion"] = {"_name": "xlm_align", "objectives": "mlm,dwa", "dwa_label_layer": 1}
    state["cfg"]["task"] = {"_name": "xalign_pretraining", "data": "/home/me/data-bin", "seed": 3}
    state["model"] |= {"heads.dwa.pointer.query.weight": torch.rand(16, 16), "heads.dwa.agreement": torch.tensor(0.5)}
    state["task_state"]["transfer"] = {"benchmark": "xnli"}
    return state


@pytest.fixture
def export_state(tmp_path):
    def run(state):
        torch.save(state, tmp_path / "model.pt")
        export(tmp_path / "model.pt", tmp_path / "out")
        return tmp_path / "out"

    return run


def auto(transformers, folder):
    """The model and the tokenizer of a folder, with no missing or unexpected names."""
    model, report = transformers.AutoModelForMaskedLM.from_pretrained(folder, output_loading_info=True)
    assert not any(report[kind] for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    return model.eval(), transformers.AutoTokenizer.from_pretrained(folder)


def assert_same_ids(theirs, ours, order, folder):
    """transformers 5 builds its tokenizers from parts of tokenizer.json; other programs read the file as it is."""
    whole = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    for text in [*([line] for line in TEXT + UNSEEN), ["The red", "house."], [f"The red {theirs.mask_token} house."]]:
        found, expected = whole.encode(*text), theirs(*text, return_token_type_ids=True)
        assert found.ids == expected["input_ids"] and found.type_ids == expected["token_type_ids"], text
        assert whole.decode(found.ids) == theirs.decode(found.ids, skip_special_tokens=True)
    for line in TEXT + UNSEEN:
        assert theirs(line)["input_ids"] == [order[0], *(order[i] for i in ours.encode(line)), order[2]], line


def test_a_checkpoint_of_ours_gives_the_same_logits_and_ids(transformers, own, export_state, make_tokens):
    folder = export_state(own)
    encoder, _ = checkpoint.load_encoder(own)
    model, tokenizer = auto(transformers, folder)
    assert type(model).__name__ == "XLMRobertaForMaskedLM"
    assert_same_logits(encoder, model, make_tokens(encoder.config.vocab_size))
    ours = load_tokenizer(own, encoder.config.vocab_size)
    assert_same_ids(tokenizer, ours, range(encoder.config.vocab_size), folder)
    assert tokenizer("a", "b")["input_ids"].count(tokenizer.sep_token_id) == 3
    assert tokenizer.model_max_length == 20 and model.config.hidden_dropout_prob == 0.2
    assert not model.roberta.embeddings.token_type_embeddings.weight.any()


@pytest.mark.parametrize("lowercase", [False, True])
def test_a_bert_after_a_round_trip(transformers, build, save, tmp_path, make_tokens, lowercase):
    model = build("BertForMaskedLM")
    first = save(model)
    (first / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": lowercase}))
    export(first, tmp_path / "out")
    again, tokenizer = auto(transformers, tmp_path / "out")
    assert type(again).__name__ == "BertForMaskedLM" and again.config.layer_norm_eps == 1e-12
    ids = make_tokens(len(BERT_SYMBOLS), specials=10, pad=0, begin=7, end=8)
    kept = model.bert.embeddings
    with torch.no_grad():
        mask = ids.ne(0).long()
        expected, found = (each(ids, attention_mask=mask).logits[mask.bool()] for each in (model, again))
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    words = again.bert.embeddings.word_embeddings.weight
    assert torch.equal(words, kept.word_embeddings.weight)  # in BERT's own order of ids
    types, before = again.bert.embeddings.token_type_embeddings.weight, kept.token_type_embeddings.weight
    assert not types[0].any() and torch.equal(types[1], before[1] - before[0])
    assert (tmp_path / "out/vocab.txt").read_bytes() == (first / "vocab.txt").read_bytes()
    state, encoder = imported(tmp_path / "out")
    ours = load_tokenizer(state, encoder.config.vocab_size)
    order = [7, 0, 8, 6, *(i for i in range(len(BERT_SYMBOLS)) if i not in (0, 6, 7, 8, 9)), 9]
    assert_same_ids(tokenizer, ours, order, tmp_path / "out")
    assert tokenizer("The red", "house.")["token_type_ids"].count(1) == len(ours.encode("house.")) + 1
    assert_same_logits(encoder, model, make_tokens(len(BERT_SYMBOLS)), order)


@pytest.mark.parametrize("types", [1, 2])
def test_a_pair_through_an_exported_bert(transformers, build, save, tmp_path, types):
    model = build("BertForMaskedLM")
    if types == 1:
        torch.nn.init.zeros_(model.bert.embeddings.token_type_embeddings.weight)
    export(save(model), tmp_path / "out")
    again, tokenizer = auto(transformers, tmp_path / "out")
    pair = tokenizer("The red", "house.", return_tensors="pt")
    assert pair["token_type_ids"].any()
    with torch.no_grad():
        torch.testing.assert_close(again(**pair).logits, model(**pair).logits, rtol=1e-4, atol=1e-4)
    assert ("`token_type_ids` change nothing" in (tmp_path / "out/README.md").read_text()) == (types == 1)


def test_heads_are_listed_in_the_card_if_there_are_any(own, export_state, tmp_path, caplog):
    own["task_state"]["lexicons"] = []
    folder = export_state(own)
    assert "not exported from" in caplog.text and "lexicons" in caplog.text
    assert "no place for (dwa)" in (folder / "README.md").read_text()
    own["model"] = {name: value for name, value in own["model"].items() if not name.startswith("heads.")}
    torch.save(own, tmp_path / "bare.pt")
    export(tmp_path / "bare.pt", tmp_path / "bare")
    assert not (tmp_path / "bare/xalign_heads.safetensors").exists()
    assert "no place for" not in (tmp_path / "bare/README.md").read_text()


def test_language_embeddings_are_refused(own, export_state, tmp_path):
    own["cfg"]["model"].language_embeddings = "en,de"
    own["model"]["encoder.sentence_encoder.embed_languages.weight"] = torch.zeros(2, 16)
    with pytest.raises(XalignError, match="no language embeddings"):
        export_state(own)
    assert not (tmp_path / "out").exists()


SENTENCES = ["the red house is big", "a cat sees dogs", "run"]


def vectors(path, layer, pooling):
    """Sentence vectors of length 1."""
    state, where = read_pretrained(path)
    encoder, _ = checkpoint.load_encoder(state, where)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=where)
    return F.normalize(sentence_vectors(encoder, tokenizer, SENTENCES, layer, pooling=pooling), dim=1)


@pytest.mark.parametrize(("layer", "pooling"), [(-1, "mean"), (2, "mean"), (1, "cls")])
def test_the_library_gives_the_same_vectors(folder, tmp_path, layer, pooling):
    library = pytest.importorskip("sentence_transformers", reason="pip install sentence-transformers")
    export(folder, tmp_path / "st", pooling=pooling, layer=layer)
    model = library.SentenceTransformer(str(tmp_path / "st"), device="cpu")
    theirs = model.encode(SENTENCES, convert_to_tensor=True)
    torch.testing.assert_close(theirs, vectors(folder, layer, pooling), rtol=1e-4, atol=1e-5)
    assert model.max_seq_length == POSITIONS


@pytest.mark.parametrize(("layer", "pooling"), [(3, "mean"), (2, "cls")])
def test_the_layer_is_the_last_of_the_folder(folder, tmp_path, layer, pooling):
    out = tmp_path / "st"
    options = ["--sentence-transformers", pooling, "--layer", str(layer)]
    assert main(["export-hf", "--model", str(folder), "--out", str(out), *options]) == 0
    assert json.loads((out / "config.json").read_text())["num_hidden_layers"] == layer
    torch.testing.assert_close(vectors(out, -1, pooling), vectors(folder, layer, pooling))
    modes = json.loads((out / "1_Pooling/config.json").read_text())
    assert modes["word_embedding_dimension"] == 24
    assert [name for name, given in modes.items() if given is True] == [
        f"pooling_mode_{'mean_tokens' if pooling == 'mean' else 'cls_token'}"
    ]
    kinds = [each["type"].rpartition(".")[2] for each in json.loads((out / "modules.json").read_text())]
    assert kinds == ["Transformer", "Pooling", "Normalize"]


def test_unknown_poolings_and_layers_are_refused(folder, tmp_path, capsys):
    with pytest.raises(XalignError, match="unknown pooling"):
        write(tmp_path, None, "max")
    assert main(["export-hf", "--model", str(folder), "--out", str(tmp_path / "st"), "--layer", "2"]) == 2
    assert "--sentence-transformers" in capsys.readouterr().err
    with pytest.raises(XalignError, match="no such layer"):
        export(folder, tmp_path / "st", pooling="mean", layer=9)
    with pytest.raises(XalignError, match="at least one layer"):
        export(folder, tmp_path / "st", pooling="mean", layer=0)


CONFIG = EncoderConfig(vocab_size=250_002)
RECORD = {
    "started from": "model.pt",
    "objectives": {"tlm": 1.0, "dwa": 0.5},
    "updates": 1000,
    "best on development data": {"aer": 0.25},
    "seed": 3,
    "data": {"en-de": 24_000, "no": 600},
}


def test_the_card():
    card = model_card("my-aligner", XLM_R, CONFIG, ["heads.dwa.pointer.query.weight"], RECORD)
    head, _, body = card.removeprefix("---\n").partition("\n---\n")
    front = yaml.safe_load(head)
    assert front["language"] == ["de", "en", "no"] and front["library_name"] == "transformers"
    assert "word-alignment" in front["tags"]
    assert "# my-aligner" in body and 'AutoModelForMaskedLM.from_pretrained("my-aligner")' in body
    assert "a vocabulary of 250,002, and texts of up to 512 tokens" in body
    assert "| objectives | tlm: 1, dwa: 0.5 |" in body and "| updates | 1,000 |" in body
    assert "| data | en-de: 24,000, no: 600 |" in body and "| seed | 3 |" in body
    cited = body[body.index("## Citation") :]
    assert "```bibtex\n@software{xalign_fairseq," in cited
    assert all(name in cited for name in ("Conneau and Lample (2019)", "Chi et al. (2021)", "Conneau et al. (2020)"))
    assert "Pan et al." not in cited and "Devlin" not in cited
    assert "token_type_ids" not in card  # XLM-R's has one type


def test_a_paper_of_several_objectives_is_cited_once_and_an_unknown_objective_not_at_all():
    card = model_card("m", XLM_R, CONFIG, [], {"objectives": {"l2_align": 1.0, "linear_mapping": 1.0, "own": 1.0}})
    assert card.count("Wu and Dredze (2020)") == 1
    assert card.count("](https://") == 2  # and the architecture's


def test_a_cut_encoder_has_no_heads_and_no_layers_of_the_whole_one():
    body = "encoder.sentence_encoder.layers"
    state = {"model": {f"{body}.{i}.fc1.bias": i for i in range(3)} | {"heads.dwa.x": 1, "encoder.lm_head.bias": 2}}
    state["task_state"] = {"family": "e5-small", "labelling": {"layers": (3,)}, "tokenizer": {}}
    assert cut(state, 2)["task_state"] == {"tokenizer": {}}
    assert cut(state, 2)["model"].keys() == {f"{body}.0.fc1.bias", f"{body}.1.fc1.bias", "encoder.lm_head.bias"}
