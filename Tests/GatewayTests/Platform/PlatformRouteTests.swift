import Bytes
import HTTP1
import Testing

@testable import Gateway

@Suite("Routes of the Platform API")
struct PlatformRouteTests {
  private func request(_ method: String, _ target: String) throws -> PlatformRequest {
    try PlatformRequest(HTTPRequest(head: HTTPRequestHead(method: method, target: target)))
  }

  private func endpoint(_ method: String, _ target: String) throws -> String? {
    let request = try request(method, target)
    return PlatformAPI.routes.first { $0.arguments(of: request) != nil }?
      .pattern.joined(separator: "/")
  }

  @Test("the open parts of a path are its arguments, percent-decoded")
  func arguments() throws {
    let route = PlatformRoute("GET", "open_channels/*/ban/*", PlatformCall.viewBan)
    let fitting = try request("GET", "/v3/open_channels/lobby/ban/a%2Fb%20c")
    #expect(route.arguments(of: fitting) == ["lobby", "a/b c"])
    for (method, target) in [
      ("PUT", "/v3/open_channels/lobby/ban/a"), ("GET", "/v3/open_channels/lobby/ban"),
      ("GET", "/v3/open_channels/lobby/mute/a"), ("GET", "/v3/open_channels/lobby/ban/a/b"),
    ] {
      #expect(route.arguments(of: try request(method, target)) == nil)
    }
  }

  @Test("a path whose name is missing leads nowhere")
  func missingNames() throws {
    for target in [
      "/v3/users/", "/v3/users//metadata", "/v3/users/ada/metadata/", "/v3//users", "/v3/users//",
      "/v3/open_channels//ban/ada", "/v3/open_channels/lobby/messages/",
    ] {
      for method in ["GET", "PUT", "DELETE"] {
        #expect(try endpoint(method, target) == nil, "\(method) \(target)")
      }
    }
  }

  @Test("a count of messages is no message of that name")
  func order() throws {
    #expect(
      try endpoint("GET", "/v3/open_channels/lobby/messages/total_count")
        == "open_channels/*/messages/total_count")
    #expect(
      try endpoint("GET", "/v3/open_channels/lobby/messages/5") == "open_channels/*/messages/#")
    #expect(try endpoint("GET", "/v3/group_channels") == nil)
    #expect(try endpoint("GET", "/v3") == nil)
  }

  @Test("a word where a message's number is expected leads nowhere, a number out of range does")
  func numbers() throws {
    for part in ["mark_as_read", "1.5", "0x1", "1 ", "-", "١"] {
      for method in ["GET", "PUT", "DELETE"] {
        let target = "/v3/open_channels/lobby/messages/\(PercentEncoding.encode(part))"
        #expect(try endpoint(method, target) == nil, "\(method) \(part)")
      }
    }
    for part in ["0", "-1", "99999999999999999999"] {
      #expect(try endpoint("PUT", "/v3/open_channels/lobby/messages/\(part)") != nil, "\(part)")
    }
  }

  @Test("no two routes have the same method and pattern")
  func unique() {
    let names = PlatformAPI.routes.map { "\($0.method) \($0.pattern.joined(separator: "/"))" }
    #expect(Set(names).count == names.count)
  }
}
