/// The media types that are read as pages.
package enum HTMLMediaType: Sendable, Hashable {
  case html, xhtml

  /// The type that a `Content-Type` names, `nil` for all others and when there is none.
  package init?(_ contentType: String?) {
    guard let contentType else { return nil }
    let essence = Array(contentType.utf8.prefix { $0 != UInt8(ascii: ";") })
    switch String(decoding: essence.trimmingASCIIWhitespace().asciiLowercased(), as: UTF8.self) {
    case "text/html": self = .html
    case "application/xhtml+xml": self = .xhtml
    default: return nil
    }
  }
}
