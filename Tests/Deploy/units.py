"""The units of systemd, as its own tools judge them."""

import os
import re

from skipping import need

UNITS = ["parleyd.service", "parley-unfurl.service"]


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
    for name, program in zip(UNITS, [ctx.parleyd, ctx.parley_unfurl]):
        text = unit(ctx, name)
        _, defaults, _ = await ctx.run(program, "--print-defaults")
        drain = int(re.search(r"drain:.*?timeout_ms: (\d+)|drain\.timeout_ms: (\d+)",
                              defaults.decode(), re.DOTALL).group(0).split(": ")[-1])
        assert int(value(text, "TimeoutStopSec")) * 1000 >= drain + 10_000, name
        assert value(text, "Type") == "notify" and int(value(text, "WatchdogSec")) > 0, name
        assert value(text, "RestartPreventExitStatus") == "78", name


async def test_shipped_settings_are_valid(ctx):
    """The settings that the package installs pass the check that the units begin with, and the
    variables of its environment file are settings."""
    for program, name in [(ctx.parleyd, "parley"), (ctx.parley_unfurl, "parley-unfurl")]:
        path = os.path.join(ctx.files, "etc/parley", f"{name}.yaml")
        status, output, errors = await ctx.run(program, "--config", path, "--check-config")
        assert status == 0, errors.decode()
    with open(os.path.join(ctx.files, "etc/parley/parley.env"), encoding="utf-8") as file:
        names = re.findall(r"^#?(PARLEY_\w+)=", file.read(), re.MULTILINE)
    assert names
    environment = {name: "x" * 40 for name in names}
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
