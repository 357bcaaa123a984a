"""The model on paper of many GPUs, by numbers worked by hand."""

import json

import pytest


@pytest.fixture
def scaling(script, monkeypatch):
    """The script with round numbers: 100 bytes a second within nodes of 8, 10 between them, a hop in a second."""
    module = script("scaling_model")
    for name, value in {"NVLINK": 100.0, "NETWORK": 10.0, "LATENCY": 1.0, "GRADIENT": 1, "BACKWARD": 0.5}.items():
        monkeypatch.setattr(module, name, value)
    return module


def test_a_sum_goes_by_rings_within_nodes_and_in_parts_between_them(scaling):
    assert scaling.all_reduce(800, 1) == 0
    assert scaling.all_reduce(800, 2) == 8  # 2 / 2 of it
    assert scaling.all_reduce(800, 8) == 14  # 2 * 7 / 8
    # Between 2 nodes each of 8 has 100 bytes: 2 * 1 / 2 of them in 10 s, and there and back in 2 s.
    assert scaling.all_reduce(800, 16) == 14 + 10 + 2
    assert scaling.all_reduce(800, 32) == 14 + 15 + 4


def test_what_hides_behind_the_backward_pass_costs_nothing(scaling):
    model = scaling.Model(embeddings=400, layers=800)  # on 8 GPUs 7 s and 14 s
    assert scaling.step(28.0, model, 8) == 28 + 7
    assert scaling.step(20.0, model, 8) == 20 + 7 + 4
    assert scaling.step(20.0, model, 1) == 20


@pytest.mark.parametrize(("embeddings", "layers", "time"), [(400, 800, 63.0), (0, 800, 9 * 14 / 5.5)])
def test_the_step_that_is_needed_has_the_efficiency(scaling, embeddings, layers, time):
    model = scaling.Model(embeddings, layers)
    assert scaling.needed(model, 8) == pytest.approx(time)
    assert time / scaling.step(time, model, 8) == pytest.approx(0.9)


def test_the_parameters_of_base_are_xlm_r_s(script):
    model = script("scaling_model").model_of("base")
    assert model.embeddings == 250_002 * 769
    assert model.embeddings + model.layers == pytest.approx(278.3e6, rel=1e-3)
    assert model.operations == pytest.approx(6 * (model.layers + 0.15 * model.embeddings))


def test_table_and_picture_with_and_without_a_measurement(script, tmp_path, capsys):
    scaling = script("scaling_model")
    scaling.main(["--out", str(tmp_path)])
    text = (tmp_path / "scaling.md").read_text()
    assert text in capsys.readouterr().out and "not measured" in text and text.count("\n| ") >= 9
    assert "efficiency" not in text and (tmp_path / "scaling.png").read_bytes().startswith(b"\x89PNG")
    rows = [{"arch": "base", "contestant": name, "batches": {"tokens": 8000.0}, "tokens_per_second": [speed, 0, 0]}
            for name, speed in (("fairseq", 10.0), ("xalign, XLM-Align", 40000.0))]  # fmt: skip
    (tmp_path / "training-cuda.json").write_text(json.dumps({"rows": rows}))
    scaling.main(["--out", str(tmp_path)])
    text = (tmp_path / "scaling.md").read_text()
    assert "200 ms for 8,000 tokens" in text and "efficiency" in text
    model = scaling.model_of("base")
    assert f"| {8000 * 8 / scaling.step(0.2, model, 8):,.0f} |" in text
