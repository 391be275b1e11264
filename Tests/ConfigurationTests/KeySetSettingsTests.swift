import ParleyProtocol
import Testing

@testable import Configuration

@Suite("Settings of key sets")
struct KeySetSettingsTests {
  private func providers(file text: String) throws -> [KeySetSource] {
    try load(file: text).auth.providers
  }

  private func problems(_ arguments: [String] = [], file: String? = nil) -> [String] {
    do {
      _ = try load(arguments, file: file)
      return []
    } catch {
      let problems = (error as? SettingsError)?.problems ?? []
      return problems.map { "\($0.setting): \($0.explanation)" }
    }
  }

  @Test("a file has each provider as a group")
  func groups() throws {
    let found = try providers(
      file: """
        auth:
          jwks:
            - issuer: https://one.example
              url: https://one.example/jwks?tenant=a,b
              audience: chat
              algorithms: [RS256, ES384]
              user_claim: email
              nickname_claim: name
            - {issuer: two, url: "http://127.0.0.1:8081/jwks"}
        """)
    #expect(
      found == [
        KeySetSource(
          TokenIssuer(
            "https://one.example", audience: "chat", algorithms: [.rs256, .es384],
            userClaim: "email", nicknameClaim: "name"),
          url: "https://one.example/jwks?tenant=a,b"),
        KeySetSource(TokenIssuer("two"), url: "http://127.0.0.1:8081/jwks"),
      ])
  }

  @Test("a single group needs no list")
  func oneGroup() throws {
    let one = [KeySetSource(TokenIssuer("a"), url: "https://a/")]
    #expect(try providers(file: "auth.jwks: {issuer: a, url: https://a/}") == one)
    #expect(try providers(file: "auth: {jwks: {issuer: a, url: https://a/}}") == one)
    #expect(try providers(file: "auth.jwks: issuer=a url=https://a/") == one)
  }

  @Test("a flag has a provider as a text, which listings repeat")
  func flags() throws {
    let text =
      "issuer=https://one.example url=https://one.example/jwks audience=chat algorithms=RS256+ES384"
    let settings = try load(["--auth-jwks", text, "--auth-jwks", "issuer=two url=https://two/"])
    #expect(settings.auth.providers.map(\.issuer.name) == ["https://one.example", "two"])
    let listed = SettingsListing(settings, of: .gateway).entries.first { $0.name == "auth.jwks" }
    #expect(listed?.values == [text, "issuer=two url=https://two/"])
  }

  @Test("one provider has settings of its own")
  func single() throws {
    let settings = try load([
      "--auth-jwks-url", "https://one.example/jwks", "--auth-jwt-issuer", "https://one.example",
      "--auth-jwt-audience", "chat", "--auth-jwks", "issuer=two url=https://two/",
      "--auth-jwks-stale-seconds", "60",
    ])
    #expect(
      settings.auth.providers == [
        KeySetSource(TokenIssuer("two"), url: "https://two/"),
        KeySetSource(
          TokenIssuer("https://one.example", audience: "chat"), url: "https://one.example/jwks"),
      ])
    #expect(settings.auth.keySetStaleSeconds == 60)
    #expect(try load().auth.keySetStaleSeconds == 86_400)
    #expect(try load().auth.providers.isEmpty)
  }

  @Test("the settings of one provider belong together")
  func combinations() {
    #expect(
      problems(["--auth-jwks-url", "https://one.example/jwks"]) == [
        "auth.jwt_issuer: expected the issuer of the tokens, because auth.jwks_url is set"
      ])
    #expect(
      problems(["--auth-jwt-issuer", "a", "--auth-jwt-audience", "b"]) == [
        "auth.jwks_url: expected the URL of the key set, because auth.jwt_issuer is set",
        "auth.jwks_url: expected the URL of the key set, because auth.jwt_audience is set",
      ])
    #expect(
      problems([
        "--auth-jwks-url", "https://x/", "--auth-jwt-issuer", "a", "--auth-jwks",
        "issuer=a url=https://y/",
      ]) == ["auth.jwks: expected the issuer a only once"])
    let many = (0..<33).flatMap { ["--auth-jwks", "issuer=\($0) url=https://y/"] }
    #expect(problems(many) == ["auth.jwks: expected at most 32"])
  }

  @Test(
    "a provider that is incomplete or wrong is refused",
    arguments: [
      "issuer=a", "url=https://a/", "issuer=a url=http://a.example/", "issuer=a url=ftp://a/",
      "issuer=a url=https://u:p@a/", "issuer=a url=https://a/#x", "issuer= url=https://a/",
      "issuer=a url=https://a/ issuer=b", "issuer=a url=https://a/ color=red",
      "issuer=a url=https://a/ algorithms=HS256", "issuer=a url=https://a/ algorithms=none",
      "issuer=a url=https://a/ algorithms=RS256+RS256", "issuer=a url=https://a/ algorithms=",
      "issuer=a url=https://a/ audience=", "https://a/", "a b",
    ])
  func wrong(text: String) {
    #expect(problems(["--auth-jwks", text]).count == 1)
  }

  @Test("groups with other values are refused")
  func wrongGroups() {
    for text in [
      "auth.jwks: {issuer: a}", "auth.jwks: [{issuer: {a: b}, url: https://a/}]",
      "auth.jwks: [[a]]", "auth.jwks: [{issuer: a b, url: https://a/}]",
      "auth.jwks: [{issuer: 'a url=https://b/', url: https://a/}]",
    ] {
      #expect(problems(file: text).count == 1, "\(text)")
    }
    #expect(problems(file: "auth.jwt_secret: [{a: b}]").count == 1)
    #expect(problems(file: "webhooks.urls: [{a: b}]").count == 1)
  }

  @Test("an http URL is for this machine only")
  func loopback() throws {
    for host in ["127.0.0.1:1", "localhost:1", "[::1]:1"] {
      #expect(KeySetURLText.read("http://\(host)/jwks") != nil, "\(host)")
    }
    for url in ["http://10.0.0.1/", "http://127.0.0.1.example/", "//x", ""] {
      #expect(KeySetURLText.read(url) == nil, "\(url)")
    }
  }

  @Test("providers change on reload")
  func reload() throws {
    let change = try SettingsChange(
      from: load(), to: load(["--auth-jwks", "issuer=two url=https://two/"]), of: .gateway)
    #expect(change.adopted.map(\.name) == ["auth.jwks"])
    #expect(change.settings.auth.providers.count == 1)
  }
}
