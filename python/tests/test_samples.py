"""The programs of samples/python print what they printed when they were written."""

import importlib.util
import subprocess
import sys

import pytest
import support

SAMPLES = sorted((support.ROOT / "samples" / "python").glob("*.py"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_sample(sample):
    if "import matplotlib" in sample.read_text(encoding="utf-8") and not importlib.util.find_spec("matplotlib"):
        pytest.skip("SKIPPED: matplotlib is not installed")
    result = subprocess.run(
        [sys.executable, "-W", "error", sample], cwd=support.ROOT, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == sample.with_suffix(".out").read_text(encoding="utf-8")


def test_there_are_samples():
    assert len(SAMPLES) >= 5
