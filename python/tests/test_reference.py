"""The reference of the package has all that is public, each with words of its own."""

import subprocess
import sys

import carom
import support


def test_reference(tmp_path):
    command = [sys.executable, "-B", "-W", "error", support.ROOT / "tools" / "make_python_reference"]
    result = subprocess.run([*command, tmp_path / "out.md"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    text = (tmp_path / "out.md").read_text(encoding="utf-8")
    for name in carom.__all__:
        assert f"### {name}" in text, name
    for name in ("`set_parameters(", "`failed`: Array.", "`model`: Model. ", "default 1e-6", "## carom.gym"):
        assert name in text, name
