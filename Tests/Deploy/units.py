"""The units of systemd, as its own tools judge them."""

import os
import re
import signal

from harness import Server, UnfurlService
from skipping import need

DAEMONS = ["parleyd.service", "parley-unfurl.service"]
UNITS = [*DAEMONS, "parley-backup.service"]


def unit(ctx, name):
    with open(os.path.join(ctx.files, "lib/systemd/system", name), encoding="utf-8") as file:
        return file.read()


def value(text, key):
    return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)[-1]


async def test_units_are_valid(ctx):
    """systemd-analyze finds nothing wrong in the units, whose programs are where the package puts
    them."""
    analyze = need("systemd-analyze")
    place = ctx.directory()
    for name in UNITS:
        # Installed they are below /; here the programs are below the unpacked package.
        text = unit(ctx, name).replace("=/usr/bin/", f"={ctx.files}/usr/bin/")
        path = os.path.join(place, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        status, output, errors = await ctx.run(analyze, "verify", "--man=no", path)
        about_us = [line for line in (output + errors).decode().splitlines() if "parley" in line]
        assert status == 0 and not about_us, (name, status, about_us)


async def test_units_are_locked_down(ctx):
    """systemd-analyze rates the exposure of either unit 2.0 or better of 10."""
    analyze = need("systemd-analyze")
    for name in UNITS:
        path = os.path.join(ctx.files, "lib/systemd/system", name)
        status, output, errors = await ctx.run(
            analyze, "security", "--offline=true", "--threshold=20", "--no-pager", path)
        assert status == 0, (name, output.decode()[-300:], errors.decode())


async def test_units_fit_the_settings(ctx):
    """systemd waits longer than a drain takes, and asks for signs of life."""
    for name, program in zip(DAEMONS, [ctx.parleyd, ctx.parley_unfurl]):
        text = unit(ctx, name)
        _, defaults, _ = await ctx.run(program, "--print-defaults")
        drain = int(re.search(r"drain:.*?timeout_ms: (\d+)|drain\.timeout_ms: (\d+)",
                              defaults.decode(), re.DOTALL).group(0).split(": ")[-1])
        assert int(value(text, "TimeoutStopSec")) * 1000 >= drain + 10_000, name
        assert value(text, "Type") == "notify" and int(value(text, "WatchdogSec")) > 0, name
        assert value(text, "RestartPreventExitStatus") == "78", name
        # A unit that is given up stays down when what it missed is back.
        assert value(text, "StartLimitIntervalSec") == "0" and "StartLimitBurst" not in text, name
        assert value(text, "Restart") == "on-failure" and int(value(text, "RestartSec")) >= 1, name


async def test_shipped_settings_are_valid(ctx):
    """The settings that the package installs are valid, those it offers in comments too, and the
    variables of its environment file are settings."""
    for program, name in [(ctx.parleyd, "parley"), (ctx.parley_unfurl, "parley-unfurl")]:
        path = os.path.join(ctx.files, "etc/parley", f"{name}.yaml")
        status, output, errors = await ctx.run(program, "--config", path, "--check-config")
        assert status == 0, errors.decode()
    with open(os.path.join(ctx.files, "etc/parley/parley.env"), encoding="utf-8") as file:
        names = re.findall(r"^#?(PARLEY_\w+)=", file.read(), re.MULTILINE)
    assert names
    environment = {name: "x" * 40 for name in names}
    environment["PARLEY_STORE_URL"] = "postgresql://db.internal/parley"
    status, _, errors = await ctx.run(ctx.parleyd, "--check-config", environment=environment)
    assert status == 0, errors.decode()
    with open(os.path.join(ctx.files, "etc/parley/parley.yaml"), encoding="utf-8") as file:
        offered = file.read()
    blocks = re.findall(r"^# proxy:\n(?:#   .*\n)+", offered, re.MULTILINE)
    assert len(blocks) == 2
    for block in blocks:
        settings = "".join(line[2:] + "\n" for line in block.splitlines())
        path = os.path.join(ctx.directory(), "offered.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(settings)
        status, _, errors = await ctx.run(ctx.parleyd, "--config", path, "--check-config")
        assert status == 0, (settings, errors.decode())


async def test_kernel_settings_exist(ctx):
    """Every kernel setting of the example is one that this kernel knows, unless it may be absent."""
    with open(ctx.source("Deploy/sysctl/60-parley.conf"), encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    for line in lines:
        name = line.split("=")[0].strip()
        if not name.startswith("-"):
            assert os.path.exists("/proc/sys/" + name.replace(".", "/")), name


async def allowed_calls(ctx, analyze):
    """The system calls that the units' filter lets through, as systemd lists its groups."""
    sets = {}

    async def members(group):
        if group not in sets:
            status, output, errors = await ctx.run(analyze, "syscall-filter", "--no-pager", group)
            assert status == 0, errors
            lines = [line.strip() for line in output.decode().splitlines()[1:]]
            sets[group] = set()
            for line in lines:
                if line.startswith("@"):
                    sets[group] |= await members(line)
                elif line and not line.startswith("#"):
                    sets[group].add(line)
        return sets[group]

    return await members("@default") | await members("@system-service") - (
        await members("@privileged"))


async def test_programs_keep_to_the_filter(ctx):
    """While clients talk, links are looked up and the server drains, neither program makes a system
    call that its unit's filter refuses."""
    analyze, strace = need("systemd-analyze"), need("strace")
    # Only the gateway has children that wall themselves in.
    walls = ["landlock_create_ruleset landlock_add_rule landlock_restrict_self"]
    for name, added in zip(DAEMONS, [walls, []], strict=True):
        assert re.findall(r"^SystemCallFilter=(.*)$", unit(ctx, name), re.MULTILINE) == [
            "@system-service", "~@privileged", *added,
            "~io_uring_setup io_uring_enter io_uring_register"]
    place = ctx.directory()
    traced = {}
    for program in [ctx.parleyd, ctx.parley_unfurl]:
        wrapper = os.path.join(place, os.path.basename(program))
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{strace}" -D -f -qq -o "{wrapper}.calls" "{program}" "$@"\n')
        os.chmod(wrapper, 0o755)
        traced[program] = wrapper
    service = await UnfurlService.launch(traced[ctx.parley_unfurl], [])
    ctx.running.append(service)
    server = await Server.start(
        traced[ctx.parleyd], ctx.directory(), ["--unfurl-mode", "http", "--unfurl-url", service.url])
    ctx.running.append(server)
    channel, owner, other = await ctx.room(server, 1)
    await owner.send(channel, "see https://nowhere.invalid/ and 192.0.2.1")
    await other.event("message.received")
    await server.get("/metrics")
    server.process.send_signal(signal.SIGHUP)
    assert await server.end() == 0 and await service.end() == 0
    # A ring is asked for at the start, and done without where it is refused.
    allowed = await allowed_calls(ctx, analyze)
    if os.geteuid() == 0:
        # As root alone, SQLite gives its files to whom the database belongs to.
        allowed.add("fchown")
    # bubblewrap is tried at the start too, and done without where it is refused.
    of_children = {*walls[0].split(), "pivot_root", "mount", "umount2", "capset"}
    for program, wrapper in traced.items():
        with open(f"{wrapper}.calls", encoding="utf-8", errors="replace") as file:
            made = set(re.findall(r"^\d+\s+(\w+)\(", file.read(), re.MULTILINE))
        refused = made - allowed - (of_children if program == ctx.parleyd else set())
        assert len(made) > 20 and not refused, refused
