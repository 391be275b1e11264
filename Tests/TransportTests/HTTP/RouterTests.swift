import Basics
import HTTP
import Testing
import Transport

@Suite("Router")
struct RouterTests {
  private enum Access {
    case anyone
    case caller
  }

  private typealias Table = Router<Access, String>

  private static let table = Table(
    [
      route(["GET"], "/", .anyone), route(["GET"], "/v3/openapi.json", .anyone),
      route(["GET"], "/v3/rooms/{room}"), route(["POST"], "/v3/rooms"),
      route(["GET"], "/v3/rooms/{room}/messages/total"),
      route(["PUT", "DELETE"], "/v3/rooms/{room}/messages/{message:number}"),
      route(["GET"], "/v3/rooms/{room}/bans/{user}"),
      route(["GET"], "/files/{file}/{name:any}", .anyone),
      route(["GET"], "/{name:script}", .anyone),
      route(["GET"], "/v3/a/{x}/c"), route(["GET"], "/v3/{y}/b/d"),
    ], areas: [.init("v3", access: .caller)], elsewhere: .anyone)

  private static func route(
    _ methods: [String], _ pattern: PathPattern, _ access: Access = .caller
  ) -> Table.Route {
    Table.Route(methods, pattern, access: access, "\(pattern)")
  }

  private func match(_ method: String, _ target: String) -> Table.Match {
    Self.table.match(HTTPRequestHead(method: method, target: target))
  }

  private func endpoint(_ method: String, _ target: String) -> String? {
    guard case .route(let route, _) = match(method, target) else { return nil }
    return route.endpoint
  }

  @Test("the parameters of a path are percent-decoded arguments")
  func arguments() throws {
    guard case .route(let route, let arguments) = match("GET", "/v3/rooms/lobby/bans/a%2Fb%20c?x=y")
    else {
      Issue.record("no route")
      return
    }
    #expect(route.endpoint == "/v3/rooms/{room}/bans/{user}")
    #expect(arguments["room"] == "lobby")
    #expect(arguments["user"] == "a/b c")
    #expect(arguments["other"] == "")
  }

  @Test("literals take precedence over parameters, with backtracking")
  func precedence() {
    #expect(endpoint("GET", "/v3/rooms/x/messages/total") == "/v3/rooms/{room}/messages/total")
    #expect(endpoint("PUT", "/v3/rooms/x/messages/1") == "/v3/rooms/{room}/messages/{message}")
    #expect(endpoint("GET", "/client.js") == "/{name}")
    #expect(endpoint("GET", "/client.d.ts") == "/{name}")
    #expect(endpoint("GET", "/client.json") == nil)
    #expect(endpoint("GET", "/v3/client.js") == nil)
    #expect(endpoint("GET", "/v3/a/b/c") == "/v3/a/{x}/c")
    #expect(endpoint("GET", "/v3/a/b/d") == "/v3/{y}/b/d")
    #expect(endpoint("GET", "/v3/a/x/d") == nil)
  }

  @Test("numbers are digits with or without a sign, of any range")
  func numbers() {
    for part in ["0", "-1", "+5", "99999999999999999999"] {
      #expect(endpoint("PUT", "/v3/rooms/x/messages/\(part)") != nil, "\(part)")
    }
    for part in ["word", "1.5", "0x1", "1 ", "-", "١", ""] {
      let target = "/v3/rooms/x/messages/\(PercentEncoding.encode(part))"
      #expect(endpoint("PUT", target) == nil, "\(part)")
    }
  }

  @Test("a text parameter is not empty, a rest parameter may be")
  func emptySegments() {
    for target in ["/v3/rooms/", "/v3/rooms//messages/1", "/v3//rooms", "//v3/rooms"] {
      for method in ["GET", "PUT", "POST"] { #expect(endpoint(method, target) == nil, "\(target)") }
    }
    #expect(endpoint("GET", "/files/1/") != nil)
    #expect(endpoint("GET", "/files//x") == nil)
    #expect(endpoint("GET", "/") == "/")
    #expect(endpoint("GET", "/?q") == "/")
  }

  @Test("a wrong method is distinguished from a wrong path, and lists the path's methods")
  func misses() {
    #expect(match("PATCH", "/v3/rooms/x/messages/1").miss == .method(allowed: ["PUT", "DELETE"]))
    #expect(match("HEAD", "/v3/rooms").miss == .method(allowed: ["POST"]))
    #expect(match("HEAD", "/v3/openapi.json").miss == nil)
    #expect(match("PUT", "/v3/openapi.json").miss == .method(allowed: ["GET", "HEAD"]))
    #expect(match("HEAD", "/").miss == nil)
    #expect(match("get", "/").miss == .method(allowed: ["GET", "HEAD"]))
    #expect(match("GET", "/v3/rooms/x/y").miss == .path)
    #expect(match("GET", "/v3/rooms/%").miss == .encoding)
    #expect(match("GET", "/v3/rooms/%ff").miss == .encoding)
  }

  @Test("an unknown path has the access rule of its area, a wrong method that of the path")
  func access() {
    #expect(match("GET", "/v3/rooms/x/y").access == .caller)
    #expect(match("GET", "/v3").access == .caller)
    #expect(match("GET", "/v3/%").access == .caller)
    #expect(match("POST", "/v3/openapi.json").access == .anyone)
    #expect(match("GET", "/v3/openapi.json").access == .anyone)
    for target in ["/v3rooms", "/V3/rooms", "/nothing", "/%"] {
      #expect(match("GET", target).access == .anyone, "\(target)")
    }
  }

  @Test("the first segment is matched as it was sent, so that proxy rules apply")
  func encodedAreas() {
    #expect(match("POST", "/%763/rooms").miss == .path)
    #expect(endpoint("POST", "/v3/%72ooms") == "/v3/rooms")
    #expect(endpoint("POST", "http://host/v3/rooms") == "/v3/rooms")
  }

  @Test("a pattern is printed in OpenAPI form, and with values as a path")
  func patterns() {
    let pattern: PathPattern = "/v3/rooms/{room}/messages/{message:number}"
    #expect("\(pattern)" == "/v3/rooms/{room}/messages/{message}")
    #expect(pattern.path("a%20b", "7") == "/v3/rooms/a%20b/messages/7")
    let root: PathPattern = "/"
    #expect("\(root)" == "/")
  }
}
