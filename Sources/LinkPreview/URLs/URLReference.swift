internal import Basics

/// A URL reference split into its parts, with missing ones taken from a base (RFC 3986 §5.2.2).
struct URLReference {
  let scheme: WebURL.Scheme
  let authority: ArraySlice<UInt8>
  let path: ArraySlice<UInt8>
  let query: ArraySlice<UInt8>?
}

extension URLReference {
  /// - Parameter text: Without fragment, white space and control characters.
  init?(_ text: ArraySlice<UInt8>, relativeTo base: WebURL?) {
    guard let (name, rest) = Self.schemeName(of: text) else {
      self.init(relative: text, to: base)
      return
    }
    guard let scheme = WebURL.Scheme(rawValue: name) else { return nil }
    // `https:page` is relative to an https page, for historical reasons (WHATWG URL §4.4).
    if let base, base.scheme == scheme, rest.first?.isSlash != true {
      self.init(relative: rest, to: base)
    } else {
      self.init(scheme: scheme, afterSlashes: rest.drop(while: \.isSlash))
    }
  }

  private init(scheme: WebURL.Scheme, afterSlashes text: ArraySlice<UInt8>) {
    let (hierarchy, query) = text.cut(at: UInt8(ascii: "?"))
    let end = hierarchy.firstIndex(where: \.isSlash) ?? hierarchy.endIndex
    self.init(
      scheme: scheme, authority: hierarchy[..<end], path: hierarchy[end...], query: query)
  }

  private init?(relative text: ArraySlice<UInt8>, to base: WebURL?) {
    guard let base else { return nil }
    if text.prefix(2).count == 2, text.prefix(2).allSatisfy(\.isSlash) {
      self.init(scheme: base.scheme, afterSlashes: text.drop(while: \.isSlash))
      return
    }
    let (path, query) = text.cut(at: UInt8(ascii: "?"))
    let authority = Array("\(base.host.text):\(base.port)".utf8)[...]
    let basePath = Array(base.path.utf8)
    if path.isEmpty {
      self.init(
        scheme: base.scheme, authority: authority, path: basePath[...],
        query: query ?? base.query.map { Array($0.utf8)[...] })
    } else {
      let folder = basePath.prefix(through: basePath.lastIndex(of: UInt8(ascii: "/")) ?? 0)
      self.init(
        scheme: base.scheme, authority: authority,
        path: path.first?.isSlash == true ? path : (folder + path)[...], query: query)
    }
  }

  private static func schemeName(
    of text: ArraySlice<UInt8>
  ) -> (String, rest: ArraySlice<UInt8>)? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
      text.first?.isASCIILetter == true,
      text[..<colon].allSatisfy({
        $0.isASCIIAlphanumeric || $0 == 0x2b || $0 == 0x2d || $0 == 0x2e
      })
    else { return nil }
    let name = String(decoding: text[..<colon].asciiLowercased(), as: UTF8.self)
    return (name, text[(colon + 1)...])
  }
}

extension UInt8 {
  /// A slash or a backslash, which browsers treat as a slash.
  var isSlash: Bool { self == UInt8(ascii: "/") || self == UInt8(ascii: "\\") }
}

/// The normalized path of a URL.
enum URLPath {
  /// Returns the path with slashes instead of backslashes, without dot segments (RFC 3986 §5.2.4),
  /// percent-encoded, and starting with a slash.
  static func normalize(_ path: ArraySlice<UInt8>) -> String {
    var segments: [ArraySlice<UInt8>] = []
    let given = path.split(omittingEmptySubsequences: false, whereSeparator: \.isSlash)
    // The part before the first slash is empty, or there is no path.
    let relevant = path.first?.isSlash == true ? given.dropFirst() : given[...]
    for (position, segment) in relevant.enumerated() {
      let isLast = position == relevant.count - 1
      switch dots(in: segment) {
      case 1: if isLast { segments.append([]) }
      case 2:
        _ = segments.popLast()
        if isLast { segments.append([]) }
      default: segments.append(segment)
      }
    }
    let text = segments.map { "/" + PercentEncoding.encode($0, keeping: .path) }.joined()
    return text.isEmpty ? "/" : text
  }

  /// Returns 1 for `.`, 2 for `..`, also if percent-encoded; 0 for any other segment.
  private static func dots(in segment: ArraySlice<UInt8>) -> Int {
    guard segment.count <= 6, let first = segment.first, first == 0x2e || first == 0x25 else {
      return 0
    }
    switch String(decoding: segment, as: UTF8.self).lowercased() {
    case ".", "%2e": return 1
    case "..", ".%2e", "%2e.", "%2e%2e": return 2
    default: return 0
    }
  }
}

/// The host and port of a URL.
struct URLAuthority {
  let host: Host
  let port: UInt16

  init?(_ text: ArraySlice<UInt8>, scheme: WebURL.Scheme) {
    // Userinfo carries credentials, or disguises one site as another; a preview needs neither.
    guard !text.contains(UInt8(ascii: "@")) else { return nil }
    guard let parts = HostAndPort(splitting: text), let host = Host(parsing: parts.host) else {
      return nil
    }
    var port = scheme.defaultPort
    if let digits = parts.port, !digits.isEmpty {
      guard digits.count <= 8, let number = HostAndPort.number(of: digits), number > 0 else {
        return nil
      }
      port = number
    }
    self.host = host
    self.port = port
  }
}

/// The parts of a URL, each with its set of literal bytes (WHATWG URL §1.3); a percent sign is one
/// of them, so that encoded bytes stay encoded.
extension PercentEncoding.Literals {
  static let path = Self {
    isLiteral($0) && !["`", "{", "}", "^"].contains(Unicode.Scalar($0))
  }

  static let query = Self { isLiteral($0) && $0 != UInt8(ascii: "'") }

  static let fragment = Self { isLiteral($0) && $0 != UInt8(ascii: "`") }

  private static func isLiteral(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7f..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): false
    default: true
    }
  }
}
