"""The Debian package in a clean Debian."""

from installing import installs_and_serves
from roots import Root


async def test_the_package_installs_and_serves(ctx):
    """In a clean Debian it installs with what it depends on, makes its user, and serves as that user
    with the files beneath it read-only; an upgrade and a removal keep settings and messages, and a
    purge leaves nothing."""
    await installs_and_serves(ctx, await Root.make(ctx))
