"""The names of methods and their options, without heavy imports."""

# The fused operators identify a filter by its position here.
FILTERS = ("itermax", "argmax", "union", "itermax-paper")
METHODS = {  # with their options
    "transport": ("filter", "rounds", "alpha", "iterations", "mu", "order"),
    "argmax": (),
    "itermax": ("rounds", "alpha"),
    "match": (),
    "softmax": ("threshold",),
    "grow": ("temperature", "threshold", "growth"),
    "released": ("iterations",),
    "scored": ("scorer", "threshold"),
}
OWN = "own"  # the method stored in the model, otherwise its family's
ONE_LAYER_METHODS = tuple(name for name in METHODS if name != "scored")
COMPARED_METHODS = ("transport", "argmax", "itermax", "softmax", "grow")  # default; match needs SciPy
ORDERS = ("columns-first", "rows-first")  # the first is the default, as in the released code
BACKENDS = ("auto", "reference", "cpu", "cuda")
ENCODINGS = ("joint", "separate")
SIMILARITIES = ("hidden", "pointer")
WORD_POOLINGS = ("first", "mean")  # a word's vector: of its first token, or the mean of its tokens
SENTENCE_POOLINGS = ("mean", "cls")
POINTER_STARTS = ("random", "identity")
