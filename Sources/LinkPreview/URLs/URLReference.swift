internal import Basics

/// A URL reference cut into its parts, those that it lacks taken from a base (RFC 3986 §5.2.2).
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
  /// A slash or a backslash, which browsers take for one.
  var isSlash: Bool { self == UInt8(ascii: "/") || self == UInt8(ascii: "\\") }
}
