import resource
import signal

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import convert, new_model
from xalign_fairseq.encoder.vocabulary import load_tokenizer


@pytest.fixture
def full_disk():
    """The function that limits the bytes of a file."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def limit(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))

    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("name", ["model.pt", "folder"])
def test_written_models_can_be_read(transfer_encoder, tmp_path, name):
    state, where = read_pretrained(transfer_encoder)
    with new_model(tmp_path / name) as save:
        save(state, where)
    again, _ = read_pretrained(tmp_path / name)
    body = [key for key in state["model"] if key.startswith("encoder.sentence_encoder.")]
    assert body and all(again["model"][key].equal(state["model"][key]) for key in body)
    with pytest.raises(XalignError, match="already exists"), new_model(tmp_path / name):
        pytest.fail("nothing is begun")
    with new_model(tmp_path / name, overwrite=True) as save:
        save(state, where)


@pytest.mark.parametrize("name", ["model.safetensors", "model.PTH", "model.zip"])
def test_a_wrong_file_extension_is_refused(transfer_encoder, tmp_path, name):
    with pytest.raises(XalignError, match="unknown ending"), new_model(tmp_path / name):
        pytest.fail("nothing is begun")
    with pytest.raises(XalignError, match="unknown ending"):
        convert(transfer_encoder, tmp_path / name)


def test_a_half_precision_model_is_written_in_float32_and_stays_tied(transfer_encoder, tmp_path):
    state = read_pretrained(transfer_encoder)[0]
    embeddings = state["model"]["encoder.sentence_encoder.embed_tokens.weight"].half()
    model = {name: value.half() if value.is_floating_point() else value for name, value in state["model"].items()}
    ends = ("embed_tokens.weight", "lm_head.weight")
    model |= {name: embeddings for name in model if name.endswith(ends)}
    torch.save({**state, "model": model}, tmp_path / "half.pt")
    convert(tmp_path / "half.pt", tmp_path / "whole.pt")
    found = torch.load(tmp_path / "whole.pt", weights_only=False)["model"]
    tied = [value for name, value in found.items() if name.endswith(ends)]
    assert len(tied) == 2 and tied[0].data_ptr() == tied[1].data_ptr() and tied[0].dtype == torch.float32


@pytest.mark.parametrize("name", ["model.pt", "folder"])
def test_a_full_disk_leaves_nothing(transfer_encoder, tmp_path, full_disk, name):
    state, where = read_pretrained(transfer_encoder)
    # Every command also reports an OSError for the last bytes, when the file is closed.
    with pytest.raises((XalignError, OSError), match="File too large"), new_model(tmp_path / name) as save:
        full_disk(20_000)
        save(state, where)
    full_disk(resource.RLIM_INFINITY)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def trained(tmp_path, folder):
    """A checkpoint in half precision after a training, of the XLM-R."""
    convert(folder, tmp_path / "first.pt")
    state = checkpoint.read(tmp_path / "first.pt")
    del state["training_record"]
    state["model"] = {name: value.half() for name, value in state["model"].items()}
    state["model"]["heads.dwa.steps"] = torch.tensor(7)
    state |= {
        "optimizer_history": [{"num_updates": 40}],
        "last_optimizer_state": {"exp_avg": torch.ones(1000)},
        "extra_state": {"best": 0.25},
    }
    path = tmp_path / "trained.pt"
    torch.save(state, path)
    return path


def test_a_checkpoint_keeps_what_a_new_training_needs(trained, tmp_path):
    config = convert(trained, tmp_path / "out.pt")
    before, after = checkpoint.read(trained), checkpoint.read(tmp_path / "out.pt")
    assert (config.encoder_layers, config.encoder_embed_dim, config.max_positions) == (3, 24, 20)
    assert after.keys() == {"cfg", "model", "task_state", "training_record"}
    assert after["cfg"] == before["cfg"] and after["training_record"]["updates"] == 40
    assert before["model"].keys() == after["model"].keys()
    for name, value in before["model"].items():
        expected = torch.int64 if name == "heads.dwa.steps" else torch.float32
        assert after["model"][name].dtype == expected and torch.equal(after["model"][name], value.to(expected))


@pytest.mark.parametrize("kind", ["XLMRobertaForMaskedLM", "BertForMaskedLM"])
def test_a_folder_reads_as_the_model_that_it_was_made_of(build, save, tmp_path, kind):
    given = save(build(kind))
    config = convert(given, tmp_path / "base")
    tokenizer_file = "sentencepiece.bpe.model" if kind.startswith("XLM") else "wordpiece.json"
    assert sorted(path.name for path in (tmp_path / "base").iterdir()) == ["dict.txt", "model.pt", tokenizer_file]
    state = checkpoint.read(tmp_path / "base/model.pt")
    del state["task_state"]["tokenizer"]  # the files next to it are enough
    (tmp_path / "base/model.pt").unlink()  # its weights are mapped into memory
    torch.save(state, tmp_path / "base/model.pt")
    (before, at), (after, beside) = read_pretrained(given), read_pretrained(tmp_path / "base")
    assert all(torch.equal(value, after["model"][name]) for name, value in before["model"].items())
    ours = load_tokenizer(before, config.vocab_size, where=at)
    again = load_tokenizer(after, config.vocab_size, where=beside)
    for line in ("The red house", "Кошка спит", "ﬁrst floor…"):
        assert again.encode(line) == ours.encode(line)
