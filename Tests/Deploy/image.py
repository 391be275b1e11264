"""The container image: made without a container engine, read by other programs, and run as far as that goes."""

import asyncio
import json
import os
import subprocess

from harness import Skipped
from installing import serve
from packaged import lists_what_it_is_made_of
from roots import Root
from skipping import need


async def done(*command):
    """Runs a program that may take minutes."""
    result = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command}: {(result.stdout + result.stderr)[-1500:]}"
    return result.stdout


async def test_the_image_runs(ctx):
    """Other programs read the image, and unpack it; its entry point serves as its user with its environment, with
    all files but the data read-only, passes the health check and ends when it is asked to."""
    if os.geteuid() != 0:
        raise Skipped("only root can run what an image has without a container engine")
    skopeo, umoci = need("skopeo"), need("umoci")
    need("mmdebstrap")
    place = ctx.directory()
    files = (await done(ctx.source("Scripts/release"), "--package", ctx.package, "--image", place)).split()
    image = next(file for file in files if file.endswith(".oci.tar"))
    lists_what_it_is_made_of(f"{image}.spdx.json", ["swift-runtime", "libssl3", "ffmpeg", "base-files"])
    config = json.loads(await done(skopeo, "inspect", "--config", f"oci-archive:{image}"))["config"]
    layers = json.loads(await done(skopeo, "inspect", "--raw", f"oci-archive:{image}"))["layers"]
    assert len(layers) == 2 and layers[1]["size"] < 40_000_000, layers
    layout = os.path.join(place, "layout")
    await done(skopeo, "copy", f"oci-archive:{image}", f"oci:{layout}:parley")
    await done(umoci, "unpack", "--image", f"{layout}:parley", os.path.join(place, "bundle"))
    with open(os.path.join(place, "bundle", "config.json"), encoding="utf-8") as file:
        process = json.load(file)["process"]
    assert process["user"]["uid"] == process["user"]["gid"] == 10001, process["user"]
    assert process["args"] == config["Entrypoint"] == ["parleyd"], process
    assert list(config["Volumes"]) == ["/var/lib/parley"] and config["StopSignal"] == "SIGTERM", config
    root = Root(os.path.join(place, "bundle", "rootfs"))
    for name in ("parley", "parley-files", "parley-keys"):
        state = os.stat(root.of(f"var/lib/{name}"))
        assert (state.st_uid, state.st_mode & 0o777) == (10001, 0o700), name
    environment = dict(setting.split("=", 1) for setting in process["env"])
    await serve(ctx, root, process["args"], "10001:10001", environment)
    assert os.path.exists(root.of("var/lib/parley/parley.sqlite"))
    _, version, _ = await ctx.run(ctx.parleyd, "--version")
    assert config["Labels"]["org.opencontainers.image.version"] == version.decode().split()[-1]
    # What decodes thumbnails, behind its walls.
    for program in ("vipsthumbnail", "ffmpeg", "bwrap"):
        root.run("sh", "-c", f"command -v {program}")
