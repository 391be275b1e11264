import Basics
import Crypto
import ParleyProtocol
import Testing

@testable import Push

@Suite("Credentials for push services")
struct CredentialTests {
  private func vapid() throws -> VAPIDTokens {
    let point = try #require(TestKeys.p256.publicPoint.flatMap { P256Point($0) })
    return VAPIDTokens(subject: "mailto:ops@example.org", publicKey: point)
  }

  private func token(_ provider: inout APNsProviderToken, at now: Int64) throws -> String {
    let token = provider.value(at: now, signedBy: TestKeys.p256)
    return try #require(token)
  }

  @Test("a VAPID token names the origin of the endpoint, and verifies with the key beside it")
  func vapidToken() throws {
    var tokens = try vapid()
    let authorization = tokens.authorization(
      for: "https://Push.Example:443/send/abc?x=1", at: 1_000, signedBy: TestKeys.p256)
    let header = try #require(authorization)
    let parts = header.dropFirst("vapid t=".count).replacing(", k=", with: "\n")
      .split(separator: "\n").map(String.init)
    let point = try #require(Base64URL.decode(parts[1].utf8))
    #expect(point == TestKeys.p256.publicPoint && parts[1] == tokens.publicKey)
    let payload = try TestKeys.payload(of: parts[0], publicKey: TestKeys.publicPEM(point))
    #expect(payload["aud"]?.string == "https://push.example")
    // 12 hours later.
    #expect(payload["exp"]?.integer == 44_200)
    #expect(payload["sub"]?.string == "mailto:ops@example.org")
    #expect(try TestKeys.header(of: parts[0])["alg"]?.string == "ES256")
  }

  @Test("VAPID tokens are reused for an origin until an hour before they expire")
  func vapidReuse() throws {
    var tokens = try vapid()
    func token(_ endpoint: String, _ now: Int64) -> String? {
      tokens.authorization(for: endpoint, at: now, signedBy: TestKeys.p256)
    }
    let first = token("https://push.example/a", 0)
    #expect(token("https://push.example/b", 11 * 3_600) == first)
    #expect(token("https://push.example:8443/b", 0) != first)
    let second = token("https://push.example/a", 11 * 3_600 + 1)
    #expect(second != first)
    // The clock was set back by more than the lifetime.
    #expect(token("https://push.example/a", -100_000) != second)
    #expect(token("hello", 0) == nil)
  }

  @Test("a token for APNs has the ids of key and team, and lives 50 minutes")
  func apns() throws {
    var provider = APNsProviderToken(keyID: "KEY1", teamID: "TEAM1")
    let first = try token(&provider, at: 10_000)
    let point = try #require(TestKeys.p256.publicPoint)
    let payload = try TestKeys.payload(of: first, publicKey: TestKeys.publicPEM(point))
    #expect(payload["iss"]?.string == "TEAM1" && payload["iat"]?.integer == 10_000)
    let header = try TestKeys.header(of: first)
    #expect(header["kid"]?.string == "KEY1" && header["alg"]?.string == "ES256")
    #expect(provider.value(at: 12_999, signedBy: TestKeys.p256) == first)
    let second = provider.value(at: 13_000, signedBy: TestKeys.p256)
    #expect(second != first)
    // A clock that is set back gives the token an age below zero.
    #expect(provider.value(at: 5_000, signedBy: TestKeys.p256) != second)
  }

  @Test("a refused token for APNs is replaced once, and not within 20 minutes")
  func apnsRefusal() throws {
    var provider = APNsProviderToken(keyID: "KEY1", teamID: "TEAM1")
    let first = try token(&provider, at: 0)
    #expect(provider.refuse(first, at: 1_200) == false)
    #expect(provider.value(at: 1_200, signedBy: TestKeys.p256) == first)
    #expect(provider.refuse(first, at: 1_300) == true)
    let second = try token(&provider, at: 1_300)
    #expect(second != first)
    // Another request was sent with the first token.
    #expect(provider.refuse(first, at: 1_301) == true)
    #expect(provider.value(at: 1_301, signedBy: TestKeys.p256) == second)
    #expect(provider.refuse(second, at: 1_301) == false)
  }

  @Test("keys of another kind sign nothing")
  func otherKeys() throws {
    let rsa = try TestKeys.rsa()
    var provider = APNsProviderToken(keyID: "KEY1", teamID: "TEAM1")
    #expect(provider.value(at: 0, signedBy: rsa) == nil)
    var tokens = try vapid()
    #expect(tokens.authorization(for: "https://push.example/", at: 0, signedBy: rsa) == nil)
    let account = try ServiceAccount(Self.file())
    #expect(FCMAccess.request(for: account, at: 0, signedBy: TestKeys.p256) == nil)
  }

  /// The file of a service account, with other members than usual.
  private static func file(
    _ members: [String: String] = [:], without name: String? = nil
  ) -> [UInt8] {
    var all = [
      "type": "service_account", "project_id": "app-1", "private_key_id": "k1",
      "private_key": TestKeys.rsaPEM, "client_email": "push@app-1.iam.gserviceaccount.com",
      "token_uri": "https://oauth2.googleapis.com/token",
    ]
    all.merge(members) { $1 }
    if let name { all[name] = nil }
    return JSONWriter.bytes { all.encode(into: &$0) }
  }

  @Test("an assertion for a service account")
  func assertion() throws {
    let account = try ServiceAccount(Self.file())
    #expect(account.projectID == "app-1" && account.privateKey == TestKeys.rsaPEM)
    #expect(!"\(account)".contains("PRIVATE"))
    let key = try TestKeys.rsa()
    let request = try #require(FCMAccess.request(for: account, at: 1_000, signedBy: key))
    #expect(request.url == "https://oauth2.googleapis.com/token")
    #expect(request.fields == ["content-type: application/x-www-form-urlencoded"])
    let body = String(decoding: request.body, as: UTF8.self)
    let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
    #expect(body.hasPrefix(prefix))
    let token = String(body.dropFirst(prefix.count))
    let payload = try TestKeys.payload(of: token, publicKey: TestKeys.rsaPublicPEM)
    #expect(payload["iss"]?.string == "push@app-1.iam.gserviceaccount.com")
    #expect(payload["aud"]?.string == "https://oauth2.googleapis.com/token")
    #expect(payload["scope"]?.string == "https://www.googleapis.com/auth/firebase.messaging")
    #expect(payload["iat"]?.integer == 1_000 && payload["exp"]?.integer == 4_600)
    let header = try TestKeys.header(of: token)
    #expect(header["kid"]?.string == "k1" && header["alg"]?.string == "RS256")
  }

  @Test("files that are none of a service account")
  func badFiles() throws {
    for name in ["type", "project_id", "private_key", "client_email", "token_uri"] {
      #expect(throws: ServiceAccountError.member(name)) {
        try ServiceAccount(Self.file(without: name))
      }
      #expect(throws: ServiceAccountError.member(name)) {
        try ServiceAccount(Self.file([name: ""]))
      }
    }
    for url in ["http://oauth2.googleapis.com/token", "ftp://x/", "https://a:b@x/", "token"] {
      #expect(throws: ServiceAccountError.member("token_uri")) {
        try ServiceAccount(Self.file(["token_uri": url]))
      }
    }
    for url in ["http://127.0.0.1:8080/token", "http://localhost/token", "http://[::1]:1/"] {
      #expect(try ServiceAccount(Self.file(["token_uri": url])).tokenURL == url)
    }
    let bombs = [
      "", "[]", "hello", String(repeating: "[", count: 60_000),
      "{\"a\":\"" + String(repeating: "a", count: 70_000) + "\"}",
    ]
    for bomb in bombs {
      #expect(throws: ServiceAccountError.notJSON) { try ServiceAccount(Array(bomb.utf8)) }
    }
    #expect(throws: ServiceAccountError.member("project_id")) {
      try ServiceAccount(Self.file(["project_id": "a b"]))
    }
  }

  @Test("answers of the token service")
  func oauthAnswers() {
    func token(_ body: String, status: Int = 200) -> AccessToken? {
      AccessToken(status: status, body: Array(body.utf8), at: 1_000)
    }
    let good = token(#"{"access_token":"ya29.x","expires_in":3599,"token_type":"Bearer"}"#)
    #expect(good?.value == "ya29.x" && good?.expiresAt == 4_599)
    #expect(token(#"{"access_token":"a"}"#)?.expiresAt == 4_600)
    #expect(token(#"{"access_token":"a","expires_in":1e9}"#)?.expiresAt == 4_600)
    #expect(token(#"{"access_token":"a","expires_in":-5}"#)?.expiresAt == 1_000)
    #expect(token(#"{"access_token":"a"}"#, status: 400) == nil)
    for body in [
      "", "{}", "[]", "null", #"{"access_token":""}"#, #"{"access_token":5}"#,
      #"{"access_token":"a b"}"#, #"{"access_token":"a\r\nx: y"}"#,
      #"{"access_token":"a","token_type":"mac"}"#,
      "{\"access_token\":\"" + String(repeating: "a", count: 9_000) + "\"}",
      String(repeating: "[", count: 65_000), String(repeating: " ", count: 70_000) + "{}",
    ] {
      #expect(token(body) == nil)
    }
  }

  @Test("access tokens are requested once, used, and replaced before they expire")
  func access() {
    func answer(_ value: String, _ now: Int64) -> AccessToken? {
      AccessToken(
        status: 200, body: Array(#"{"access_token":"\#(value)","expires_in":3600}"#.utf8), at: now)
    }
    var access = FCMAccess()
    #expect(access.next(at: 0) == .request)
    #expect(access.next(at: 0) == .wait)
    access.receive(nil, at: 1)
    #expect(access.next(at: 2) == .wait)
    #expect(access.next(at: 11) == .request)
    access.receive(answer("one", 11), at: 11)
    #expect(access.next(at: 12) == .use("one"))
    #expect(access.next(at: 11 + 3_299) == .use("one"))
    #expect(access.next(at: 11 + 3_300) == .request)
    #expect(access.next(at: 11 + 3_301) == .use("one"))
    access.receive(nil, at: 11 + 3_302)
    #expect(access.next(at: 11 + 3_303) == .use("one"))
    #expect(access.next(at: 11 + 3_312) == .request)
    access.receive(answer("two", 3_323), at: 3_323)
    #expect(access.next(at: 3_324) == .use("two"))
    #expect(access.refuse("one", at: 3_325) == true)
    #expect(access.next(at: 3_325) == .use("two"))
    #expect(access.refuse("two", at: 3_325) == false)
    #expect(access.refuse("two", at: 3_400) == true)
    #expect(access.next(at: 3_400) == .request)
  }
}
