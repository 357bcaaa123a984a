import numpy as np
import pytest

pytest.importorskip("matplotlib")

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.plots import embeddings as module
from xalign_fairseq.evaluation.plots.embeddings import Panel, neighbourhoods, plane, plot_embeddings, project


def test_a_plane_is_found_again_with_its_distances():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(9, 2)) * [3, 1]
    axes, _ = np.linalg.qr(rng.normal(size=(7, 7)))
    found, kept = plane(flat @ axes[:2] + 5)
    distances = [np.linalg.norm(points[:, None] - points, axis=2) for points in (flat, found)]
    assert np.allclose(*distances) and kept == pytest.approx(1)
    assert found[:, 0].var() > found[:, 1].var()
    assert np.allclose(found.mean(0), 0)


def test_the_share_of_the_variance_and_the_sign():
    vectors = np.array([[3.0, 0, 0], [-3, 0, 0], [0, 2, 0], [0, -2, 0], [0, 0, 1], [0, 0, -1]])
    found, kept = plane(vectors)
    assert kept == pytest.approx((18 + 8) / (18 + 8 + 2))
    assert np.allclose(found, vectors[:, :2])  # not mirrored
    assert np.allclose(plane(vectors[::-1])[0], vectors[::-1, :2])
    for few in (np.zeros((2, 4)), np.ones((4, 1)), np.arange(3.0)[:, None]):  # less than two dimensions
        found, kept = plane(few)
        assert found.shape == (len(few), 2) and np.isfinite(found).all() and kept == pytest.approx(1)


def test_words_of_a_pair_are_joined_and_every_word_is_written_once(figures):
    rng = np.random.default_rng(0)
    pairs = [("the", "der"), ("the", "die"), ("$5$", "_^{")]
    panels = [Panel(f"number {k}", rng.normal(size=(3, 4)), rng.normal(size=(3, 4))) for k in range(4)]
    panels[1].src[1] = panels[1].src[0]
    plot_embeddings(pairs, panels, "unused.png")
    [figure] = figures
    assert len(figure.axes) == 4
    axes = figure.axes[1]
    assert axes.get_title().startswith("number 1\n")
    assert [text.get_text() for text in axes.texts] == ["the", "$5$", "der", "die", "_^{"]
    points, _ = plane(np.concatenate([panels[1].src, panels[1].tgt]))
    first, _ = plane(np.concatenate([panels[0].src, panels[0].tgt]))
    points *= np.sign((points * first).sum(0))
    drawn = [np.asarray(line.get_xydata()) for line in axes.lines]
    assert np.allclose(drawn, [[points[k], points[3 + k]] for k in range(3)])
    assert {line.get_linestyle() for line in axes.lines} == {":"}


def test_panels_are_not_mirrored(figures):
    src, tgt = np.random.default_rng(1).normal(size=(2, 5, 6))
    plot_embeddings([("a", "b")] * 5, [Panel("one", src, tgt), Panel("two", -src, -tgt)], "unused.png")
    assert np.allclose(*[[line.get_xydata() for line in axes.lines] for axes in figures[0].axes])


def test_neighbours_stay_neighbours_and_the_picture_is_the_same_again():
    rng = np.random.default_rng(0)
    vectors = np.repeat(9 * rng.normal(size=(4, 6)), 6, axis=0) + 0.1 * rng.normal(size=(24, 6))
    found = neighbourhoods(vectors)
    assert found.shape == (24, 2) and np.array_equal(found, neighbourhoods(vectors))
    distances = np.linalg.norm(found[:, None] - found, axis=2) + 1e9 * np.eye(24)
    assert (distances.argmin(1) // 6 == np.arange(24) // 6).all()


def test_a_panel_names_its_projection(monkeypatch):
    src, tgt = np.random.default_rng(0).normal(size=(2, 5, 6))
    points, said = project(Panel("a", src, tgt, "t-SNE"))
    assert np.array_equal(points, neighbourhoods(np.concatenate([src, tgt]))) and said == "t-SNE"
    assert "of the variance" in project(Panel("a", src, tgt))[1]
    with pytest.raises(XalignError, match=r"unknown projection[\s\S]*UMAP[\s\S]*PCA or t-SNE"):
        project(Panel("a", src, tgt, "UMAP"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(XalignError, match="t-SNE needs scikit-learn"):
        project(Panel("a", src, tgt, "t-SNE"))


def test_words_are_apart_from_their_translations_and_inside_the_frame(figures):
    src, tgt = np.array([[0.0, 0.0], [10.0, 3.0]]), np.array([[0.0, 1.0], [10.0, 2.0]])
    module._draw(
        axes := module.new_figure(3, 3).add_subplot(), "", [("a", "x"), ("b", "y")], np.concatenate([src, tgt])
    )
    places = {text.get_text(): (text.get_ha(), text.get_position()[1]) for text in axes.texts}
    assert places == {"a": ("left", -9), "x": ("left", 3), "b": ("right", 3), "y": ("right", -9)}
