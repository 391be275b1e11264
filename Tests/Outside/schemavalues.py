"""Random values that fit the parameters of the methods in the description of the WebSocket."""

import json
import random

import schemas

TEXTS = ["", "hello", "see http://127.0.0.1:1/page and more", "ünïcödé 😀", "*b* `c`", "a b " * 40]


def _parameters(name):
    payload = schemas.description("asyncapi.json")["components"]["messages"][name]["payload"]
    for part in payload.get("allOf", [payload]):
        parameters = part.get("properties", {}).get("params")
        if parameters:
            return parameters
    return {"type": "object", "properties": {}}


def methods():
    """Every method that a client may call."""
    operations = schemas.description("asyncapi.json")["operations"]
    return [name for name, operation in operations.items()
            if operation["action"] == "receive" and name != "batch"]


class Maker:
    """Makes values of a schema; names that refer to something are taken from pools."""

    def __init__(self, source: random.Random, pools):
        self.random, self.pools = source, pools

    def parameters(self, method):
        """The parameters of one call: those that are required, and some of the others."""
        schema = self._resolved(_parameters(method))
        required = set(schema.get("required", []))
        return {name: self.named(name, part) for name, part in schema.get("properties", {}).items()
                if name in required or self.random.random() < 0.35}

    def named(self, name, schema):
        pool = self.pools.get(name)
        if pool:
            known = pool()
            if isinstance(known, list):
                return known
            if known is not None and self.random.random() < 0.97:
                return known
        return self.value(schema)

    def value(self, schema, depth=0):
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        for several in ("oneOf", "anyOf"):
            if several in schema:
                return self.value(self.random.choice(schema[several]), depth)
        kinds = schema.get("type", "object")
        kinds = [kinds] if isinstance(kinds, str) else [k for k in kinds if k != "null"]
        return getattr(self, "_" + self.random.choice(kinds))(schema, depth)

    def _string(self, schema, _):
        low, high = schema.get("minLength", 0), schema.get("maxLength", 200)
        if "pattern" in schema:
            return self.random.choice(["lobby", "room-1", "ab_c"])
        text = self.random.choice(TEXTS)
        if not text and self.random.random() < 0.8:
            text = "hello"
        if self.random.random() < 0.05:
            text = "x" * min(high, 6_000)
        return (text or "x" * low)[:high].ljust(low, "y")

    def _integer(self, schema, _):
        low = schema.get("minimum", -1)
        high = min(schema.get("maximum", 1_000), low + 10_000)
        return self.random.choice([low, high, self.random.randint(low, max(low, high))])

    _number = _integer

    def _boolean(self, schema, _):
        return self.random.random() < 0.5

    def _null(self, schema, _):
        return None

    def _array(self, schema, depth):
        high = min(schema.get("maxItems", 3), 3)
        count = self.random.randint(min(schema.get("minItems", 0), high), high)
        made = [self.value(schema.get("items", {"type": "string"}), depth + 1)
                for _ in range(count)]
        return list({json.dumps(value): value for value in made}.values())

    def _object(self, schema, depth):
        made = {name: self.named(name, part)
                for name, part in schema.get("properties", {}).items()
                if name in schema.get("required", []) or self.random.random() < 0.5}
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and depth < 3:
            for _ in range(self.random.randint(0, 2)):
                made[self.random.choice("abcdef")] = self.value(extra, depth + 1)
        return made

    @staticmethod
    def _resolved(schema):
        while "$ref" in schema:
            kind, name = schema["$ref"].split("/")[-2:]
            schema = schemas.description("asyncapi.json")["components"][kind][name]
        return schema
