"""Roots that a package can be installed into: a clean Debian, and a copy of this machine."""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess

from harness import Skipped
from skipping import need


def release():
    with open("/etc/os-release", encoding="utf-8") as file:
        return re.search(r"^VERSION_CODENAME=(\w+)$", file.read(), re.MULTILINE).group(1)


class Root:
    """A clean Debian, which is copied for each test from one that is made once."""

    # What makes it one that can be booted.
    BOOTED = ["systemd", "systemd-sysv"]

    def __init__(self, path):
        self.path = path

    @classmethod
    async def make(cls, ctx):
        debootstrap = need("debootstrap")
        if os.geteuid() != 0:
            raise Skipped("only root can make a clean root")
        if ctx.roots is None:
            raise Skipped("no directory is named for clean roots")
        os.makedirs(ctx.roots, exist_ok=True)
        # One that was made for other packages is of no use.
        packages = hashlib.sha256(" ".join([*cls.libraries(), *cls.BOOTED]).encode()).hexdigest()
        clean = os.path.join(ctx.roots, f"{release()}-{packages[:12]}")
        # Tests that run at the same time have one clean root in common.
        with open(os.path.join(ctx.roots, "lock"), "w", encoding="ascii") as lock:
            await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_EX)
            for name in os.listdir(ctx.roots):
                if name.startswith(release()) and os.path.join(ctx.roots, name) != clean:
                    shutil.rmtree(os.path.join(ctx.roots, name))
            if not os.path.isdir(clean):
                await cls._bootstrap(debootstrap, clean)
        path = os.path.join(ctx.directory(), "root")
        subprocess.run(["cp", "--archive", "--reflink=auto", clean, path], check=True)
        # What is thrown away need not reach the disk.
        with open(f"{path}/etc/dpkg/dpkg.cfg.d/unsafe", "w", encoding="ascii") as settings:
            settings.write("force-unsafe-io\n")
        return cls(path)

    @staticmethod
    async def _bootstrap(debootstrap, clean):
        unfinished = clean + ".unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        made = await asyncio.to_thread(
            subprocess.run, [debootstrap, "--variant=minbase", release(), unfinished],
            capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise Skipped(f"debootstrap failed ({(made.stdout + made.stderr)[-200:].strip()!r})")
        # Nothing is started in a root that is only looked into.
        with open(f"{unfinished}/usr/sbin/policy-rc.d", "w", encoding="ascii") as policy:
            policy.write("#!/bin/sh\nexit 101\n")
        os.chmod(f"{unfinished}/usr/sbin/policy-rc.d", 0o755)
        # What the package depends on is Debian's: kept here, so that the next run needs no network.
        for packages in [Root.libraries(), Root.BOOTED]:
            subprocess.run(
                ["chroot", unfinished, "apt-get", "install", "--yes", "--download-only",
                 "--no-install-recommends", *packages], check=True, capture_output=True,
                env=Root.environment())
        os.rename(unfinished, clean)

    @staticmethod
    def libraries():
        return ["libcurl4", "libhiredis0.14", "libidn2-0", "libpq5", "libpsl5", "libsqlite3-0", "libssl3",
                "libstdc++6", "liburing2", "libyaml-0-2", "zlib1g", "ca-certificates", "init-system-helpers",
                "systemd-standalone-sysusers"]

    @staticmethod
    def environment():
        return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive",
                "LC_ALL": "C.UTF-8"}

    def of(self, name):
        return os.path.join(self.path, name)

    def run(self, *command):
        done = subprocess.run(
            ["chroot", self.path, *command], capture_output=True, text=True, check=False,
            env=self.environment())
        assert done.returncode == 0, f"{command}: {(done.stdout + done.stderr)[-1200:]}"
        return done.stdout

    def install(self, package):
        shutil.copy(package, self.of("parley.deb"))
        self.run("apt-get", "install", "--yes", "--no-install-recommends", "/parley.deb")


class MachineCopy(Root):
    """This machine's files, with all changes in memory: it needs no clean Debian."""

    @classmethod
    @contextlib.asynccontextmanager
    async def mounted(cls, ctx):
        if os.geteuid() != 0:
            raise Skipped("only root can copy this machine")
        place = ctx.directory()
        root = os.path.join(place, "root")
        try:
            cls._mount("-t", "tmpfs", "changes", place)
            for name in ("upper", "work", "root"):
                os.mkdir(os.path.join(place, name))
            cls._mount("-t", "overlay", "-o", f"lowerdir=/,upperdir={place}/upper,workdir={place}/work",
                       "machine", root)
            # The devices of a machine are no part of its files.
            cls._mount("--bind", "/dev", f"{root}/dev")
            copy = cls(root)
            copy.prepare()
            yield copy
        finally:
            subprocess.run(["umount", "--recursive", place], check=False, capture_output=True)

    @staticmethod
    def _mount(*words):
        done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Skipped(f"this machine cannot be copied: {done.stderr.strip()}")

    def prepare(self):
        """Starts no service, waits for no disk, and knows no package of ours."""
        with open(self.of("usr/sbin/policy-rc.d"), "w", encoding="ascii") as policy:
            policy.write("#!/bin/sh\nexit 101\n")
        os.chmod(self.of("usr/sbin/policy-rc.d"), 0o755)
        with open(self.of("etc/dpkg/dpkg.cfg.d/unsafe"), "w", encoding="ascii") as settings:
            settings.write("force-unsafe-io\n")
        if os.path.exists(self.of("var/lib/dpkg/info/parley.list")):
            self.run("dpkg", "--purge", "parley")
