"""Delta debugging: the smallest tree that still shows what it showed."""
import time


def shrink(tree, fails, seconds=120.0):
    """tree.smaller() gives the candidates, fails(candidate) says whether the difference is still there.
    Ends when no candidate fails any more, or after so many seconds; returns the tree and how many were tried."""
    end = time.monotonic() + seconds
    tried = 0
    skip = 0
    while True:
        went_on = False
        for number, candidate in enumerate(tree.smaller()):
            if number < skip:                   # was tried with a tree hardly larger
                continue
            if time.monotonic() > end:
                return tree, tried
            tried += 1
            if fails(candidate):
                tree = candidate
                skip = number
                went_on = True
                break
        if not went_on:
            if skip == 0:
                return tree, tried
            skip = 0                            # once more from the beginning, to be sure
