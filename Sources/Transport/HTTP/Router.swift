package import HTTP

/// All paths of a server, in one table.
///
/// Literal segments take precedence over numbers, and numbers over texts. The first segment is compared
/// in its percent-encoded form, as it was sent, because that is what rules of a proxy see.
package struct Router<Access: Sendable, Endpoint: Sendable>: Sendable {
  package typealias Route = HTTPRoute<Access, Endpoint>

  /// The paths that begin with one segment, with the access rule for those that have no route.
  package struct Area: Sendable {
    package let segment: String
    package let access: Access

    package init(_ segment: String, access: Access) {
      self.segment = segment
      self.access = access
    }
  }

  /// The reason why a request has no route.
  package enum Miss: Sendable, Hashable {
    case path
    /// The target's percent-encoding is invalid, or it is not UTF-8.
    case encoding
    /// The path exists with other methods, which are listed in `Allow`.
    case method(allowed: [String])
  }

  package enum Match: Sendable {
    case route(Route, PathArguments)
    /// - Parameter access: The access rule of the answer.
    case nothing(Miss, access: Access)

    package var access: Access {
      switch self {
      case .route(let route, _): route.access
      case .nothing(_, let access): access
      }
    }

    /// The reason why there is no route; `nil` when there is one.
    package var miss: Miss? {
      switch self {
      case .route: nil
      case .nothing(let miss, _): miss
      }
    }
  }

  /// A segment shared by all paths that contain it.
  private struct Step: Sendable {
    var literals: [String: Step] = [:]
    /// Ordered by the precedence of the kinds.
    var parameters: [(kind: PathPattern.Kind, name: String, next: Step)] = []
    var routes: [Route] = []
  }

  package let routes: [Route]
  private let areas: [Area]
  private let elsewhere: Access
  private var root = Step()

  /// - Parameter elsewhere: The access rule for paths that have no route and are in no area.
  package init(_ routes: [Route], areas: [Area] = [], elsewhere: Access) {
    self.routes = routes
    self.areas = areas
    self.elsewhere = elsewhere
    for route in routes { Self.insert(route, route.pattern.segments[...], into: &root) }
  }

  /// Finds the route of a request.
  package func match(_ head: HTTPRequestHead) -> Match {
    let first = head.path.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") }
    let access =
      areas.first { first.elementsEqual($0.segment.utf8) }?.access ?? elsewhere
    guard let segments = head.pathSegments else { return .nothing(.encoding, access: access) }
    guard segments.first.map({ first.elementsEqual($0.utf8) }) ?? true else {
      return .nothing(.path, access: access)
    }
    var arguments = PathArguments()
    var others: [Route] = []
    let found = Self.find(head.method, segments[...], root, &arguments, &others)
    if let found { return .route(found, arguments) }
    guard let other = others.first else { return .nothing(.path, access: access) }
    let allowed = others.flatMap(\.allowedMethods)
    return .nothing(.method(allowed: allowed), access: other.access)
  }

  private static func find(
    _ method: String, _ rest: ArraySlice<String>, _ step: Step, _ arguments: inout PathArguments,
    _ others: inout [Route]
  ) -> Route? {
    guard let segment = rest.first else {
      if let route = step.routes.first(where: { $0.answers(method) }) { return route }
      others += step.routes
      return nil
    }
    let next = rest.dropFirst()
    if let literal = step.literals[segment],
      let route = find(method, next, literal, &arguments, &others)
    {
      return route
    }
    for parameter in step.parameters where parameter.kind.admits(segment) {
      let before = arguments
      arguments.append(parameter.name, segment)
      if let route = find(method, next, parameter.next, &arguments, &others) { return route }
      arguments = before
    }
    return nil
  }

  private static func insert(
    _ route: Route, _ rest: ArraySlice<PathPattern.Segment>, into step: inout Step
  ) {
    guard let segment = rest.first else {
      step.routes.append(route)
      return
    }
    switch segment {
    case .literal(let text):
      insert(route, rest.dropFirst(), into: &step.literals[text, default: Step()])
    case .parameter(let name, let kind):
      let known = step.parameters.firstIndex { $0.kind == kind && $0.name == name }
      let place = known ?? step.parameters.firstIndex { $0.kind > kind } ?? step.parameters.count
      if known == nil { step.parameters.insert((kind, name, Step()), at: place) }
      insert(route, rest.dropFirst(), into: &step.parameters[place].next)
    }
  }
}

extension PathPattern.Kind: Comparable {
  /// Orders the kinds by how many values they accept.
  package static func < (a: PathPattern.Kind, b: PathPattern.Kind) -> Bool {
    a.precedence < b.precedence
  }

  private var precedence: Int {
    switch self {
    case .number: 0
    case .script: 1
    case .text: 2
    case .any: 3
    }
  }
}
