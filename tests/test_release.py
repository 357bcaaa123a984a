import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from xalign_fairseq import __version__

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SCHEMAS = {
    "citation-file-format": ["CITATION.cff"],
    "github-workflows": [".github/workflows/ci.yml", ".github/workflows/wheels.yml"],
    "github-issue-forms": [".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/request.yml"],
}


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_fit_their_schema(schema):
    pytest.importorskip("check_jsonschema")
    names = [name for name in SCHEMAS[schema] if (ROOT / name).is_file()]
    if not names:
        pytest.skip("a source distribution has no hidden files")
    run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", "--default-filetype", "yaml", *names)


def test_every_file_of_the_hosting_site_has_a_schema():
    found = {str(path.relative_to(ROOT)) for path in (ROOT / ".github").rglob("*.yml")}
    assert found <= {name for names in SCHEMAS.values() for name in names}


def test_the_dockerfile_has_no_warning():
    pytest.importorskip("check_jsonschema", reason="installed with hadolint by the extra test")
    run("hadolint", "scripts/release/Dockerfile")


def test_the_conda_recipe_has_the_packages_requirements():
    rattler = pytest.importorskip("rattler_build")
    variants = {"python": ["3.11.*", "3.13.*"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"]}
    recipe = rattler.Stage0Recipe.from_file(str(ROOT / "scripts/release/recipe.yaml"))
    rendered = [each.recipe.to_dict() for each in recipe.render(rattler.VariantConfig(variants))]
    assert len(rendered) == 2
    for each in rendered:
        assert each["package"] == {"name": "xalign-fairseq", "version": __version__}
        wanted = [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
        needs = [need.replace(" ", "").replace("pytorch", "torch") for need in each["requirements"]["run"]]
        assert sorted(needs) == sorted(wanted)


def test_the_address_of_the_repository_is_written_by_hand_in_one_place():
    address = PROJECT["urls"]["Repository"]
    tracked = subprocess.run(["git", "grep", "-lF", address], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode == 128:
        pytest.skip("not a git repository")
    assert set(tracked.stdout.split()) == {"pyproject.toml", "README.md", "CITATION.cff"}
    for name in ("README.md", "CITATION.cff"):
        text = (ROOT / name).read_text(encoding="utf-8")
        by_hand = re.sub(r"<!-- options:.*?<!-- end -->", "", text, flags=re.DOTALL)
        assert address in text and address not in by_hand
