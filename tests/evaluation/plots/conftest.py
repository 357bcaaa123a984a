import pytest


@pytest.fixture
def figures(request, monkeypatch):
    """The figures that the module under test would save."""
    kept = []
    module = f"xalign_fairseq.evaluation.plots.{request.path.stem.removeprefix('test_')}"
    monkeypatch.setattr(f"{module}.save", lambda figure, path, **_: kept.append(figure))
    return kept
