import LinkPreview
import TestSupport
import Testing

@testable import Unfurler

@Suite("Freshness of responses (RFC 9111 §4.2)", .onOwnThreads)
struct ResponseFreshnessTests {
  private let noon = "Sun, 06 Nov 1994 12:00:00 GMT"
  private let one = "Sun, 06 Nov 1994 13:00:00 GMT"
  private let noonSeconds: Int64 = 784_123_200

  private func freshness(
    _ cacheControl: [String] = [], age: [String] = [], date: [String] = [], expires: [String] = []
  ) -> Freshness {
    ResponseFreshness(cacheControl: cacheControl, age: age, date: date, expires: expires)
      .freshness(at: noonSeconds)
  }

  @Test("a lifetime in seconds takes precedence over dates, and its elapsed part is subtracted")
  func seconds() {
    #expect(freshness() == .unspecified)
    #expect(freshness(["max-age=60"]) == .seconds(60))
    #expect(freshness(["max-age=60"], age: ["20"]) == .seconds(40))
    #expect(freshness(["max-age=60"], age: ["90"]) == .seconds(0))
    #expect(freshness(["max-age=60"], age: ["99999999999999999999"]) == .seconds(0))
    #expect(freshness(["max-age=60"], age: ["soon"]) == .seconds(60))
    #expect(freshness(["max-age=60"], date: [noon], expires: [one]) == .seconds(60))
    #expect(freshness(["max-age=60, private"]) == .seconds(0))
  }

  @Test("the lifetime is the time between the dates, and an unreadable Expires has passed")
  func dates() {
    #expect(freshness(date: [noon], expires: [one]) == .seconds(3_600))
    #expect(freshness(age: ["600"], date: [noon], expires: [one]) == .seconds(3_000))
    #expect(freshness(date: [one], expires: [noon]) == .seconds(0))
    #expect(freshness(date: [noon], expires: ["0"]) == .seconds(0))
    #expect(freshness(expires: [one]) == .seconds(3_600))
    #expect(freshness(date: ["garbage"], expires: [one]) == .seconds(3_600))
    #expect(
      freshness(date: [noon], expires: ["Fri, 31 Dec 9999 23:59:59 GMT"])
        == .seconds(2_147_483_648))
    #expect(freshness(date: [noon]) == .unspecified)
  }

  @Test("of two responses the shorter lifetime applies")
  func shortened() {
    #expect(Freshness.unspecified.shortened(by: .seconds(5)) == .seconds(5))
    #expect(Freshness.seconds(5).shortened(by: .unspecified) == .seconds(5))
    #expect(Freshness.seconds(5).shortened(by: .seconds(3)) == .seconds(3))
    #expect(Freshness.unspecified.shortened(by: .unspecified) == .unspecified)
    #expect(Freshness.seconds(5).shortened(by: .unkept) == .unkept)
  }

  @Test("along redirects the shortest lifetime is reported; a failure has none")
  func redirects() async throws {
    let server = try LocalServer { client in
      switch client.path {
      case "/": client.redirect(to: "/page")
      case "/short": client.redirect(to: "/page", "301 Moved\r\nCache-Control: max-age=30")
      case "/forbidden": client.redirect(to: "/page", "301 Moved\r\nCache-Control: no-store")
      case "/lost": client.redirect(to: "ftp://x/", "301 Moved\r\nCache-Control: max-age=30")
      case "/gone":
        client.respond("410 Gone", headers: "Cache-Control: max-age=9\r\n", body: [])
      default:
        client.respond(headers: "Cache-Control: max-age=600\r\n", body: Array("<title>T".utf8))
      }
    }
    defer { server.stop() }
    for (path, freshness) in [
      ("/", .seconds(600)), ("/short", .seconds(30)), ("/forbidden", .seconds(0)),
      ("/lost", .unspecified), ("/gone", .seconds(9)),
    ] as [(String, Freshness)] {
      #expect(try await report(on: server.url(path)).freshness == freshness, "\(path)")
    }
  }
}
