"""Masking of tokens for MLM, TLM and denoising (Devlin et al. 2019; fairseq's exact count)."""

from dataclasses import dataclass

import numpy as np

from xalign_fairseq.core.errors import XalignError


@dataclass(frozen=True)
class MaskOptions:
    """Shares of masking, as in BERT: of the chosen tokens 80 % become ``<mask>``, 10 % stay, 10 % become random.

    Attributes:
        probability: share of tokens that are chosen; the count is floor(p * n + u) with one u ~ U[0, 1) a sequence.
        leave: share of the chosen tokens that do not change.
        random: share of the chosen that become a random token.
        specials: whether ``<s>``, ``</s>`` and ``<unk>`` can be chosen, as in the released code; here by default not.
        vocab: number of ids; random tokens are drawn from [4, vocab) without ``<mask>``.
    """

    mask: int
    vocab: int
    probability: float = 0.15
    leave: float = 0.1
    random: float = 0.1
    specials: bool = False
    pad: int = 1

    def __post_init__(self) -> None:
        shares = {"mask_prob": self.probability, "leave_unmasked_prob": self.leave, "random_token_prob": self.random}
        for name, share in shares.items():
            if not 0 <= share <= 1:
                raise XalignError("a masking share is outside [0, 1]", parameter=name, found=share)
        if self.leave + self.random > 1:
            both = ("leave_unmasked_prob", "random_token_prob")
            found = f"{self.leave:g} + {self.random:g}"
            raise XalignError("the shares of masking sum to more than 1", parameter=both, found=found)


def mask_tokens(tokens: np.ndarray, rng: np.random.Generator, options: MaskOptions) -> tuple[np.ndarray, np.ndarray]:
    """Perturb a sequence.

    Returns:
        the perturbed ids (T,) and the targets (T,): the original id at chosen positions, ``pad`` elsewhere.

    Example::

        masked, targets = mask_tokens(tokens, np.random.default_rng((seed, epoch, index)), options)
    """
    eligible = np.arange(len(tokens)) if options.specials else np.flatnonzero(tokens > 3)
    count = int(options.probability * len(eligible) + rng.random())
    chosen = rng.permutation(eligible)[:count]
    masked = tokens.copy()
    targets = np.full_like(tokens, options.pad)
    targets[chosen] = tokens[chosen]
    fate = rng.random(len(chosen))
    masked[chosen[fate >= options.leave + options.random]] = options.mask
    randomised = chosen[fate < options.random]
    # Drawn from normal tokens only: ids 0 to 3 are special, and <mask> is skipped.
    drawn = rng.integers(4, options.vocab - 1, size=len(randomised))
    masked[randomised] = drawn + (drawn >= options.mask)
    return masked, targets
