package import HTTP

/// The query parameters that a route accepts.
package enum QueryPolicy: Sendable, Hashable {
  /// Any parameters; the endpoint ignores those that it does not read.
  case any
  /// Only the parameters that the endpoint reads, and those that are accepted without effect.
  case only([String], withoutEffect: [String] = [])

  /// The parameters that the endpoint reads, if they are known.
  package var names: [String] {
    switch self {
    case .any: []
    case .only(let names, _): names
    }
  }

  /// The first parameter, by name, that has a value and is not allowed; `nil` if all are allowed.
  package func excess(of query: QueryParameters) -> String? {
    switch self {
    case .any: nil
    case .only(let names, let withoutEffect):
      query.values.lazy.filter { name, value in
        !value.isEmpty && !names.contains(name) && !withoutEffect.contains(name)
      }.map(\.key).min()
    }
  }
}

/// The forms in which a route accepts request bodies.
package enum BodyPolicy: Sendable, Hashable {
  /// The body is ignored.
  case none
  /// With the request; at most this many bytes, by default ``HTTPLimits/bodyBytes``.
  case whole(limit: Int? = nil)
  /// Like `whole`, or a form (`multipart/form-data`) in pieces as it arrives.
  case wholeOrForm

  /// Whether a body of that length fits within the route's limit, if it has one.
  package func admits(byteCount: Int) -> Bool {
    switch self {
    case .none: byteCount == 0
    case .whole(let limit): limit.map { byteCount <= $0 } ?? true
    case .wholeOrForm: true
    }
  }
}

/// A path of a server with its methods, access rule and endpoint.
///
/// `Access` and `Endpoint` are the server's own types.
package struct HTTPRoute<Access: Sendable, Endpoint: Sendable>: Sendable {
  /// The methods of the route, the primary one first; `HEAD` is implied by `GET`.
  package let methods: [String]
  package let pattern: PathPattern
  package let access: Access
  package let query: QueryPolicy
  package let body: BodyPolicy
  package let endpoint: Endpoint

  package init(
    _ methods: [String], _ pattern: PathPattern, access: Access, query: QueryPolicy = .any,
    body: BodyPolicy = .none, _ endpoint: Endpoint
  ) {
    self.methods = methods
    self.pattern = pattern
    self.access = access
    self.query = query
    self.body = body
    self.endpoint = endpoint
  }

  /// The methods listed in `Allow`.
  var allowedMethods: [String] {
    methods.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }
  }

  /// Whether the route answers a method; `HEAD` counts as `GET` without the body.
  func answers(_ method: String) -> Bool {
    methods.contains(method) || method == "HEAD" && methods.contains("GET")
  }
}

/// The path of a route: literal segments, and parameters in braces.
///
///     /v3/open_channels/{channel_url}/messages/{message_id:number}
///
/// A parameter is of kind `text` unless the pattern names another kind.
package struct PathPattern: Sendable, Hashable, ExpressibleByStringInterpolation,
  CustomStringConvertible
{
  /// The values that a parameter accepts.
  package enum Kind: String, Sendable, Hashable {
    /// Any non-empty text: an empty segment is a variable that the caller forgot.
    case text
    /// Digits with an optional sign; a number that is out of range is still a number.
    case number
    /// A file name that ends in `.js` or `.d.ts`.
    case script
    /// Any text.
    case any

    func admits(_ segment: String) -> Bool {
      switch self {
      case .text: return !segment.isEmpty
      case .number:
        let digits = segment.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
        return !digits.isEmpty
          && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      case .script: return segment.hasSuffix(".js") || segment.hasSuffix(".d.ts")
      case .any: return true
      }
    }
  }

  enum Segment: Sendable, Hashable {
    case literal(String)
    case parameter(String, Kind)
  }

  let segments: [Segment]
  private let name: String?

  /// Creates a pattern.
  ///
  /// - Parameter name: The description of a path with a part that changes between builds.
  package init(_ text: String, describedAs name: String? = nil) {
    self.name = name
    segments = text.split(separator: "/").map { part in
      guard part.hasPrefix("{"), part.hasSuffix("}") else { return .literal(String(part)) }
      let parts = part.dropFirst().dropLast().split(separator: ":")
      let kind = parts.dropFirst().first.flatMap { Kind(rawValue: String($0)) } ?? .text
      return .parameter(String(parts.first ?? ""), kind)
    }
  }

  package init(stringLiteral text: String) { self.init(text) }

  /// The path in OpenAPI notation, without the kinds of its parameters; also its label in metrics.
  package var description: String {
    if let name { return name }
    let parts = segments.map { segment in
      switch segment {
      case .literal(let text): text
      case .parameter(let name, _): "{\(name)}"
      }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// Whether one of the literal segments is this text.
  package func names(_ text: String) -> Bool { segments.contains(.literal(text)) }

  /// The path with its parameters replaced, in order, by these percent-encoded values.
  package func path(_ values: String...) -> String {
    var rest = values[...]
    let parts = segments.map { segment in
      switch segment {
      case .literal(let text): text
      case .parameter: rest.popFirst() ?? ""
      }
    }
    return "/" + parts.joined(separator: "/")
  }
}

/// The values of a path's parameters, percent-decoded and accessed by name.
package struct PathArguments: Sendable {
  private var values: [(name: String, value: String)] = []

  package init() {}

  /// The values with their parameter names, in the order of the path.
  package var all: [(name: String, value: String)] { values }

  /// The value of a parameter; empty for a name that the pattern does not have.
  package subscript(_ name: String) -> String {
    values.first { $0.name == name }?.value ?? ""
  }

  mutating func append(_ name: String, _ value: String) { values.append((name, value)) }
}
