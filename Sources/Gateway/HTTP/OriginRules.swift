import Basics
import HTTP
import Transport

/// Decides from which pages, and under which names, the gateway may be called.
///
/// Browsers name the page that sends a request in `Origin`, and other programs send none, so only
/// pages are checked by it. A page whose owner makes its name resolve to loopback has the same
/// origin as the server it calls there, and is recognised by its name in `Host`.
struct OriginRules: Sendable {
  /// The reason why a request is not served.
  enum Refusal: Sendable, Equatable {
    /// From a page elsewhere.
    case origin(String)
    /// By a name that is not this machine's.
    case host(String)
  }

  private let admitsAll: Bool
  /// Origins with http and https, whose default port may be written or left out.
  private let sites: [WebOrigin]
  /// Other origins, in lower case, such as `null` or those of extensions.
  private let others: Set<String>

  /// - Parameter allowed: The origins from the settings, in lower case; `*` is any.
  init(allowed: [String]) {
    admitsAll = allowed.contains("*")
    sites = allowed.compactMap { WebOrigin($0) }
    others = Set(allowed.filter { WebOrigin($0) == nil })
  }

  /// - Returns: `nil` for a request that may be served.
  func refusal(of request: Request) -> Refusal? {
    guard !admitsAll else { return nil }
    if request.isLoopback, let authority = request.authority, !authority.isLoopback,
      !isListed(authority)
    {
      return .host(request.host)
    }
    guard let origin = request.origins.first, request.kind != .shared else { return nil }
    guard request.origins.count == 1 else { return .origin(request.origins.joined(separator: " ")) }
    let site = WebOrigin(origin)
    if site?.isOwn(of: request) == true || isListed(site, origin) { return nil }
    let hasList = !sites.isEmpty || !others.isEmpty
    return switch request.kind {
    case .shared: nil
    case .user: .origin(origin)
    case .upload: hasList ? .origin(origin) : nil
    case .other: hasList ? nil : .origin(origin)
    }
  }

  private func isListed(_ site: WebOrigin?, _ origin: String) -> Bool {
    site.map(sites.contains) ?? others.contains(origin.lowercased())
  }

  /// Whether pages of this host are named in the settings, which vouches for the name.
  private func isListed(_ authority: HTTPAuthority) -> Bool {
    sites.contains { $0.host == authority.host }
  }
}

extension OriginRules.Refusal {
  /// The problem, and the setting that changes it.
  var explanation: String {
    switch self {
    case .origin:
      "this origin is neither the server's own nor in auth.allowed_origins"
    case .host:
      "Host must be localhost or a loopback address, as the server listens on loopback with "
        + "auth.mode open; for another name, put its origin, or *, into auth.allowed_origins"
    }
  }
}

extension OriginRules {
  /// The parts of a request that the rules check.
  struct Request: Sendable {
    enum Kind: Sendable {
      /// To act as a user: to become a WebSocket, or to create an upload.
      case user
      /// For resources that pages of any origin may read: files of messages, which only clients
      /// that know their addresses can find, and the descriptions of the interfaces.
      case shared
      /// To an upload, from a page of any origin unless there is a list.
      case upload
      case other
    }

    var kind = Kind.other
    /// The values of `Origin`; one or none unless something is wrong.
    var origins: [String] = []
    /// `Host` as sent.
    var host = ""
    var authority: HTTPAuthority?
    /// The hosts and the scheme by which clients reach the trusted proxies.
    var sites = ForwardedSites()
    var isEncrypted = false
    /// Whether the request came to a listener that answers only to names of this machine.
    var isLoopback = false
  }
}

extension OriginRules.Request {
  init(_ exchange: Exchange, _ access: Routes.Access, isLoopback: Bool) {
    let (head, connection) = (exchange.head, exchange.connection)
    kind =
      switch access {
      case .users: .user
      case .shared, .files: .shared
      case .uploads: .upload
      case .open, .platform: .other
      }
    origins = head.fields.values(of: "Origin")
    host = head.fields["Host"] ?? ""
    authority = head.authority
    if !origins.isEmpty { sites = connection.forwardedSites(of: head) }
    isEncrypted = connection.isEncrypted
    self.isLoopback = isLoopback
  }
}

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
  let host: Host
  private let port: UInt16

  /// Parses an origin as browsers send it.
  ///
  /// - Returns: `nil` for `null`, for schemes other than http and https, and for text that is no origin.
  init?(_ text: String) {
    guard let separator = text.firstRange(of: "://"),
      let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased()),
      let authority = HTTPAuthority(String(text[separator.upperBound...])), !authority.isEmpty
    else { return nil }
    self.scheme = scheme
    host = authority.host
    port = authority.port ?? scheme.port
  }

  /// Whether this origin is the destination of the request: the same host and port, directly or
  /// through trusted proxies.
  ///
  /// Over TLS the scheme must be https. Without TLS, either scheme is accepted, as an undeclared
  /// proxy may have terminated TLS.
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
    own.host == host && (own.port ?? scheme.port) == port
  }
}
