import Basics
import HTTP
import ParleyProtocol
import Store
import Testing
import Transport

@testable import Gateway

@Suite("Routes")
struct RoutesTests {
  private func match(_ method: String, _ target: String) -> Routes.Table.Match {
    Routes.table.match(HTTPRequestHead(method: method, target: target))
  }

  private func pattern(_ method: String, _ target: String) -> String? {
    guard case .route(let route, _) = match(method, target) else { return nil }
    return route.pattern.description
  }

  private static let limits = JSONLimits(byteCount: 1 << 20, depth: 64, nodeCount: 100_000)

  @Test("the parameters of a path are its arguments, percent-decoded")
  func arguments() throws {
    let found = match("GET", "/v3/open_channels/lobby/ban/a%2Fb%20c")
    guard case .route(let route, let arguments) = found else {
      Issue.record("no route")
      return
    }
    #expect(route.pattern.description == "/v3/open_channels/{channel_url}/ban/{user_id}")
    #expect(arguments["channel_url"] == "lobby")
    #expect(arguments["user_id"] == "a/b c")
    for (method, target) in [
      ("PATCH", "/v3/open_channels/lobby/ban/a"), ("HEAD", "/v3/open_channels/lobby/freeze"),
      ("GET", "/v3/open_channels/lobby/bans/a"), ("GET", "/v3/open_channels/lobby/ban/a/b"),
    ] {
      #expect(pattern(method, target) == nil)
    }
  }

  @Test("a path says which kind of channels it is about")
  func kinds() {
    let kinds: [(String, ChannelKind?)] = [
      ("/v3/open_channels", .open), ("/v3/open_channels/{channel_url}/messages", .open),
      ("/v3/group_channels/{channel_url}/members/{user_id}", .group),
      ("/v3/parley/forms/group_channels/{channel_url}", .group),
      ("/v3/parley/limits/channels/{channel_url}", nil), ("/v3/users/{user_id}", nil),
    ]
    for (path, kind) in kinds { #expect(ChannelKind(of: PathPattern(path)) == kind, "\(path)") }
    #expect(ChannelKind(of: "/v3/users/{open_channels}") == nil)
  }

  @Test("both kinds of channels have the calls about messages, moderation and stored items")
  func sharedCalls() {
    func calls(_ kind: ChannelKind) -> Set<String> {
      let channel = "/v3/\(kind.rawValue)/{channel_url}/"
      return Set(
        PlatformRoutes.all.compactMap { route in
          let path = route.pattern.description
          guard path.hasPrefix(channel) else { return nil }
          return "\(route.methods) \(path.dropFirst(channel.count))"
        })
    }
    let (open, group) = (calls(.open), calls(.group))
    #expect(open.subtracting(group) == [#"["GET"] participants"#])
    #expect(
      Set(group.subtracting(open).map { $0.split(separator: " ").last.map(String.init) }) == [
        "invite", "accept", "decline", "join", "leave", "members", "members/{user_id}", "hide",
        "reset_user_history", "messages/mark_as_read", "messages/unread_count",
        "typing",
      ])
  }

  @Test("a path with a missing name has no route")
  func missingNames() throws {
    for target in [
      "/v3/users/", "/v3/users//metadata", "/v3/users/ada/metadata/", "/v3//users", "/v3/users//",
      "/v3/open_channels//ban/ada", "/v3/open_channels/lobby/messages/",
    ] {
      for method in ["GET", "PUT", "DELETE"] {
        #expect(pattern(method, target) == nil, "\(method) \(target)")
      }
    }
  }

  @Test("the path of the message count is not parsed as a message")
  func order() throws {
    #expect(
      pattern("GET", "/v3/open_channels/lobby/messages/total_count")
        == "/v3/open_channels/{channel_url}/messages/total_count")
    #expect(
      pattern("GET", "/v3/open_channels/lobby/messages/5")
        == "/v3/open_channels/{channel_url}/messages/{message_id}")
    #expect(
      pattern("GET", "/v3/group_channels/team/messages/unread_count")
        == "/v3/group_channels/{channel_url}/messages/unread_count")
    #expect(pattern("PUT", "/v3/group_channels") == nil)
    #expect(pattern("GET", "/v3") == nil)
  }

  @Test("a word instead of a message ID has no route, but an out-of-range number has")
  func numbers() throws {
    for part in ["mark_as_read", "1.5", "0x1", "1 ", "-", "١"] {
      for method in ["GET", "PUT", "DELETE"] {
        let target = "/v3/open_channels/lobby/messages/\(PercentEncoding.encode(part))"
        #expect(pattern(method, target) == nil, "\(method) \(part)")
      }
    }
    for part in ["0", "-1", "99999999999999999999"] {
      #expect(pattern("PUT", "/v3/open_channels/lobby/messages/\(part)") != nil, "\(part)")
    }
  }

  @Test("no two routes have the same method and pattern")
  func unique() {
    let names = Routes.table.routes.flatMap { route in
      route.methods.map { "\($0) \(route.pattern)" }
    }
    #expect(Set(names).count == names.count)
  }

  @Test("each path below /v3 except its description requires an API token")
  func access() {
    for route in Routes.table.routes {
      let path = route.pattern.description
      let isPlatform = path.hasPrefix("/v3/") && path != "/v3/openapi.json"
      if case .platform = route.access {
        #expect(isPlatform, "\(path)")
      } else {
        #expect(!isPlatform, "\(path)")
      }
    }
    for target in ["/v3", "/v3/", "/v3/nothing", "/v3/%"] {
      #expect(match("GET", target).access == .platform(.whileServing, .viewer), "\(target)")
    }
    #expect(match("PATCH", "/v3/openapi.json").access == .shared)
  }

  @Test(
    "viewers may only read, except the audit log and exports, and request a ticket, and moderators also moderate both kinds of channels"
  )
  func roles() {
    let moderation: Set = [
      "POST messages", "DELETE messages/{message_id}", "PUT freeze", "POST ban",
      "PUT ban/{user_id}", "DELETE ban/{user_id}", "POST mute", "DELETE mute/{user_id}",
    ]
    var found: [String: Int] = [:]
    for route in Routes.table.routes {
      guard case .platform(_, let role) = route.access else { continue }
      let path = route.pattern.description
      switch role {
      case .viewer:
        #expect(route.methods == ["GET"] || path == "/v3/parley/tickets", "\(path)")
      case .moderator where path == "/v3/parley/reports/{report_id}":
        #expect(route.methods == ["PUT"])
      case .moderator:
        let call = path.split(separator: "/{channel_url}/").last ?? ""
        found["\(route.methods[0]) \(call)", default: 0] += 1
      case .admin:
        // They have addresses of clients, and those of files that need no token.
        let isSecret = ["/v3/parley/audit", "/v3/export/", "/v3/privacy/"].contains {
          path.hasPrefix($0)
        }
        #expect(route.methods != ["GET"] || isSecret, "\(path)")
      }
    }
    #expect(Set(found.keys) == moderation)
    #expect(found.values.allSatisfy { $0 == ChannelKind.allCases.count })
  }

  @Test("a draining gateway still returns its status, and accepts another drain request")
  func availability() {
    let always = Routes.table.routes.filter { route in
      if case .platform(.always, _) = route.access { true } else { false }
    }
    #expect(
      always.map { "\($0.methods[0]) \($0.pattern)" }.sorted()
        == [
          "GET /v3/parley/channels/busiest", "GET /v3/parley/cluster", "GET /v3/parley/metrics",
          "GET /v3/parley/metrics/history",
          "GET /v3/parley/settings", "GET /v3/parley/status",
          "POST /v3/parley/cluster/servers/{server_id}/drain", "POST /v3/parley/drain",
        ])
  }

  /// One operation: its method, its path and the forms of its body.
  private struct Operation: Hashable, CustomStringConvertible {
    let method: String
    let path: String
    let bodies: Set<String>

    var description: String { "\(method) \(path) \(bodies.sorted())" }
  }

  @Test("each Platform API call lists its query parameters as OpenAPI does")
  func parameters() throws {
    let root = try JSONDocument(DocumentContent.openAPI, limits: Self.limits).root
    for route in Routes.table.routes {
      guard case .platform = route.access else { continue }
      guard case .only(let names, let withoutEffect) = route.query else {
        Issue.record("\(route.methods) \(route.pattern) takes any parameters")
        continue
      }
      let operation = root["paths"]?[route.pattern.description]?[route.methods[0].lowercased()]
      var described: [String] = []
      if let parameters = operation?["parameters"] {
        for parameter in parameters.elements {
          let reference = parameter["$ref"]?.string?.split(separator: "/").last.map(String.init)
          let shared = reference.flatMap { root["components"]?["parameters"]?[$0] }
          let parameter = shared ?? parameter
          guard parameter["in"]?.string == "query", let name = parameter["name"]?.string else {
            continue
          }
          described.append(name)
        }
      }
      #expect(Set(described) == Set(names), "\(route.methods) \(route.pattern)")
      #expect(described.count == names.count, "\(route.methods) \(route.pattern)")
      #expect(Set(names).isDisjoint(with: withoutEffect), "\(route.methods) \(route.pattern)")
    }
  }

  @Test("OpenAPI describes the same paths, methods and bodies")
  func description() throws {
    let root = try JSONDocument(DocumentContent.openAPI, limits: Self.limits).root
    var described: Set<Operation> = []
    for (path, item) in try #require(root["paths"]).members {
      for (method, operation) in item.members where method != "parameters" {
        let content = operation["requestBody"]?["content"]
        described.insert(
          Operation(
            method: method.uppercased(), path: path,
            bodies: Set(content?.members.map(\.name) ?? [])))
      }
    }
    // The bodies of uploads are files, and their routes and those of streams take several methods.
    let isUpload = { (route: Routes.Route) in
      switch route.endpoint {
      case .upload, .stream: true
      case .resource, .platform, .channel: false
      }
    }
    let uploads = Routes.table.routes.filter(isUpload)
    let uploadPaths = Set(uploads.map(\.pattern.description))
    #expect(
      Set(described.filter { uploadPaths.contains($0.path) }.map { "\($0.method) \($0.path)" })
        == Set(uploads.flatMap { route in route.methods.map { "\($0) \(route.pattern)" } }))
    described = described.filter { !uploadPaths.contains($0.path) }
    let routes = Routes.table.routes.filter { !isUpload($0) }
    let forms = "/v3/parley/forms/"
    let routed = Set(
      routes.map { route in
        Operation(
          method: route.methods[0], path: route.pattern.description,
          bodies: route.body.describedTypes(isForm: route.pattern.description.hasPrefix(forms)))
      })
    #expect(described.subtracting(routed).isEmpty, "described, and not there")
    #expect(routed.subtracting(described).isEmpty, "there, and not described")
    #expect(routed.count == routes.count)
  }
}

extension BodyPolicy {
  /// A call that takes JSON and forms has a path for each in the description.
  fileprivate func describedTypes(isForm: Bool) -> Set<String> {
    switch self {
    case .none: []
    case .whole: ["application/json"]
    case .wholeOrForm: [isForm ? "multipart/form-data" : "application/json"]
    }
  }
}
