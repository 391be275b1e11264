import Basics

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

  /// The target's path, its percent-encoding untouched; `*` or an authority stands for itself.
  ///
  /// The scheme and authority of an absolute target are left out, an empty path is `/`.
  package var path: String {
    let path = pathAndQuery.prefix { $0 != UInt8(ascii: "?") }
    return path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
  }

  /// The path's segments, percent-decoded one by one, so that a segment may hold a slash.
  ///
  /// Nothing between two slashes, or behind the last, is an empty segment: without it the
  /// path would be that of something else.
  ///
  /// `nil` when the encoding of one is broken or it is not UTF-8.
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

  /// The host and port that the request is for: those of an absolute target, which count more than
  /// `Host` (RFC 9112 §3.2.2), else those of `Host`.
  ///
  /// `nil` without either, which only HTTP/1.0 allows.
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

  /// Appends the head as a client sends it, up to and with the empty line.
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
