"""Identity providers: each publishes its keys over HTTP as a test likes, and signs tokens."""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

from harness import DEADLINE

# The slowest keys to make, once for all tests of this process.
_rsa_keys = {}


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value, size=None):
    return encoded(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))


def rsa_key(name="", bits=2048):
    if (name, bits) not in _rsa_keys:
        _rsa_keys[name, bits] = rsa.generate_private_key(65537, bits)
    return _rsa_keys[name, bits]


class Key:
    """A private key with its `kid`, and the algorithm that it signs by."""

    def __init__(self, algorithm, kid, private=None):
        self.algorithm, self.kid = algorithm, kid
        self.private = private or self._made(algorithm, kid)

    @staticmethod
    def _made(algorithm, kid):
        if algorithm[:2] in ("RS", "PS"):
            return rsa_key(kid)
        if algorithm == "EdDSA":
            return ed25519.Ed25519PrivateKey.generate()
        return ec.generate_private_key(ec.SECP256R1() if algorithm == "ES256" else ec.SECP384R1())

    def jwk(self, **members):
        """The public half as it is published."""
        public = self.private.public_key()
        if isinstance(public, rsa.RSAPublicKey):
            numbers = public.public_numbers()
            key = {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e)}
        elif isinstance(public, ec.EllipticCurvePublicKey):
            numbers, size = public.public_numbers(), public.key_size // 8
            key = {"kty": "EC", "crv": f"P-{public.key_size}",
                   "x": number(numbers.x, size), "y": number(numbers.y, size)}
        else:
            key = {"kty": "OKP", "crv": "Ed25519", "x": encoded(public.public_bytes_raw())}
        named = {} if self.kid is None else {"kid": self.kid}
        return {**key, **named, **members}

    def pem(self):
        return self.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def signature(self, text):
        digest = {"256": hashes.SHA256, "384": hashes.SHA384, "512": hashes.SHA512}.get(
            self.algorithm[2:], hashes.SHA256)()
        match self.algorithm[:2]:
            case "RS":
                return self.private.sign(text, padding.PKCS1v15(), digest)
            case "PS":
                mask = padding.PSS(padding.MGF1(digest), digest.digest_size)
                return self.private.sign(text, mask, digest)
            case "ES":
                pair = utils.decode_dss_signature(self.private.sign(text, ec.ECDSA(digest)))
                size = self.private.key_size // 8
                return b"".join(value.to_bytes(size, "big") for value in pair)
        return self.private.sign(text)


def signed(header, claims, sign):
    """A token with any header and claims, and what signs its text."""
    text = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    return f"{text}.{encoded(sign(text.encode()))}"


def by_secret(secret):
    return lambda text: hmac.new(secret, text, hashlib.sha256).digest()


class Provider:
    """An issuer with keys, and the server that publishes them.

    `document` is answered in place of the keys; `status`, `fields` and `delay` change the answer, and
    while `is_down`, connections end without one.
    """

    def __init__(self, *keys, audience="chat"):
        self.keys = list(keys)
        self.audience = audience
        self.document, self.status, self.fields, self.delay = None, 200, {}, 0
        self.is_down = False
        self.fetches = []
        self.arrived = asyncio.Event()

    @classmethod
    async def start(cls, *keys, port=0, **options):
        provider = cls(*keys, **options)
        provider.server = await asyncio.start_server(provider._serve, "127.0.0.1", port)
        provider.port = provider.server.sockets[0].getsockname()[1]
        return provider

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/keys"

    @property
    def issuer(self):
        return f"https://issuer-{self.port}.example"

    def entry(self, **members):
        """Its entry of auth.jwks in a file."""
        return {"issuer": self.issuer, "url": self.url, "audience": self.audience, **members}

    def flag(self, **members):
        """Its entry of auth.jwks as a flag."""
        return " ".join(f"{name}={value}" for name, value in self.entry(**members).items())

    def flags(self, **members):
        return ["--auth-mode", "token", "--auth-jwks", self.flag(**members)]

    def token(self, user_id, key=None, header=None, **claims):
        """A token that is in order, but for these members of its header and claims; None removes one."""
        key = key or self.keys[0]
        claims = {"iss": self.issuer, "sub": user_id, "aud": self.audience,
                  "exp": int(time.time()) + 600, **claims}
        header = {"alg": key.algorithm, "kid": key.kid, **(header or {})}
        return signed(
            {name: value for name, value in header.items() if value is not None},
            {name: value for name, value in claims.items() if value is not None}, key.signature)

    async def until_fetched(self, count):
        async with asyncio.timeout(DEADLINE):
            while len(self.fetches) < count:
                await self.arrived.wait()

    async def stop(self):
        self.server.close()

    async def _serve(self, reader, writer):
        with contextlib.suppress(
                ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await reader.readuntil(b"\r\n\r\n")
            self.fetches.append(time.monotonic())
            self.arrived.set()
            self.arrived = asyncio.Event()
            if not self.is_down:
                await asyncio.sleep(self.delay)
                self._answer(writer)
                await writer.drain()
        writer.close()

    def _answer(self, writer):
        body = self.document
        if body is None:
            body = json.dumps({"keys": [key.jwk() for key in self.keys]})
        body = body if isinstance(body, bytes) else body.encode()
        fields = {"Content-Type": "application/json", "Content-Length": len(body),
                  "Connection": "close", **self.fields}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        writer.write(f"HTTP/1.1 {self.status} Status\r\n{head}\r\n".encode() + body)
