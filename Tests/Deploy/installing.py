"""The life of the package in the root of a Debian: installed, upgraded, removed, purged."""

import asyncio
import os
import re
import subprocess

from harness import DEADLINE, http
from skipping import need


async def installs_and_serves(ctx, root):
    """Installs the package with what it depends on; it makes its user, and serves as that user with the files
    beneath it read-only. An upgrade and a removal keep settings and messages, and a purge leaves nothing."""
    root.install(ctx.package)
    user = root.run("getent", "passwd", "parley").split(":")
    data, settings = os.stat(root.of("var/lib/parley")), os.stat(root.of("etc/parley/parley.yaml"))
    assert int(user[2]) == data.st_uid != 0 and data.st_mode & 0o777 == 0o700
    assert settings.st_gid == int(user[3]) and settings.st_mode & 0o777 == 0o640
    assert os.stat(root.of("etc/parley/parley.env")).st_mode & 0o777 == 0o600
    await serve(ctx, root)
    assert os.path.exists(root.of("var/lib/parley/parley.sqlite"))
    await upgrade(ctx, root)
    await serve(ctx, root)
    root.run("dpkg", "--remove", "parley")
    assert not os.path.exists(root.of("usr/bin/parleyd"))
    assert os.path.exists(root.of("etc/parley/parley.yaml"))
    assert os.path.exists(root.of("var/lib/parley/parley.sqlite"))
    left = leave(root)
    root.run("dpkg", "--purge", "parley")
    assert not os.path.exists(root.of("etc/parley"))
    assert not os.path.exists(root.of("var/lib/parley"))
    assert not [path for path in left if os.path.lexists(path)], left
    assert os.path.exists(root.of("var/lib/parley-backups/backup"))


def leave(root):
    """Makes what a time with the audit log and the timer for backups leaves; a purge keeps the backups alone."""
    for directory in ("var/log/parley", "var/lib/parley-backups", "var/lib/systemd/timers",
                      "etc/systemd/system/timers.target.wants"):
        os.makedirs(root.of(directory), exist_ok=True)
    files = [root.of("var/log/parley/audit.log"),
             root.of("var/lib/systemd/timers/stamp-parley-backup.timer")]
    for path in [*files, root.of("var/lib/parley-backups/backup")]:
        with open(path, "w", encoding="utf-8") as file:
            file.write("a line\n")
    link = root.of("etc/systemd/system/timers.target.wants/parley-backup.timer")
    os.symlink("/lib/systemd/system/parley-backup.timer", link)
    return [*files, root.of("var/log/parley"), link]


async def upgrade(ctx, root):
    """Installs the package over itself, then its next version; what an administrator has changed
    stays."""
    settings = root.of("etc/parley/parley.yaml")
    with open(settings, "a", encoding="utf-8") as file:
        file.write("\nlog: {level: debug}\n")
    os.chmod(settings, 0o600)
    with open(settings, encoding="utf-8") as file:
        changed = file.read()
    data = fingerprint(root.of("var/lib/parley"))
    root.run("dpkg", "--install", "/parley.deb")
    next_version(ctx, root)
    root.run("dpkg", "--install", "/next.deb")
    assert "+next" in root.run("dpkg-query", "--show", "parley")
    with open(settings, encoding="utf-8") as file:
        assert file.read() == changed
    assert os.stat(settings).st_mode & 0o777 == 0o600
    assert fingerprint(root.of("var/lib/parley")) == data
    os.chmod(settings, 0o640)


def next_version(ctx, root):
    """Puts the package with a higher version into a root, as next.deb."""
    tree = os.path.join(ctx.directory(), "next")
    subprocess.run(["dpkg-deb", "--raw-extract", ctx.package, tree], check=True)
    subprocess.run(["sed", "-i", "s/^Version: .*/&+next/", f"{tree}/DEBIAN/control"], check=True)
    subprocess.run(
        ["dpkg-deb", "--build", "-Znone", tree, root.of("next.deb")], check=True,
        stdout=subprocess.DEVNULL)


def fingerprint(directory):
    """All files beneath a directory: owner, mode, content."""
    found = {}
    for place, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(place, name)
            state = os.stat(path)
            with open(path, "rb") as file:
                found[path] = (state.st_uid, state.st_mode, file.read())
    assert found
    return found


INSTALLED = ["/usr/bin/parleyd", "--config", "/etc/parley/parley.yaml"]
PORTS = ["--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:0"]


async def serve(ctx, root, command=tuple(INSTALLED), user="parley:parley", environment=None):
    """Runs the installed gateway with its installed settings, as its user, as a container would."""
    script = (
        'mount --bind "$1" "$1" && mount --bind "$1/var/lib/parley" "$1/var/lib/parley"'
        ' && mount -t proc proc "$1/proc" && mount -o remount,bind,ro "$1" && exec chroot --userspec="$0" "$@"')
    process = await asyncio.create_subprocess_exec(
        need("unshare"), "--mount", "sh", "-c", script, user, root.path, *command, *PORTS,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE, env=environment or root.environment())
    lines, port = [], None
    async with asyncio.timeout(DEADLINE):
        while line := (await process.stderr.readline()).decode():
            lines.append(line)
            if found := re.search(r"listening on ws://127\.0\.0\.1:(\d+)", line):
                port = int(found.group(1))
                break
    assert port, lines
    try:
        status, _, body = await http(port, "GET", "/healthz")
        assert (status, body) == (200, b"alive\n")
        assert (await http(port, "GET", "/readyz"))[0] == 200
        # What the container's file asks.
        healthcheck = ctx.source("Deploy/container/healthcheck")
        status, _, errors = await ctx.run("bash", healthcheck, str(port))
        assert status == 0, errors
    finally:
        process.terminate()
        async with asyncio.timeout(DEADLINE):
            rest = await process.stderr.read()
            code = await process.wait()
    assert code == 0, (code, rest)
    status, _, _ = await ctx.run("bash", ctx.source("Deploy/container/healthcheck"), str(port))
    assert status != 0
