"""Several servers: the proxies' examples before two gateways, and the compose file's settings."""

import asyncio
import os
import re
import shutil

import yaml
from harness import eventually, reserved_port
from proxied import HAProxy, Nginx, logging_to, open_client, replaced, serves
from skipping import need

SERVERS = ["10.0.0.11", "10.0.0.12", "10.0.0.13"]


class NginxBeforeTwo(Nginx):
    """nginx with the example of a cluster, one of whose servers is not there."""

    @staticmethod
    def configure(ctx, place, port, gateways, silence):
        with open(ctx.source("Deploy/nginx/parley-cluster.conf"), encoding="utf-8") as file:
            example = file.read()
        # The single server's example stands for the rest of the configuration.
        command = Nginx.configure(ctx, place, port, 1, silence)
        servers = [(f"server {host}:8080 ", f"server 127.0.0.1:{own} ")
                   for host, own in zip(SERVERS, [*gateways, reserved_port()])]
        example = replaced(example, [
            *servers, ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
            ("/etc/nginx/parley/chain.pem", f"{place}/chain.pem"),
            ("/etc/nginx/parley/key.pem", f"{place}/key.pem"), *logging_to(place)])
        path = f"{place}/nginx.conf"
        with open(path, encoding="utf-8") as file:
            whole = file.read()
        head = whole[:whole.index("# nginx in front of")]
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{head}\n{example}\n}}\n")
        return command


class HAProxyBeforeTwo(HAProxy):
    """HAProxy with the example of a cluster, one of whose servers is not there."""

    @staticmethod
    def configure(ctx, place, port, gateways, silence):
        with open(ctx.source("Deploy/haproxy/parley-cluster.cfg"), encoding="utf-8") as file:
            example = file.read()
        servers = [(f"chat{number + 1} {host}:8081", f"chat{number + 1} 127.0.0.1:{own}")
                   for number, (host, own) in enumerate(zip(SERVERS, [*gateways, reserved_port()]))]
        example = replaced(example, [
            *servers, ("bind :443 ssl crt /etc/haproxy/parley.pem",
                       f"bind 127.0.0.1:{port} ssl crt {place}/both.pem"),
            ("log /dev/log local0", "log stdout format raw local0"),
            ("maxconn 200000", "maxconn 500"), ("check inter 1s", "check inter 50ms")])
        path = f"{place}/haproxy.cfg"
        with open(path, "w", encoding="utf-8") as file:
            file.write(example)
        return [need("haproxy"), "-db", "-f", path]


class UncheckingHAProxy(HAProxyBeforeTwo):
    """HAProxy with the same example before two servers, of which it does not notice that one drains."""

    @staticmethod
    def configure(ctx, place, port, gateways, silence):
        command = HAProxyBeforeTwo.configure(ctx, place, port, gateways, silence)
        with open(command[-1], encoding="utf-8") as file:
            example = replaced(file.read(), [("check inter 50ms", "check inter 10m")])
        with open(command[-1], "w", encoding="utf-8") as file:
            file.write(re.sub(r"\n    server chat3 .*", "", example))
        return command


async def before_two(ctx, kind):
    """Connections are spread; a server that drains gets no new ones and keeps those it has until it closes
    them; one that is gone is passed over."""
    ports = [reserved_port(), reserved_port()]
    servers = [await ctx.fresh(*kind.flags(port), "--auth-mode", "open") for port in ports]
    proxy = await kind.start(ctx, ports)
    try:
        await serves(proxy)
        clients = [await open_client(ctx, proxy, f"user-{n}") for n in range(8)]

        async def held(server):
            _, page = await server.api("GET", "/parley/sessions")
            return {session["user_id"] for session in page["sessions"]}
        first, second = [await held(server) for server in servers]
        assert first and second and len(first | second) == 8, (first, second)
        ending = asyncio.create_task(servers[0].end())
        for client in clients:
            if client.user_id in first:
                await client.event("server.draining")
                assert await client.ended() == 1001
        assert await ending == 0
        assert all(client.closed is None for client in clients if client.user_id in second)

        async def again():
            for number in range(4):
                await open_client(ctx, proxy, f"again-{number}")
            return True
        await eventually(again, "new sessions on the server that is left")
        assert {f"again-{n}" for n in range(4)} <= await held(servers[1])
    finally:
        await proxy.stop()


async def test_nginx_before_several_servers(ctx):
    """nginx spreads clients over servers, and leaves out one that drains or is gone."""
    await before_two(ctx, NginxBeforeTwo)


async def test_haproxy_before_several_servers(ctx):
    """HAProxy does so too."""
    await before_two(ctx, HAProxyBeforeTwo)


async def test_haproxy_sends_no_client_to_a_draining_server(ctx):
    """A client that a draining server refuses is served by another one at once."""
    kind = UncheckingHAProxy
    ports = [reserved_port(), reserved_port()]
    servers = [await ctx.fresh(*kind.flags(port), "--auth-mode", "open") for port in ports]
    proxy = await kind.start(ctx, ports)
    try:
        clients = [await open_client(ctx, proxy, f"user-{n}") for n in range(8)]
        _, page = await servers[0].api("GET", "/parley/sessions")
        leaving = {session["user_id"] for session in page["sessions"]}
        assert leaving
        ending = asyncio.create_task(servers[0].end())
        for client in clients:
            if client.user_id in leaving:
                await client.event("server.draining")
        for number in range(12):
            await open_client(ctx, proxy, f"again-{number}")
        assert await ending == 0
        for number in range(4):
            await open_client(ctx, proxy, f"later-{number}")
    finally:
        await proxy.stop()


async def checked(ctx, settings=None, environment=None):
    flags = []
    if settings:
        path = os.path.join(ctx.directory(), "offered.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(settings)
        flags = ["--config", path]
    status, _, errors = await ctx.run(
        ctx.parleyd, *flags, "--check-config", environment=environment)
    assert status == 0, (settings, errors.decode())


async def test_settings_for_several_servers(ctx):
    """The settings that the proxies' examples ask for are valid."""
    for name in ("haproxy/parley-cluster.cfg", "nginx/parley-cluster.conf"):
        with open(ctx.source(f"Deploy/{name}"), encoding="utf-8") as file:
            offered = re.findall(r"^#   (\w+: .*)$", file.read(), re.MULTILINE)
        assert len(offered) >= 3, name
        await checked(ctx, "\n".join(offered))


async def test_the_compose_file(ctx):
    """Each of its three servers has valid settings of a cluster, with the environment of the image, and
    stops later than a drain ends; a compose client accepts the file where there is one."""
    place = os.path.join(ctx.directory(), "compose")
    shutil.copytree(ctx.source("Deploy/compose"), place)
    example = os.path.join(place, "cluster.env.example")
    shutil.copy(example, os.path.join(place, "cluster.env"))
    with open(example, encoding="utf-8") as file:
        secrets = dict(re.findall(r"^(\w+)=(.+)$", file.read(), re.MULTILINE))
    with open(os.path.join(place, "compose.yaml"), encoding="utf-8") as file:
        compose = yaml.safe_load(file)
    with open(ctx.source("Deploy/container/Containerfile"), encoding="utf-8") as file:
        image = dict(re.findall(r"\b(PARLEY_\w+)=(\S+)", file.read()))
    servers = {name: service for name, service in compose["services"].items()
               if service["image"] == "parley"}
    assert len(servers) == 3 and len({s["hostname"] for s in servers.values()}) == 3
    assert len({s["volumes"][0] for s in servers.values()}) == 3
    for service in servers.values():
        own = {**image, **secrets, **service["environment"]}
        settings = {name: value for name, value in own.items() if name.startswith("PARLEY_")}
        await checked(ctx, environment=settings)
        assert {"PARLEY_STORE_URL", "PARLEY_CLUSTER_BUS"} <= set(settings)
        assert int(service["stop_grace_period"].rstrip("s")) >= 40
    database = secrets["PARLEY_STORE_URL"]
    for name in ("POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"):
        assert secrets[name] in database, name
    mounted = compose["services"]["proxy"]["volumes"][0].split(":")[0]
    with open(os.path.join(place, mounted), encoding="utf-8") as file:
        names = re.findall(r"^    server \w+ (\w+):8081$", file.read(), re.MULTILINE)
    assert names == list(servers)
    docker = shutil.which("docker")
    if docker and (await ctx.run(docker, "compose", "version"))[0] == 0:
        status, _, errors = await ctx.run(docker, "compose", "config", "--quiet", directory=place)
        assert status == 0, errors.decode()
