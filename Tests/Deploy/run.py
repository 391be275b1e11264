"""Runs the tests of what is in Deploy: run.py --package FILE [--only NAME] [--roots DIRECTORY].

The programs are taken out of the Debian package. Runs the tests that its parts can, and says in a
sentence why it passes others over.
"""

import argparse
import asyncio
import importlib
import inspect
import os
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "Outside"))

from harness import PATIENCE, Context  # noqa: E402
from skipping import Skipped  # noqa: E402

MODULES = ["units", "supervised", "proxied", "clustered", "watching", "packaged", "booted"]
PROGRAMS = ["parleyd", "parley", "parley-unfurl"]


class DeployContext(Context):
    """What a test is given: the package, its files, and where clean roots may be kept."""

    def __init__(self, package, files, roots):
        super().__init__([os.path.join(files, "usr/bin", name) for name in PROGRAMS], [])
        self.package, self.files, self.roots = package, files, roots

    @staticmethod
    def source(path):
        """The path of a file of the repository."""
        return os.path.normpath(os.path.join(HERE, os.pardir, os.pardir, path))


def tests_of(module):
    found = [
        (name, value) for name, value in vars(module).items()
        if name.startswith("test_") and inspect.iscoroutinefunction(value)]
    return sorted(found, key=lambda item: item[1].__code__.co_firstlineno)


async def run(context, name, test):
    started = time.monotonic()
    sentence = " ".join((test.__doc__ or name).split())
    try:
        async with asyncio.timeout(300 * PATIENCE):
            await test(context)
    except Skipped as reason:
        print(f"skip {name}: {sentence} Not run: {reason}.", flush=True)
        return None
    except Exception as failure:
        frames = traceback.extract_tb(failure.__traceback__)[-4:]
        place = " < ".join(f"{os.path.basename(f.filename)}:{f.lineno}" for f in reversed(frames))
        print(f"FAIL {name}: {sentence}\n     {type(failure).__name__}: {str(failure)[:1500]}"
              f"\n     at {place}", flush=True)
        return False
    finally:
        await context.tidy()
    print(f"ok   {name}: {sentence} ({time.monotonic() - started:.1f} s)", flush=True)
    return True


async def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", required=True, help="the Debian package")
    parser.add_argument("--roots", help="where a clean root is kept from one run to the next")
    parser.add_argument("--only", default="", help="tests or modules whose name has this in it")
    options = parser.parse_args()
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="parley-deploy-") as files:
        # Other users than this one run the programs too.
        os.chmod(files, 0o755)
        subprocess.run(["dpkg-deb", "--extract", options.package, files], check=True)
        context = DeployContext(os.path.abspath(options.package), files, options.roots)
        try:
            for module_name in MODULES:
                module = importlib.import_module(module_name)
                for name, test in tests_of(module):
                    if options.only in f"{module_name}.{name}":
                        outcomes.append(await run(context, f"{module_name}.{name}", test))
        finally:
            await context.close()
    passed, failed = outcomes.count(True), outcomes.count(False)
    print(f"{passed} passed, {failed} failed, {outcomes.count(None)} not run")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
