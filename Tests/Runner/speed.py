"""How fast the machine is at the moment: the factor by which tests lengthen the limits of their waits."""

import os
import random
import threading
import time
import zlib

# The time that the work below takes on a quiet machine of two cores at 3 GHz.
REFERENCE_SECONDS = 0.5
REPETITIONS = 10
WORK = bytes(random.Random(1).choices(b"abcdefghijklmnopqrstuvwxyz      ", k=1 << 20))


def work():
    # zlib runs without the interpreter's lock, so that the threads use all cores.
    for _ in range(REPETITIONS):
        zlib.compress(WORK, 6)


def measure():
    """The seconds that each core takes for the same work, all cores at once."""
    threads = [threading.Thread(target=work) for _ in range(os.cpu_count() or 1)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - started


def patience(seconds):
    """The factor for the limits of waits: 1 on a machine at least as fast as the reference.

    Twice the slowness, since a machine that others use becomes slower while the tests run."""
    slowness = seconds / REFERENCE_SECONDS
    return 1 if slowness <= 1.25 else round(2 * slowness, 1)


def current():
    """The factor at the moment."""
    return patience(measure())
