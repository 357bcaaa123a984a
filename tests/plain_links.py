"""Links between tokens by plain loops: those of each pair, and the words that they join."""


def by_pair(links, pairs):
    """The links (i, j) of each of so many pairs, from :class:`~xalign_fairseq.transport.token_links.TokenLinks`."""
    found = [[] for _ in range(pairs)]
    for pair, i, j, _ in zip(*(column.tolist() for column in links), strict=True):
        found[pair].append((i, j))
    return found


def joined_words(links, src_words, tgt_words):
    """The word links of one pair: words are linked if two of their tokens are; -1 is the word of tokens of no word."""
    words = {(int(src_words[i]), int(tgt_words[j])) for i, j in links}
    return {link for link in words if -1 not in link}
