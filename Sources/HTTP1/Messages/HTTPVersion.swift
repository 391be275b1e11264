/// The versions of HTTP/1 that are spoken here.
package enum HTTPVersion: Sendable, Hashable {
  /// HTTP/1.0, where connections close unless asked to stay.
  case http10
  /// HTTP/1.1, where connections stay unless asked to close.
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
