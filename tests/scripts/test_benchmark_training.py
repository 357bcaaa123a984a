"""The contestants of the benchmark of training."""

from dataclasses import replace

import pytest

from xalign_fairseq.core.errors import XalignError


@pytest.fixture
def setting(script, databin):
    return script("training_batches").Setting("tiny", "float32", "cpu", 256, str(databin), 1, 1)


@pytest.mark.slow
def test_all_begin_with_the_same_loss_of_the_same_batches(script, setting, transformers):
    contestants = script("training_contestants")
    names = ("fairseq", "xalign, MLM + TLM", "transformers")
    made = {name: contestants.CONTESTANTS[name](setting) for name in names}
    require = script("benchmark_training").require_equal_losses
    losses = {name: each.first_loss() for name, each in made.items()}
    require(losses)
    # A missing mask is detected.
    [parts] = made["transformers"].samples
    parts[1]["attention_mask"][:, -3:] = False
    with pytest.raises(XalignError, match="losses differ"):
        require({**losses, "transformers": made["transformers"].first_loss()})


def test_cuda_graphs_take_part_in_half_precision_on_a_gpu(script, setting):
    contestants = script("training_contestants")
    assert contestants.GRAPHS not in contestants.contestants_of(setting)
    gpu = replace(setting, device="cuda", dtype="bfloat16")
    assert contestants.contestants_of(gpu)[:3] == ["fairseq", "xalign, MLM + TLM", contestants.GRAPHS]
    assert contestants.GRAPHS not in contestants.contestants_of(replace(gpu, dtype="float32"))
    made = contestants.PROFILED[contestants.GRAPHS](setting)  # eager layers compute its first loss
    eager = contestants.CONTESTANTS["xalign, MLM + TLM"](setting)
    assert made.model.encoder.sentence_encoder.graphs and made.first_loss() == eager.first_loss()
