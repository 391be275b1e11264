"""What is wrong for a schema of the description, and how each wrong value is refused."""

import json
from dataclasses import dataclass
from urllib.parse import quote

from schemas import description

STRING, NUMBER, LIST, OBJECT, BOOLEAN = 400100, 400101, 400102, 400103, 400104
MISSING, NEGATIVE, TOO_LONG, INVALID, RANGE = 400105, 400106, 400110, 400111, 400113
CHARACTER, TOO_MANY, USER_ID_TOO_LONG, NOT_JSON = 400151, 400203, 400305, 400403

LARGEST = 2**63 - 1
# Beside its length, the form of a text: one that lacks it, and what it is refused with.
PATTERNS = {
    "^[A-Za-z0-9_-]+$": ("not allowed!", CHARACTER),
    "^[!-~]+$": ("two words", INVALID),
    "^[0-9A-Fa-f]+$": ("xyz", INVALID),
    "^[Hh][Tt][Tt][Pp][Ss]?://.": ("ftp://a.example/", INVALID),
    "^$|^[Hh][Tt][Tt][Pp][Ss]?://.": ("javascript:alert(1)", INVALID),
    "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$": ("pt_BR", INVALID),
    r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$": (
        "a\u202eb", CHARACTER),
}


@dataclass
class Wrong:
    """A value that is refused with a code, in words that name a member."""

    value: object
    code: int
    name: str

    def __str__(self):
        text = json.dumps(self.value) if not isinstance(self.value, bytes) else repr(self.value)
        return f"{self.name} = {text[:60]}"


def resolved(schema):
    """A schema itself in place of a reference to it, or of a choice between it and null."""
    choices = schema.get("oneOf", [])
    if {"type": "null"} in choices and len(choices) == 2:
        return resolved(next(choice for choice in choices if choice != {"type": "null"}))
    if "$ref" not in schema:
        return schema
    kind, name = schema["$ref"].split("/")[2:]
    return resolved(description("openapi.json")["components"][kind][name])


def kind_of(schema):
    """The type that a value must have, null aside, which counts as absent."""
    if "const" in schema or "enum" in schema:
        return "string"
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kind, = [kind for kind in kinds if kind != "null"]
    return kind


def too_long(name):
    """What a text that is too long is refused with."""
    is_id = name.endswith("_ids") or name in (
        "user_id", "target_id", "sender_id", "mentioned_user_id", "inviter_id", "reporting_user_id", "members_exactly_in", "members_include_in")
    return USER_ID_TOO_LONG if is_id else TOO_LONG


def longest(schema, name):
    """A text that is as long as it may be; of characters with several bytes where they may be."""
    limit, pattern = schema["maxLength"], schema.get("pattern", "")
    if "[Hh]" in pattern:
        return "http://a.example/".ljust(limit, "é")
    # What the application keeps under `data` is counted in bytes.
    return ("a" if pattern or name == "data" else "é") * limit


def example(schema):
    """The least that fits."""
    schema = resolved(schema)
    kind = kind_of(schema)
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "array":
        return [example(schema["items"])] * schema.get("minItems", 0)
    if kind == "object":
        return {name: example(schema["properties"][name]) for name in schema.get("required", [])}
    return {"string": "a" * schema.get("minLength", 0), "boolean": False,
            "integer": max(schema.get("minimum", 0), 0)}[kind]


def wrong_values(schema, name):
    """All that a member of this schema is refused for."""
    schema = resolved(schema)
    return {"string": _texts, "integer": _numbers, "boolean": _booleans, "array": _lists,
            "object": _objects}[kind_of(schema)](schema, name)


def wrong_bodies(schema, body):
    """Bodies that differ in one member from one that is in order."""
    schema = resolved(schema)
    for name, member in schema.get("properties", {}).items():
        for wrong in wrong_values(member, name):
            yield Wrong({**body, name: wrong.value}, wrong.code, wrong.name)
    for name in schema.get("required", []):
        yield Wrong({k: v for k, v in body.items() if k != name}, MISSING, name)
        yield Wrong({**body, name: None}, MISSING, name)


def _texts(schema, name):
    for value in (7, True, ["a"], {"a": "b"}):
        yield Wrong(value, STRING, name)
    if "const" in schema or "enum" in schema:
        first = schema["const"] if "const" in schema else schema["enum"][0]
        for value in ("neither", "", str(first).swapcase()):
            yield Wrong(value, INVALID, name)
        return
    if "maxLength" in schema:
        yield Wrong(longest(schema, name) + "a", too_long(name), name)
    if name == "data":
        yield Wrong("é" * (schema["maxLength"] // 2 + 1), TOO_LONG, name)
    shortest = schema.get("minLength", 0)
    if shortest > 0:
        yield Wrong("", MISSING, name)
    if shortest > 1:
        yield Wrong("a" * (shortest - 1), INVALID, name)
    if "pattern" in schema:
        value, code = PATTERNS[schema["pattern"]]
        yield Wrong(value, code, name)
    yield Wrong("http://a\0b", CHARACTER, name)


def _numbers(schema, name):
    for value in ("7", True, [7], {}):
        yield Wrong(value, NUMBER, name)
    least, most = schema.get("minimum", -LARGEST - 1), schema.get("maximum", LARGEST)
    yield Wrong(1.5, INVALID, name)
    yield Wrong(least - 1, NEGATIVE if least == 0 else RANGE, name)
    for value in (most + 1, 1e300):
        yield Wrong(value, RANGE, name)


def _booleans(_, name):
    for value in (0, "true", [True], {}):
        yield Wrong(value, BOOLEAN, name)


def _lists(schema, name):
    for value in ("a", 7, False, {"a": "b"}):
        yield Wrong(value, LIST, name)
    if "oneOf" in resolved(schema["items"]):
        # Objects of several shapes, which tests of the call itself try.
        yield Wrong([], MISSING, name)
        return
    item = example(schema["items"]) or "a"
    if "maxItems" in schema:
        many = [{**item, "key": str(n)} if isinstance(item, dict) else f"{item}{n}"
                for n in range(schema["maxItems"] + 1)]
        yield Wrong(many, TOO_MANY, name)
    if schema.get("minItems"):
        yield Wrong([], MISSING, name)
    for wrong in wrong_values(schema["items"], name):
        yield Wrong([wrong.value], wrong.code, wrong.name)
    yield Wrong([None], OBJECT if isinstance(item, dict) else STRING, name)


def _objects(schema, name):
    for value in ("a", 7, True, ["a"]):
        yield Wrong(value, OBJECT, name)
    if "properties" in schema:
        yield from wrong_bodies(schema, example(schema))
        return
    items = schema["additionalProperties"]
    item = example(items)
    if schema.get("minProperties"):
        yield Wrong({}, MISSING, name)
        yield Wrong({"k": None}, MISSING, name)
    yield Wrong({str(n): item for n in range(schema["maxProperties"] + 1)}, TOO_MANY, name)
    yield Wrong({"": item}, MISSING, name)
    yield Wrong({"é" * schema["propertyNames"]["maxLength"] + "a": item}, TOO_LONG, name)
    yield Wrong({"a\0b": item}, CHARACTER, name)
    for wrong in wrong_values(items, name):
        yield Wrong({"k": wrong.value}, wrong.code, wrong.name)


def wrong_queries(parameter):
    """Encoded values of a parameter of the query, which are all text."""
    name, schema = parameter["name"], resolved(parameter["schema"])
    kind = kind_of(schema)
    if parameter.get("required"):
        yield Wrong("", MISSING, name)
    if kind == "boolean":
        yield from (Wrong(text, BOOLEAN, name) for text in ("1", "yes", "%20true"))
    elif kind == "integer":
        least, most = schema["minimum"], schema["maximum"]
        yield from (Wrong(text, NUMBER, name) for text in ("ten", "1.5", "1e1", "0x1", "1%202"))
        yield from (Wrong(str(number), RANGE, name) for number in (most + 1, LARGEST))
        yield Wrong("-1", NEGATIVE, name)
        if least == 1:
            yield Wrong("0", RANGE, name)
    elif "enum" in schema:
        yield Wrong("neither", INVALID, name)
    else:
        yield from _wrong_query_texts(schema, name)


def _wrong_query_texts(schema, name):
    item = schema.get("items", schema)
    if "maxLength" in item:
        limit = item["maxLength"]
        code = too_long(name) if item.get("minLength") or name == "user_id" else TOO_LONG
        yield Wrong(quote("é" * min(limit, 1000) + "a" * (limit + 1 - min(limit, 1000))), code,
                    name)
        yield Wrong("a%00b", CHARACTER, name)
    if "items" in schema:
        yield Wrong(",".join(map(str, range(schema["maxItems"] + 1))), TOO_MANY, name)


# Bodies that are no JSON object, whatever the operation.
NO_OBJECTS = [
    b"{", b"}", b"nonsense", b"[]", b'"text"', b"7", b"null", b"true", b"   ", b"{} {}", b"{}x",
    b"{'a': 1}", b'{"a": 1,}', b'{"a": NaN}', b'{"a": 01}', b'{"a": "\x01"}', b'{"a": "\xff"}',
    b'{"\xc3": 1}', b'{"a": "\xed\xa0\x80"}', b'{"a": "\\ud800"}', b"\xff\xfe{\x00}\x00",
    b'{"a": 1, "a": 2}', b'{"a":' * 40 + b"1" + b"}" * 40,
    b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"]
