"""fairseq's wheel without unneeded files, and stand-ins for large packages."""

import subprocess
import sys
import zipfile

import pytest


def test_fairseq_without_its_examples_is_the_rest_of_it(gpu_script, tmp_path):
    wheel = tmp_path / "fairseq_fixed-1-cp312-cp312-linux_x86_64.whl"
    files = {"fairseq/examples/a.py": "x", "fairseq/libnat.cpython-312.so": "x", "fairseq/models.py": "code"}
    record = "".join(f"{name},,1\n" for name in files)
    with zipfile.ZipFile(wheel, "w") as out:
        for name, text in {**files, "fairseq_fixed-1.dist-info/RECORD": record}.items():
            out.writestr(name, text)
    gpu_script("wheels").slim(wheel)
    with zipfile.ZipFile(wheel) as slim:
        assert slim.namelist() == ["fairseq/models.py", "fairseq_fixed-1.dist-info/RECORD"]
        assert slim.read("fairseq/models.py") == b"code"
        assert slim.read("fairseq_fixed-1.dist-info/RECORD") == b"fairseq/models.py,,1\n"


@pytest.mark.parametrize(
    "line", ["from sklearn import metrics", "from sklearn.metrics import f1_score", "from scipy.stats import pearsonr"]
)
def test_a_stand_in_is_imported_as_fairseq_does(gpu_script, tmp_path, line):
    wheels = gpu_script("wheels")
    paths = [str(wheels.stand_in(name, tmp_path)) for name in wheels.STAND_INS]
    code = f"import sys; sys.path[:0] = {paths}\n{line}\nfrom importlib.metadata import version as v\n"
    code += "assert v('scipy') == v('scikit-learn') == '0+stand.in'\n"
    code += "from scipy.stats import linregress\ntry: linregress(1)\nexcept ImportError as error: print(error)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert done.stdout == "scipy.stats.linregress needs scipy; this is a stand-in\n", done.stderr
