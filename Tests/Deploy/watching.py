"""Prometheus' rules and Grafana's dashboard, against the metrics that there are."""

import json
import os
import re
import shutil

from skipping import need

WORDS = {
    "sum", "by", "rate", "histogram_quantile", "le", "instance", "outcome", "reason", "result",
    "changes", "and", "job", "label_values", "max", "min", "state", "increase", "max_over_time",
    "way", "name"}


async def metrics(ctx):
    """The names of all metrics of both programs."""
    names = {"up"}
    gateway = await ctx.fresh(
        "--unfurl-mode", "http", "--unfurl-url", "http://127.0.0.1:9/unfurl",
        "--push-web", "true", "--push-subject", "mailto:operator@example.com",
        "--audit-log", os.path.join(ctx.directory(), "audit.log"))
    for program in [gateway, await ctx.unfurl_service()]:
        _, _, body = await program.get("/metrics")
        names |= set(re.findall(r"^(\w+)(?:\{| )", body.decode(), re.MULTILINE))
    # A gateway that is alone has none of a cluster's; the page for operators names them.
    with open(ctx.source("Sources/Gateway/Gateway.docc/ScalingOut.md"), encoding="utf-8") as file:
        of_clusters = set(re.findall(r"`(parley_cluster_\w+)", file.read()))
    assert len(of_clusters) > 8 and not of_clusters & names
    # This one has no certificate and no tokens that expire.
    with open(ctx.source("Sources/Gateway/Gateway.docc/Operating.md"), encoding="utf-8") as file:
        of_expiry = set(re.findall(r"`(parley_\w+_expiry_seconds)", file.read()))
    assert len(of_expiry) == 2 and not of_expiry & names
    return names | of_clusters | of_expiry


def named_in(expression):
    """The metrics that an expression names."""
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\"[^\"]*\"", "", expression)
    return {word for word in re.findall(r"[a-zA-Z_]\w*", bare)} - WORDS


async def test_rules_hold(ctx):
    """promtool accepts the scrape configuration and the rules, and each alert fires when it should
    and not before."""
    promtool = need("promtool")
    place = ctx.directory()
    shutil.copytree(ctx.source("Deploy/prometheus"), place, dirs_exist_ok=True)
    tests = ctx.source("Tests/Deploy/parley-alerts.test.yml")
    for arguments in [
            ("check", "config", os.path.join(place, "prometheus.yml")), ("test", "rules", tests)]:
        status, output, errors = await ctx.run(promtool, *arguments)
        assert status == 0, (output + errors).decode()


async def test_every_alert_is_tested(ctx):
    """There is a test of each alert, and each is about a metric that there is."""
    with open(ctx.source("Deploy/prometheus/parley-alerts.yml"), encoding="utf-8") as file:
        rules = file.read()
    with open(ctx.source("Tests/Deploy/parley-alerts.test.yml"), encoding="utf-8") as file:
        tests = file.read()
    alerts = re.findall(r"alert: (\w+)", rules)
    assert alerts and set(alerts) == set(re.findall(r"alertname: (\w+)", tests))
    expressions = re.findall(r"expr: (?:>-\n)?((?:.+\n)(?:          .+\n)*)", rules)
    assert len(expressions) == len(alerts)
    names = await metrics(ctx)
    for expression in expressions:
        assert named_in(expression) and named_in(expression) <= names, (
            expression, named_in(expression) - names)


async def test_the_dashboard_shows_what_there_is(ctx):
    """Every metric of Grafana's dashboard is one that the gateway has, and every panel is where no
    other is."""
    with open(ctx.source("Deploy/grafana/parley.json"), encoding="utf-8") as file:
        dashboard = json.load(file)
    names = await metrics(ctx)
    expressions = [
        target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    expressions += [
        item["query"]["query"] for item in dashboard["templating"]["list"]
        if item["type"] == "query"]
    assert len(expressions) > 20
    for expression in expressions:
        unknown = named_in(expression) - names
        assert not unknown, (expression, unknown)
    # The import asks for each input, and puts the answer where its name stands.
    inputs = {item["name"] for item in dashboard["__inputs"]}
    text = json.dumps({name: value for name, value in dashboard.items() if name != "__inputs"})
    variables = {item["name"] for item in dashboard["templating"]["list"]}
    assert inputs == set(re.findall(r"\$\{(\w+)\}", text)) - variables, inputs
    identifiers = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(identifiers)) == len(identifiers)
    taken = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells
