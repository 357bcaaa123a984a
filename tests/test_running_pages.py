"""The pages work: their commands are run with the smaller sizes of this file.

tests/support/pages.py defines what is run; test_pages.py checks the other commands.
"""

from dataclasses import dataclass

import pytest
from support.pages import ROOT, run, script
from support.tiny_checkpoint import tiny_checkpoint, tiny_spm, tiny_state, tiny_text  # noqa: F401

from xalign_fairseq.encoder.pretrained.exporting import export

XLM_R = "FacebookAI/xlm-roberta-base"
XLM_R_EPS = "--layer-norm-eps 1e-5"
SIZES = "--encoder-layers 3 --encoder-embed-dim 16 --encoder-ffn-embed-dim 32 --encoder-attention-heads 2 "
SIZES += "--max-positions 64"
TINY = f"{SIZES} --dwa-layer 2 --dwa-label-layer 1 --cpu"
SAMPLE = """
xalign sample --out s --pairs 60 --valid 20 --test 20
for each in en de; do
  cp s/en-de/train.$each P.$each; cp s/en-de/valid.$each dev.$each; cp s/mono/train.$each mono.$each
done
sed -E 's/([0-9]+)([-p])([0-9]+)/\\3\\2\\1/g' s/en-de/valid.gold > dev.gold  # German first
"""


@dataclass(frozen=True)
class Smaller:
    """Changes to pages that run one after the other, shell code before and after, and expected output.

    $MODEL is a tiny model in XLM-R's format.
    """

    pages: tuple[str, ...]
    changes: dict[str, str]
    before: str = ""
    after: str = ""
    printed: tuple[str, ...] = ()
    sections: tuple[str, ...] = ("",)  # sections to run


SMALLER = {
    "README": Smaller(
        ("README.md",),
        {"--max-update 20000": f"--max-update 2 {TINY}", "--warmup-updates 1000": "--warmup-updates 1"},
        f"{SAMPLE} cp P.en text.en; cp P.de text.de; cp P.de text.fr; cp mono.en news.en; cp mono.de news.de\n"
        "echo 'The house is red.' > raw.en; echo '房子是红色的。' > raw.zh\n",
        "grep -q '<html' text.html; test -s raw.jsonl; [[ $(wc -l < text.links) == 60 ]]",
        ("(0, 0)",),
        ("Align", "Train"),
    ),
    "user_dir_docs": Smaller(
        ("user_dir_docs.md",),
        {
            "--pairs 2000": "--pairs 300 --valid 20 --test 20",
            "1000 --o": "600 --o",
            "--max-update 200": "--max-update 2",
        },
        after="[[ $(wc -l < test.links) == 20 ]]",
        printed=("\naer ", "base:hyp0,gold0"),
    ),
    "from_nothing": Smaller(
        ("docs/howto/from_nothing.md",),
        {
            "--pairs 20000 --seed 1 --valid 200 --test 200": "--pairs 300 --seed 1 --valid 20 --test 20",
            "--vocab-size 2000": "--vocab-size 600",
            "--max-update 1000": "--max-update 2",
            "--bootstrap 1000": "--bootstrap 10",
        },
        after="[[ $(wc -l < test.links) == 20 ]]; grep -q PNG pair.png",
        printed=("\naer ", "base:hyp0,gold0"),
    ),
    "try_a_recipe": Smaller(
        ("docs/howto/try_a_recipe.md",),
        {
            "--model e5-small": "--model $MODEL",
            "--encoder-embed-dim 384 --encoder-ffn-embed-dim 1536 --layer-norm-eps 1e-12": f"{SIZES} {XLM_R_EPS}",
            "SAVE_DIR base": "SAVE_DIR base --dwa-label-layer 2",
        },
        "rm examples; mkdir examples; cp -r $ROOT/examples/{ppa,xlm_align,common} examples\n",
        'grep -q "train_num_updates.: .2" SAVE_DIR/train.log',
    ),
    "own_model": Smaller(
        ("docs/howto/own_model.md", "docs/bench.md"),
        {
            "MODEL": "$MODEL",
            "--max-update 20000": f"--max-update 1 {TINY}",
            "--layer 8": "--layer 2",
            "xalign export-hf --model run --out onto --onto jhu-clsp/mmBERT-base": "",
            "e5-small": "$MODEL",
        },
        f"{SAMPLE} mkdir -p gold links/eflomal; for each in en de gold; do cp dev.$each gold/de-en.$each; done\n"
        "cp dev.gold links/eflomal/de-en.links\n",
        "test -s exported/model.safetensors; test -s sentences/modules.json",
    ),
    "reference": Smaller(
        ("docs/reference/from_bitext_alone.md", "docs/reference/segmentation.md", "docs/reference/hugging_face.md"),
        {'export_onnx(load_aligner("e5-small"': 'import os; export_onnx(load_aligner(os.environ["MODEL"]'},
        f"{SAMPLE} cp P.en all.en; cp P.de all.de\n",
        "test -s e5-onnx/encoder.onnx; cmp <(wc -l < all.links) <(wc -l < guided.links)",
    ),
    "train_aligner": Smaller(  # without training on gold, which takes minutes
        ("docs/reference/train_aligner.md",),
        {
            "train-aligner --src": "train-aligner --model $MODEL --updates 2 --src",
            "xalign train-aligner --best --src train.de --tgt train.en --out best": "",
            "--model best": "--model second",
            "xalign train-aligner --gold gold/en-cs.gold gold/ja-en.gold": "true",
            "xalign align --method scored": "true",
            "xalign align --model trained/encoder.npz": "true",
        },
        f"{SAMPLE} for each in en de; do cp P.$each train.$each; cp dev.$each test.$each; done\n",
        "[[ $(wc -l < test.links) == 20 ]]",
    ),
    "plain_torch": Smaller(
        ("docs/plain_torch.md",),
        {
            '"e5-small"': 'os.environ["MODEL"]',
            "import torch\n": "import os, torch\n",
            "range(20)": "range(2)",
            "max_steps=1000": "max_steps=2, logging_steps=1",
        },
        f"{SAMPLE} xalign prepare --tokenizer $MODEL --pair en-de --trainpref P --validpref dev --mono en=mono.en "
        "--out data-bin\n",
        "test -s aligned/model.safetensors",
        ("\nvalid ", "dwa_loss"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALLER)
def test_a_page_runs_with_smaller_sizes(name, tiny_checkpoint, tmp_path):  # noqa: F811
    """README's Chinese needs ICU; a tiny model in a hub's folder replaces its XLM-R."""
    case, hub = SMALLER[name], tmp_path / "hub"
    for needed in ("icu4py", "matplotlib", "transformers", "accelerate", "onnxruntime"):
        pytest.importorskip(needed)
    model = hub / f"models--{XLM_R.replace('/', '--')}" / "snapshots" / "0"
    hub.mkdir()
    export(tiny_checkpoint, model)
    code = "\n".join(script(ROOT / page, section) for page in case.pages for section in case.sections)
    for old, new in case.changes.items():
        assert old in code
        code = code.replace(old, new)
    variables = {"HF_HUB_CACHE": str(hub), "HF_HUB_OFFLINE": "1", "MODEL": str(model), "ROOT": str(ROOT)}
    printed = run(case.before + code + case.after, tmp_path, **variables)
    assert not [text for text in case.printed if text not in printed]


def test_every_page_that_is_run_has_commands():
    pages = [page for case in SMALLER.values() for page in case.pages]
    assert not [page for page in pages if "xalign" not in script(ROOT / page)]
