"""The manifests for Kubernetes, as kubectl makes them of the folders."""

import os
import re
import shutil

import kubernetes_validate
import yaml

from skipping import need

VERSION = "1.32"


async def made(ctx, name):
    """The resources of a folder with the secrets of its example, by kind."""
    kubectl = need("kubectl")
    place = os.path.join(ctx.directory(), "kubernetes")
    shutil.copytree(ctx.source("Deploy/kubernetes"), place)
    folder = os.path.join(place, name)
    shutil.copy(os.path.join(folder, "secrets.env.example"), os.path.join(folder, "secrets.env"))
    status, output, errors = await ctx.run(kubectl, "kustomize", folder)
    assert status == 0, errors.decode()
    return list(yaml.safe_load_all(output))


def image_settings(ctx):
    with open(ctx.source("Deploy/container/Containerfile"), encoding="utf-8") as file:
        return dict(re.findall(r"\b(PARLEY_\w+)=(\S+)", file.read()))


def settings_of(ctx, container, folder):
    """The settings with which the server starts in a pod."""
    own = {entry["name"]: entry.get("value", "parley-0") for entry in container["env"]}
    with open(ctx.source(f"Deploy/kubernetes/{folder}/secrets.env.example"), encoding="utf-8") as file:
        secrets = dict(re.findall(r"^(\w+)=(.+)$", file.read(), re.MULTILINE))
    assert set(own).isdisjoint(secrets), "a setting is given twice"
    return {**image_settings(ctx), **secrets, **own}


async def holds(ctx, folder, replicas):
    resources = await made(ctx, folder)
    for resource in resources:
        kubernetes_validate.validate(resource, VERSION, strict=True)
    kinds = {resource["kind"]: resource for resource in resources}
    assert set(kinds) == {"Secret", "Service", "StatefulSet", "PodDisruptionBudget", "Ingress"}, list(kinds)
    workload = kinds["StatefulSet"]["spec"]
    assert workload["replicas"] == replicas
    pod = workload["template"]["spec"]
    (container,) = pod["containers"]
    settings = settings_of(ctx, container, folder)
    status, _, errors = await ctx.run(ctx.parleyd, "--check-config", environment=settings)
    assert status == 0, errors.decode()
    # Longer than the drain.
    assert pod["terminationGracePeriodSeconds"] >= 40
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports == {"http": 8080, "operations": 9464}
    for probe, path in (("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")):
        assert container[probe]["httpGet"] == {"path": path, "port": "http"}, probe
    for service in (resource for resource in resources if resource["kind"] == "Service"):
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= set(ports)
        assert service["spec"]["selector"].items() <= workload["template"]["metadata"]["labels"].items()
    mounted = {volume["mountPath"] for volume in container["volumeMounts"]}
    assert {settings["PARLEY_DATA_DIR"], "/tmp"} <= mounted and container["securityContext"]["readOnlyRootFilesystem"]
    if keys := settings.get("PARLEY_FILES_MASTER_KEYS"):
        assert os.path.dirname(keys) in mounted
    return settings


async def test_one_server(ctx):
    """Valid resources, whose server has valid settings, with the ports and the paths that probes ask."""
    await holds(ctx, "single", 1)


async def test_several_servers(ctx):
    """The same for three servers, which have the settings of a cluster."""
    settings = await holds(ctx, "cluster", 3)
    assert {"PARLEY_STORE_URL", "PARLEY_CLUSTER_BUS", "PARLEY_CLUSTER_SERVER_NAME"} <= set(settings)
