"""The Debian package on a copy of this machine, which needs no clean Debian."""

from installing import installs_and_serves
from roots import MachineCopy


async def test_the_package_installs_on_this_machine(ctx):
    """Beside all that this machine has it installs, serves, upgrades, and leaves nothing after a purge."""
    async with MachineCopy.mounted(ctx) as root:
        await installs_and_serves(ctx, root)
