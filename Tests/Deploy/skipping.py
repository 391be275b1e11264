"""Passing over what a machine can't test."""

import shutil

from harness import Skipped


def need(program):
    """The program's path; skips the test without it."""
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")
    if path is None:
        raise Skipped(f"{program} is not installed")
    return path
