"""The Debian package in a Debian that systemd has booted, in a container of systemd's own."""

import asyncio
import os
import re
import secrets
import shutil

from harness import PATIENCE, Skipped
from installing import next_version
from roots import Root
from skipping import need

UNIT = """[Unit]
Description=Whether the package works
[Service]
Type=oneshot
ExecStart=/bin/bash -c 'bash /booted.sh >/booted.log 2>&1'
ExecStopPost=/bin/systemctl --no-block poweroff
"""


def drop_in(ctx):
    """The drop-in for port 443, as the documentation has it."""
    with open(ctx.source("Sources/Gateway/Gateway.docc/Deploying.md"), encoding="utf-8") as file:
        return re.search(r"```ini\n(\[Service\]\n.*?)```", file.read(), re.DOTALL).group(1)


async def boot(root):
    """Boots it until it turns itself off; what its console said."""
    # Where systemd runs already it wants to know of the container, elsewhere there is nobody to tell.
    scope = [] if os.path.isdir("/run/systemd/system") else ["--keep-unit"]
    process = await asyncio.create_subprocess_exec(
        need("systemd-nspawn"), "--directory", root.path, f"--machine=parley-{secrets.token_hex(4)}",
        "--register=no", *scope, "--console=pipe", "--private-network", "--quiet", "--boot",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT)
    try:
        async with asyncio.timeout(180 * PATIENCE):
            said, _ = await process.communicate()
    except TimeoutError:
        # Twice: the first asks it to turn itself off.
        for _ in range(2):
            process.terminate()
            await asyncio.sleep(1)
        await process.wait()
        said = b"it did not end"
    return said.decode(errors="replace")


async def test_the_package_lives_under_systemd(ctx):
    """In a booted Debian the package starts, reloads, is watched, drains, serves port 443, is
    upgraded and purged, with all that its units forbid forbidden."""
    need("systemd-nspawn")
    root = await Root.make(ctx)
    root.run("apt-get", "install", "--yes", "--no-install-recommends", *Root.BOOTED)
    os.remove(root.of("usr/sbin/policy-rc.d"))
    shutil.copy(ctx.package, root.of("parley.deb"))
    next_version(ctx, root)
    shutil.copy(ctx.source("Tests/Deploy/booted.sh"), root.of("booted.sh"))
    shutil.copy(ctx.source("Deploy/container/healthcheck"), root.of("healthcheck"))
    for name, text in [
            ("port443.conf", drop_in(ctx)), ("etc/systemd/system/booted.service", UNIT)]:
        with open(root.of(name), "w", encoding="utf-8") as file:
            file.write(text)
    wanted = root.of("etc/systemd/system/multi-user.target.wants")
    os.makedirs(wanted, exist_ok=True)
    os.symlink("../booted.service", os.path.join(wanted, "booted.service"))
    console = await boot(root)
    if not os.path.exists(root.of("booted.log")):
        raise Skipped(f"systemd does not boot in a container here ({console[-200:].strip()!r})")
    with open(root.of("booted.log"), encoding="utf-8") as file:
        log = file.read()
    failure = log.find("FAILED")
    assert log.endswith("all is well\n"), log[max(failure - 500, 0):]
