"""Push services as a test scripts them: Web Push, APNs and FCM over HTTP/2 and TLS on this machine."""

import asyncio
import base64
import contextlib
import datetime
import ipaddress
import json
import os
import secrets
import ssl
from urllib.parse import parse_qs

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import http_ece
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from harness import DEADLINE

PEM, PKCS8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
POINT = (serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
SUBJECT = "mailto:operator@example.com"
KEY_ID, TEAM_ID, TOPIC, PROJECT = "KEY1234567", "TEAM123456", "example.chat", "example-project"
ACCOUNT = "push@example-project.example"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def flags(settings):
    """Settings as the flags of a gateway."""
    return [part for name, value in settings.items()
            for part in ("--" + name.replace(".", "-").replace("_", "-"), str(value))]


def written(path, content):
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o600)
    return path


def private(key):
    return key.private_bytes(PEM, PKCS8, serialization.NoEncryption())


class Browser:
    """A browser's subscription, which decrypts what is pushed to it."""

    def __init__(self, peer, name=None):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = secrets.token_bytes(16)
        self.path = f"/web/{name or secrets.token_hex(8)}"
        self.endpoint = f"https://127.0.0.1:{peer.port}{self.path}"

    @property
    def subscription(self):
        public = self.key.public_key().public_bytes(*POINT)
        return {"endpoint": self.endpoint, "keys": {"p256dh": base64url(public), "auth": base64url(self.secret)}}

    def read(self, request):
        """The message of a request (RFC 8291); `None` for one without a body."""
        if not request.body:
            return None
        assert request.fields["content-encoding"] == "aes128gcm", request.fields
        return json.loads(http_ece.decrypt(request.body, private_key=self.key, auth_secret=self.secret))


class Request:
    def __init__(self, fields):
        self.fields = fields
        self.method, self.path = fields[":method"], fields[":path"]
        self.body = b""

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.method} {self.path} {self.body[:300]!r}"


class Peer:
    """One server for the three ways, which keeps each request and answers it as scripted.

    `answers` maps a path to a list of answers that are used up from its front: tuples of status and JSON, or of
    status, JSON and fields. A path in `held` gets no answer. Anything else is accepted.
    """

    def __init__(self, directory):
        self.directory = directory
        self.requests, self.connections = [], 0
        self.answers, self.held = {}, set()
        self.news = asyncio.Event()
        self.access = []
        self.apns_key = ec.generate_private_key(ec.SECP256R1())
        self.account_key = rsa.generate_private_key(65537, 2048)

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._context())
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def settings(self, *ways, more=None):
        """The settings of a gateway that pushes to this server."""
        settings = {"push.ca_file": self.authority}
        if "web" in ways:
            settings |= {"push.web": "true", "push.subject": SUBJECT, "push.allow_addresses": "127.0.0.0/8",
                         "push.allow_ports": str(self.port)}
        if "apns" in ways:
            settings |= {"push.apns.key_file": written(self._path("apns.p8"), private(self.apns_key)),
                         "push.apns.key_id": KEY_ID, "push.apns.team_id": TEAM_ID, "push.apns.topic": TOPIC,
                         "push.apns.url": self.url}
        if "gcm" in ways:
            account = {"type": "service_account", "project_id": PROJECT, "private_key_id": "key-1",
                       "private_key": private(self.account_key).decode(), "client_email": ACCOUNT,
                       "token_uri": f"{self.url}/token"}
            settings |= {"push.fcm.service_account": written(self._path("account.json"), json.dumps(account).encode()),
                         "push.fcm.url": self.url}
        return settings | (more or {})

    def _path(self, name):
        return os.path.join(self.directory, name)

    def _context(self):
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Push services of a test")])
        now = datetime.datetime.now(datetime.UTC)
        certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=2)).not_valid_after(now + datetime.timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(
                [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]), critical=False)
            .sign(key, hashes.SHA256()))
        self.authority = written(self._path("authority.pem"), certificate.public_bytes(PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority, written(self._path("server.key"), private(key)))
        context.set_alpn_protocols(["h2"])
        return context

    # What came.

    def to(self, path):
        return [request for request in self.requests if request.path == path]

    def apns(self, token):
        return self.to(f"/3/device/{token}")

    def fcm(self, token):
        return [request for request in self.to(f"/v1/projects/{PROJECT}/messages:send")
                if request.json["message"]["token"] == token]

    async def until(self, condition, what="what was waited for"):
        try:
            async with asyncio.timeout(DEADLINE):
                while not (found := condition()):
                    await self.news.wait()
        except TimeoutError:
            raise AssertionError(f"never came: {what}; last came {self.requests[-5:]}") from None
        return found

    def claims(self, text, public, algorithm):
        """The head and the claims of a signed token whose signature is right."""
        key = (ECKey if algorithm == "ES256" else RSAKey).import_key(
            public.public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
        token = jwt.decode(text, key, algorithms=[algorithm])
        return token.header, token.claims

    # HTTP/2.

    async def _serve(self, reader, writer):
        self.connections += 1
        connection = h2.connection.H2Connection(h2.config.H2Configuration(
            client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        writer.write(connection.data_to_send())
        under_way = {}
        with contextlib.suppress(ConnectionError, ssl.SSLError, h2.exceptions.ProtocolError):
            while data := await reader.read(65536):
                for event in connection.receive_data(data):
                    self._take(connection, under_way, event)
                writer.write(connection.data_to_send())
                await writer.drain()
        writer.close()

    def _take(self, connection, under_way, event):
        if isinstance(event, h2.events.RequestReceived):
            under_way[event.stream_id] = Request(dict(event.headers))
        elif isinstance(event, h2.events.DataReceived):
            under_way[event.stream_id].body += event.data
            connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            request = under_way.pop(event.stream_id)
            status, answer, fields = self._answer(request)
            self.requests.append(request)
            self.news.set()
            self.news = asyncio.Event()
            if request.path in self.held:
                return
            body = b"" if answer is None else json.dumps(answer).encode()
            connection.send_headers(event.stream_id, [(":status", str(status)), *fields.items()], end_stream=not body)
            if body:
                connection.send_data(event.stream_id, body, end_stream=True)

    def _answer(self, request):
        scripted = self.answers.get(request.path)
        if scripted:
            status, answer, *fields = scripted.pop(0)
            return status, answer, fields[0] if fields else {}
        if request.path == "/token":
            return 200, self._grant(request), {}
        if request.path.startswith("/web/"):
            return 201, None, {}
        return 200, {}, {}

    def _grant(self, request):
        form = parse_qs(request.body.decode())
        head, claims = self.claims(form["assertion"][0], self.account_key.public_key(), "RS256")
        assert head["kid"] == "key-1" and claims["iss"] == ACCOUNT, (head, claims)
        assert claims["aud"] == f"{self.url}/token" and claims["exp"] - claims["iat"] <= 3600, claims
        self.access.append(secrets.token_hex(8))
        return {"access_token": self.access[-1], "token_type": "Bearer", "expires_in": 3599}
