"""Runs the tests of what is in Deploy: run.py --package FILE [--only TEXT] [--test ID] [--roots DIRECTORY].

The programs are taken out of the Debian package. Runs the tests that its parts can, and says in a
sentence why it passes others over.
"""

import contextlib
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "Outside"))

from harness import Context  # noqa: E402
from suite import Suite, main  # noqa: E402

# These need neither a clean Debian nor other services.
QUICK = ["packaged", "manifests", "machine"]
MODULES = ["units", "supervised", "proxied", "clustered", "watching", *QUICK, "clean", "image", "booted"]
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


def newest(path):
    """The path of a package, which may be named by its directory."""
    if not os.path.isdir(path):
        return os.path.abspath(path)
    packages = glob.glob(os.path.join(os.path.abspath(path), "parley_*.deb"))
    if not packages:
        sys.exit(f"There is no package in {path}: run Scripts/package-debian.")
    return max(packages, key=os.path.getmtime)


class DeploySuite(Suite):
    """Tests of the Debian package and of the files for deployment."""

    description = __doc__
    required = ["package"]
    # Packages of Debian are downloaded for some.
    limit = 900
    longest_message = 1_500
    package = files = None

    def add_options(self, parser):
        parser.add_argument(
            "--package", metavar="PATH", help="the Debian package, or a directory whose newest package is taken")
        parser.add_argument(
            "--roots", metavar="DIRECTORY", help="where a clean root is kept from one run to the next")
        parser.add_argument(
            "--quick", action="store_true", help=f"run {' and '.join(QUICK)}, which need no clean root")

    def modules(self, options):
        return QUICK if options.quick else MODULES

    def every_module(self):
        return MODULES

    @contextlib.contextmanager
    def prepared(self, options):
        with tempfile.TemporaryDirectory(prefix="parley-deploy-") as self.files:
            # Other users than this one run the programs too.
            os.chmod(self.files, 0o755)
            self.package = newest(options.package)
            subprocess.run(["dpkg-deb", "--extract", self.package, self.files], check=True)
            yield

    def context_key(self, test):
        return None

    async def begin(self, options, key):
        return DeployContext(self.package, self.files, options.roots)


if __name__ == "__main__":
    sys.exit(main(DeploySuite()))
