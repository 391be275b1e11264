"""The descriptions for machines, and what really passes held against them.

What does not agree is gathered here; the runner takes it after each test and counts it as failed.
"""

import json
import os
import re
from collections import defaultdict, deque
from functools import cache
from urllib.parse import unquote, urlsplit

import jsonschema_rs

DESCRIPTIONS = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "CDocuments", "Documents")

# Ports of the gateways that run; on any other port nothing is promised.
gateways = set()

_deviations = []


def taken_deviations():
    """What did not agree since this was last called."""
    found = _deviations[:]
    _deviations.clear()
    return found


@cache
def source(name):
    """A description as it lies in the source tree."""
    with open(os.path.join(DESCRIPTIONS, name), "rb") as file:
        return file.read()


@cache
def description(name):
    return json.loads(source(name))


@cache
def _validator(name, schema):
    return jsonschema_rs.Draft202012Validator(
        {**json.loads(schema), "components": description(name)["components"]})


def problems(name, schema, value):
    """How a value differs from a schema of a description, in few words; empty if it does not."""
    judge = _validator(name, json.dumps(schema))
    try:
        return [
            f"{'/'.join(str(part) for part in error.instance_path)}: {error.message[:300]}"
            for error in judge.iter_errors(value)]
    except ValueError:  # Numbers and characters that the validator can't take in.
        return []


def disagree(what, reasons):
    if reasons:
        _deviations.append(f"{what}: {'; '.join(reasons[:3])}")


class SocketTraffic:
    """What passes over one WebSocket, held against AsyncAPI."""

    def __init__(self):
        self.waiting = defaultdict(deque)

    def sent(self, text):
        """Remembers the requests, so that their answers can be told apart."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return
        for request in value if isinstance(value, list) else [value]:
            identity = request.get("id") if isinstance(request, dict) else None
            if isinstance(identity, (str, int)) and not isinstance(identity, bool):
                self.waiting[identity].append(request)

    def came(self, value):
        if isinstance(value, list):
            disagree("a batch of answers", _message("result.batch", value))
            for part in value:
                self._answered(part)
        elif "method" in value:
            event = value["method"]
            known = socket_operations().get((event, "send"))
            disagree(
                f"the event {event}", _message(known, value) if known else ["is not described"])
        else:
            self._answered(value)

    def _answered(self, answer):
        if "error" in answer:
            disagree(f"the error {json.dumps(answer)[:200]}", _message("error", answer))
            if answer.get("id") is None:  # Whatever was refused will not be answered any more.
                self.waiting.clear()
        requests = self.waiting.get(answer.get("id"))
        request = requests.popleft() if requests else None
        if request is None or "error" in answer:
            return
        method = request["method"]
        known = socket_operations().get((method, "receive"))
        if known is None:
            disagree(method, ["is answered, but not described"])
            return
        operation = description("asyncapi.json")["operations"][known]
        disagree(f"{json.dumps(request)[:200]} is answered, but wrong", _message(method, request))
        result, *_ = (part["$ref"].rsplit("/", 1)[1] for part in operation["reply"]["messages"])
        disagree(f"the answer to {method}", _message(result, answer))


@cache
def socket_operations():
    """The key of each operation in AsyncAPI by the name of its method or event, and its action.

    A method and an event may have the same name.
    """
    document = description("asyncapi.json")
    return {
        (document["components"]["messages"][key]["title"] if key != "batch" else key, operation["action"]): key
        for key, operation in document["operations"].items()}


def _message(name, value):
    payload = {"$ref": f"#/components/messages/{name}/payload"}
    return problems("asyncapi.json", payload, value)


def operations():
    """Every path and method that OpenAPI lists, with what is said of it."""
    return [
        (path, method.upper(), operation)
        for path, item in description("openapi.json")["paths"].items()
        for method, operation in item.items() if method != "parameters"]


@cache
def _templates():
    """Paths by how they look; those without an open part go before."""
    paths = sorted(description("openapi.json")["paths"], key=lambda path: path.count("{"))
    return [(re.compile(re.sub(r"{\w+}", "[^/]+", path) + r"\Z"), path) for path in paths]


def http_exchange(method, target, body, status, fields, content):
    """Holds a call and its answer against OpenAPI."""
    target = urlsplit(target).path
    path = next((path for form, path in _templates() if form.match(target)), None)
    item = description("openapi.json")["paths"].get(path, {})
    operation = item.get("get" if method == "HEAD" else method.lower())
    call = f"{method} {unquote(target)[:120]} → {status}"
    if operation is None:
        disagree(call, [] if status >= 400 else ["is answered, but not described"])
        return
    if status == 200 and "requestBody" in operation and body:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        disagree(
            f"{call}, though the body is wrong", problems("openapi.json", schema, json.loads(body)))
    disagree(call, _answer_problems(operation, status, fields, content))


def _answer_problems(operation, status, fields, content):
    name = str(status) if str(status) in operation["responses"] else f"{status // 100}XX"
    response = operation["responses"].get(name)
    if response is None:
        return ["the status is not described"]
    if "$ref" in response:
        response = description("openapi.json")["components"]["responses"][
            response["$ref"].rsplit("/", 1)[1]]
    if "content" not in response or not content:
        return ["there is content"] if content else []
    kind = fields.get("content-type", "").split(";")[0]
    if kind not in response["content"]:
        return [f"{kind} is not described"]
    if not kind.endswith("json"):
        return []
    value = json.loads(content)
    found = problems("openapi.json", response["content"][kind]["schema"], value)
    if status >= 400 and isinstance(value, dict) and str(described(value.get("code"))) not in _error_codes():
        found.append(f"the code {value.get('code')} is not described")
    return found


def described(code):
    """The code that describes it: all codes of the app's back end have one description."""
    return 910000 if isinstance(code, int) and 910000 <= code <= 919999 else code


@cache
def _error_codes():
    error = description("openapi.json")["components"]["schemas"]["error"]
    return error["properties"]["code"]["x-error-codes"].keys()
