import Basics

/// A request with its complete body.
package struct HTTPRequest: Sendable, Hashable {
  /// The request line and fields.
  package var head: HTTPRequestHead
  /// The content, without transfer coding.
  package var body: [UInt8]

  /// Makes a request.
  package init(head: HTTPRequestHead, body: [UInt8] = []) {
    self.head = head
    self.body = body
  }

  /// Appends the request as a client sends it, with a `Content-Length` when there is a body.
  package func serialize(into bytes: inout [UInt8]) {
    var head = head
    if !body.isEmpty { head.fields["Content-Length"] = String(body.count) }
    head.serialize(into: &bytes)
    bytes.append(contentsOf: body)
  }
}

/// The request line and fields of a request (RFC 9112 §3).
package struct HTTPRequestHead: Sendable, Hashable {
  /// The method as sent; methods are case-sensitive.
  package var method: String
  /// The request target as sent.
  package var target: String
  /// The version of the sender.
  package var version: HTTPVersion
  /// The fields, in their original order and spelling.
  package var fields: HTTPFields

  /// Makes a head.
  package init(
    method: String = "GET", target: String, version: HTTPVersion = .http11,
    fields: HTTPFields = HTTPFields()
  ) {
    self.method = method
    self.target = target
    self.version = version
    self.fields = fields
  }

  /// The target's path, still percent-encoded; `*` and an authority are returned unchanged.
  ///
  /// The scheme and authority of an absolute target are omitted; an empty path is `/`.
  package var path: String {
    let path = pathAndQuery.prefix { $0 != UInt8(ascii: "?") }
    return path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
  }

  /// The path's segments, percent-decoded separately, so that a segment may contain a slash.
  ///
  /// An empty text between two slashes, or after the last one, is an empty segment: without it the path
  /// would match that of another resource.
  ///
  /// `nil` when the encoding of a segment is invalid, or the result is not UTF-8.
  package var pathSegments: [String]? {
    var segments: [String] = []
    guard path != "/" else { return segments }
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for part in parts.first?.isEmpty == true ? parts.dropFirst() : parts[...] {
      guard let segment = PercentEncoding.text(part) else { return nil }
      segments.append(segment)
    }
    return segments
  }

  /// The text after the target's first question mark, not decoded, or `nil` without one.
  package var query: String? {
    let bytes = pathAndQuery
    guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return String(decoding: bytes[bytes.index(after: mark)...], as: UTF8.self)
  }

  /// The host and port that the request is for: those of an absolute target, which take precedence over
  /// `Host` (RFC 9112 §3.2.2), otherwise those of `Host`.
  ///
  /// `nil` if both are missing, which only HTTP/1.0 allows.
  package var authority: HTTPAuthority? {
    (targetAuthority ?? fields["Host"]).flatMap { HTTPAuthority($0) }
  }

  /// The authority of an absolute target; `nil` for a target in another form.
  var targetAuthority: String? {
    let bytes = ArraySlice(target.utf8)
    guard let start = Self.authorityStart(of: bytes) else { return nil }
    let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
    return String(decoding: bytes[start..<(end ?? bytes.endIndex)], as: UTF8.self)
  }

  /// Whether the sender lets the connection serve another request (RFC 9112 §9.3).
  package var shouldKeepAlive: Bool { version.keepsAlive(fields) }

  /// Appends the head as a client sends it, including the empty line.
  package func serialize(into bytes: inout [UInt8]) {
    bytes.append(contentsOf: "\(method) \(target) \(version)\r\n".utf8)
    fields.serialize(into: &bytes)
    bytes.append(contentsOf: "\r\n".utf8)
  }

  private var pathAndQuery: ArraySlice<UInt8> {
    let bytes = ArraySlice(target.utf8)
    guard let authority = Self.authorityStart(of: bytes) else { return bytes }
    let rest = bytes[authority...]
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
    return rest[(end ?? rest.endIndex)...]
  }

  /// The place where the authority of an absolute target begins: after `://`, if that ends a scheme.
  private static func authorityStart(of target: ArraySlice<UInt8>) -> Int? {
    guard target.first != UInt8(ascii: "/"),
      let colon = target.firstIndex(of: UInt8(ascii: ":")),
      target[colon...].starts(with: "://".utf8)
    else { return nil }
    return colon + 3
  }
}

extension HTTPVersion {
  /// Whether a message of this version with these fields leaves the connection open.
  func keepsAlive(_ fields: HTTPFields) -> Bool {
    if fields.listContains("close", in: "Connection") { return false }
    return self == .http11 || fields.listContains("keep-alive", in: "Connection")
  }
}

extension HTTPFields {
  /// Appends the field lines, without the empty line that ends a head.
  func serialize(into bytes: inout [UInt8]) {
    for field in self {
      bytes.append(contentsOf: field.name.utf8)
      bytes.append(contentsOf: ": ".utf8)
      bytes.append(contentsOf: field.value.utf8)
      bytes.append(contentsOf: "\r\n".utf8)
    }
  }
}

extension HTTPRequestHead {
  /// Whether the body is compressed or otherwise coded (RFC 9110 §8.4).
  package var hasCodedContent: Bool {
    fields.listValues(of: "Content-Encoding").contains {
      !HTTPSyntax.equalIgnoringCase($0, "identity")
    }
  }

  /// Whether the client already has the version with this entity tag (RFC 9110 §13.1.2): then 304.
  ///
  /// - Parameter tag: A strong tag, including its quotes.
  package func hasVersion(_ tag: String) -> Bool {
    fields.listValues(of: "If-None-Match").contains { known in
      known == "*" || known == tag || known == "W/" + tag
    }
  }

  /// The requested part of content with this entity tag; everything when the client has a part of
  /// another version (RFC 9110 §13.1.5).
  package func range(length: Int64, tag: String) -> HTTPByteRange {
    guard fields["If-Range"].map({ $0 == tag }) ?? true else { return .whole }
    let ranges = fields.values(of: "Range")
    return HTTPByteRange(ranges.count == 1 ? ranges[0] : nil, length: length)
  }
}

/// The supported versions of HTTP/1.
package enum HTTPVersion: Sendable, Hashable {
  /// HTTP/1.0, in which connections close by default.
  case http10
  /// HTTP/1.1, in which connections stay open by default.
  case http11
}

extension HTTPVersion: CustomStringConvertible {
  package var description: String {
    switch self {
    case .http10: "HTTP/1.0"
    case .http11: "HTTP/1.1"
    }
  }
}

/// The parameters of a query in the form encoding: `a=b&c=d`, percent-encoded, `+` for a space.
package struct QueryParameters: Sendable, Hashable {
  /// The values by name; if a name is repeated, the last value counts.
  package private(set) var values: [String: String] = [:]

  /// Parses a query; `nil` when its percent-encoding is invalid or it is not UTF-8.
  ///
  /// A name without an equals sign has an empty value. The limit on the target's length also limits the
  /// number of parameters.
  package init?(_ query: String?) {
    for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decode(parts[0]), let value = Self.decode(parts.dropFirst().first)
      else { return nil }
      values[name] = value
    }
  }

  /// The value of a parameter; `nil` when it is missing.
  package subscript(_ name: String) -> String? { values[name] }

  private static func decode(_ text: Substring.UTF8View?) -> String? {
    guard let text else { return "" }
    return PercentEncoding.text(
      text.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
  }
}
