import HTTP
import Testing
import Transport

@testable import Gateway

@Suite("Origins and hosts")
struct OriginRulesTests {
  private func request(
    _ origin: String?, host: String? = "chat.example:8080", kind: OriginRules.Request.Kind = .other,
    _ adjust: (inout OriginRules.Request) -> Void = { _ in }
  ) -> OriginRules.Request {
    var request = OriginRules.Request()
    request.kind = kind
    request.origins = origin.map { [$0] } ?? []
    request.host = host ?? ""
    request.authority = host.flatMap { HTTPAuthority($0) }
    adjust(&request)
    return request
  }

  private func isRefused(_ request: OriginRules.Request, allowed: [String] = []) -> Bool {
    OriginRules(allowed: allowed).refusal(of: request) != nil
  }

  @Test("without a list a page must come from the called host and port")
  func own() {
    for kind in [OriginRules.Request.Kind.user, .other] {
      #expect(!isRefused(request(nil, kind: kind)))
      #expect(!isRefused(request("http://chat.example:8080", kind: kind)))
      #expect(!isRefused(request("HTTPS://CHAT.example:8080", kind: kind)))
      for origin in [
        "http://chat.example", "http://chat.example:8081", "http://evil.example:8080", "null", "",
        "http://chat.example:8080.evil.example", "http://chat.example:8080@evil.example",
        "file://", "chrome-extension://abc", "http://chat.example:8080/", "chat.example:8080",
      ] {
        #expect(isRefused(request(origin, kind: kind)), "\(origin)")
      }
    }
  }

  @Test("the scheme's default port may be omitted on either side")
  func ports() {
    #expect(!isRefused(request("http://a", host: "a")))
    #expect(!isRefused(request("http://a:80", host: "a")))
    #expect(!isRefused(request("https://a", host: "a:443")))
    #expect(isRefused(request("https://a", host: "a:80")))
    #expect(!isRefused(request("http://[::1]:80", host: "[::1]")))
    #expect(!isRefused(request("http://127.0.0.1:8080", host: "127.0.0.1:8080")))
    #expect(isRefused(request("http://localhost:8080", host: "127.0.0.1:8080")))
  }

  @Test("over TLS the page must have been loaded over https")
  func schemes() {
    #expect(isRefused(request("http://a", host: "a") { $0.isEncrypted = true }))
    #expect(!isRefused(request("https://a", host: "a") { $0.isEncrypted = true }))
  }

  @Test("the host and scheme forwarded by trusted proxies count as the server's own")
  func proxies() {
    let adjust = { (request: inout OriginRules.Request) in
      request.sites.hosts = ["chat.example"]
      request.sites.scheme = "https"
    }
    #expect(!isRefused(request("https://chat.example", host: "10.0.0.1:8080", adjust)))
    #expect(isRefused(request("http://chat.example", host: "10.0.0.1:8080", adjust)))
    #expect(isRefused(request("https://evil.example", host: "10.0.0.1:8080", adjust)))
  }

  @Test("pages of any origin may load files and descriptions, but not under any host name")
  func shared() {
    #expect(!isRefused(request("https://evil.example", kind: .shared)))
    #expect(isRefused(request(nil, kind: .shared) { $0.isLoopback = true }))
  }

  @Test("with a list a page acting as a user must come from a listed origin or the server")
  func listed() {
    let allowed = ["https://good.example"]
    #expect(!isRefused(request("https://Good.example", kind: .user), allowed: allowed))
    #expect(isRefused(request("http://good.example", kind: .user), allowed: allowed))
    #expect(isRefused(request("null", kind: .user), allowed: allowed))
    #expect(!isRefused(request("http://chat.example:8080", kind: .user), allowed: allowed))
    #expect(!isRefused(request("https://other.example"), allowed: allowed))
    #expect(!isRefused(request(nil, kind: .user), allowed: allowed))
  }

  @Test("the scheme's default port may be given or omitted in the list")
  func listedPorts() {
    let allowed = ["https://good.example:443", "http://good.example", "http://[0:0::1]:80", "null"]
    for origin in [
      "https://good.example", "https://good.example:443", "http://good.example:80", "http://[::1]",
      "null",
    ] {
      #expect(!isRefused(request(origin, kind: .user), allowed: allowed), "\(origin)")
    }
    for origin in ["https://good.example:80", "http://good.example:443", "file://"] {
      #expect(isRefused(request(origin, kind: .user), allowed: allowed), "\(origin)")
    }
  }

  @Test("pages of any origin may upload, or only listed ones if there is a list")
  func uploads() {
    let listed = ["https://good.example"]
    #expect(!isRefused(request("https://evil.example", kind: .upload)))
    #expect(isRefused(request("https://evil.example", kind: .upload), allowed: listed))
    #expect(!isRefused(request("https://good.example", kind: .upload), allowed: listed))
    #expect(!isRefused(request("http://chat.example:8080", kind: .upload), allowed: listed))
  }

  @Test("on loopback in open mode a request must name the local machine")
  func hosts() {
    let rules = OriginRules(allowed: [])
    for host in ["localhost:8080", "a.localhost", "127.0.0.1:1", "[::1]:8080"] {
      #expect(rules.refusal(of: request(nil, host: host) { $0.isLoopback = true }) == nil)
    }
    #expect(rules.refusal(of: request(nil, host: nil) { $0.isLoopback = true }) == nil)
    for host in ["evil.example:8080", "", "192.0.2.1", "localhost.evil.example"] {
      #expect(
        rules.refusal(of: request(nil, host: host) { $0.isLoopback = true }) == .host(host))
    }
    #expect(!isRefused(request(nil) { $0.isLoopback = true }, allowed: ["https://chat.example"]))
    #expect(isRefused(request(nil) { $0.isLoopback = true }, allowed: ["https://other.example"]))
  }

  @Test("a star disables both checks, and several origins count as none")
  func open() {
    #expect(!isRefused(request("https://evil.example") { $0.isLoopback = true }, allowed: ["*"]))
    #expect(isRefused(request(nil) { $0.origins = ["http://chat.example:8080", "null"] }))
  }
}
