import HTTP1
import Transport

/// The origin of a page (RFC 6454 §6): its scheme, host and port.
struct WebOrigin: Sendable, Equatable {
  private enum Scheme: String, Sendable {
    case http
    case https

    var port: UInt16 {
      switch self {
      case .http: 80
      case .https: 443
      }
    }
  }

  private let scheme: Scheme
  let authority: HTTPAuthority

  /// Parses an origin as browsers send it.
  ///
  /// - Returns: `nil` for `null`, for other schemes than http and https, and for what is no origin.
  init?(_ text: String) {
    guard let separator = text.firstRange(of: "://"),
      let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased()),
      let authority = HTTPAuthority(String(text[separator.upperBound...])), !authority.isEmpty
    else { return nil }
    self.scheme = scheme
    self.authority = authority
  }

  /// Whether pages of this origin come from where the request goes: the same host and port, directly
  /// or through trusted proxies.
  ///
  /// Over TLS the scheme must be https. Without it either will do, as a proxy that is not declared
  /// may have ended TLS.
  func isOwn(of request: OriginRules.Request) -> Bool {
    if let forwarded = request.sites.scheme {
      guard forwarded == scheme.rawValue else { return false }
    } else {
      guard scheme == .https || !request.isEncrypted else { return false }
    }
    if let own = request.authority, isSame(as: own) { return true }
    return request.sites.hosts.contains { HTTPAuthority($0).map(isSame) ?? false }
  }

  private func isSame(as own: HTTPAuthority) -> Bool {
    own.host == authority.host && (own.port ?? scheme.port) == (authority.port ?? scheme.port)
  }
}
