"""What bounds the labelling: the verdicts, and a profile on the CPU."""

import pytest


@pytest.fixture
def profile(script):
    return script("sinkhorn_profile")


@pytest.mark.parametrize(
    ("whole", "device", "what"),
    [(40.0, 18.0, "bound by the host"), (120.0, 118.0, "by the memory"), (200.0, 195.0, "k")],
)
def test_what_bounds_a_call(profile, whole, device, what):
    parts = [profile.Part("fused<64>", 1, device, 0.0), profile.Part("aten::amax", 1, 0.0, 5.0)]
    said = "\n".join(profile.verdict(parts, whole, 95.0, "cuda"))
    assert f"{whole:.1f} us" in said and f"{device:.1f} us in 1 kernels" in said and what in said
    assert len(profile.verdict(parts, whole, 95.0, "cpu")) == 1


def test_a_profile_of_a_tiny_batch_on_the_cpu(profile, tmp_path):
    text = profile.write("cpu", tmp_path, quick=True)
    assert (tmp_path / "sinkhorn-profile-cpu.txt").read_text() == text
    assert "8 pairs, n = 8, bfloat16:" in text and "xalign::sinkhorn_links" in text and "aten::amax" not in text
