import Configuration
import Reactor
import Streams
import Transport

/// The addresses to listen on, resolved before the gateway starts.
struct ListenPlan {
  /// One address with its purpose.
  struct Target {
    let address: SocketAddress
    let purpose: BoundAddress.Purpose
    let security: Listener.Security
    let proxyHeader: ProxyHeaderPolicy
    /// Whether `/metrics` is served on the address.
    let servesMetrics: Bool
    /// Whether `Host` must name this machine.
    ///
    /// Otherwise a page on another site could make the browser resolve a name of that site to loopback.
    let answersLoopbackNamesOnly: Bool

    /// Whether requests are accepted without TLS and without a proxy header.
    var isPlain: Bool {
      switch purpose {
      case .plain, .operations: true
      case .tls, .proxied: false
      }
    }

    /// Opens a listening socket for each shard, all on the same port.
    func open(count: Int) throws(SystemError) -> (SocketAddress, [Int32]) {
      let (first, bound) = try Socket.listenFirst(on: address)
      var sockets = [first]
      for _ in 1..<max(count, 1) { sockets.append(try Socket.listen(on: bound)) }
      return (bound, sockets)
    }
  }

  let targets: [Target]
  let certificate: TLSServerContextHolder?

  init(_ settings: Settings) throws {
    let hasOperations = !settings.operations.listen.isEmpty
    let proxies = settings.proxy.trusted
    func target(
      _ text: ListenAddress, _ purpose: BoundAddress.Purpose, _ security: Listener.Security
    ) throws -> Target {
      Target(
        address: SocketAddress(text.address, port: text.port), purpose: purpose, security: security,
        proxyHeader: purpose == .proxied ? .required(from: proxies) : .none,
        // Requests that a proxy on this machine forwards come from loopback as well.
        servesMetrics: hasOperations
          ? purpose == .operations : text.isLoopback && !settings.proxy.isUsed,
        answersLoopbackNamesOnly: text.isLoopback && settings.auth.mode == .open
          && !settings.proxy.isUsed)
    }
    var targets = try settings.listen.map { try target($0, .plain, .plain) }
    targets += try settings.proxy.listen.map { try target($0, .proxied, .plain) }
    targets += try settings.operations.listen.map { try target($0, .operations, .plain) }
    var holder: TLSServerContextHolder?
    if !settings.tls.listen.isEmpty, let certificate = settings.tls.certificate,
      let key = settings.tls.privateKey
    {
      let made = try UnusableSetting.named("tls.certificate, tls.private_key") {
        try TLSServerContextHolder(certificatePath: certificate, privateKeyPath: key)
      }
      holder = made
      targets += try settings.tls.listen.map { try target($0, .tls, .tls(made)) }
    }
    self.targets = targets
    certificate = holder
  }
}

/// The division of the process's descriptors among clients, the operator's tools, and the process's own
/// files and transfers.
///
///     0 ─── clients ──── limit − reserve ┬ clients for a moment ┬ operations ┬ own ─── limit
///                                        ╰── a quarter of it ───┴─ another ──┴─ half ╯
struct DescriptorPlan {
  /// The descriptors that are not for clients, at most a quarter of the limit.
  private static let reserve = 256

  private let clients: Int
  private let quarter: Int

  /// - Parameter limit: The descriptor limit of the process.
  init(limit: Int) {
    let reserve = min(Self.reserve, limit / 4)
    clients = max(limit - reserve, 1)
    quarter = max(reserve / 4, 1)
  }

  /// The number of WebSockets that the process may have.
  ///
  /// - Parameter wanted: The number in the settings; 0 means as many as possible.
  func webSockets(_ wanted: Int) -> Int { wanted == 0 ? clients : min(wanted, clients) }

  /// The sockets of clients.
  ///
  /// Sockets in the overdraft stay until other sockets are closed.
  func clients(loops: Int) -> SocketBudget {
    SocketBudget(limit: clients, overdraft: quarter, loops: loops)
  }

  /// The sockets of `operations.listen`.
  func operations(loops: Int) -> SocketBudget {
    SocketBudget(limit: quarter, overdraft: 0, loops: loops)
  }
}

extension ForwardingRules {
  /// The rules for proxies in the settings; `nil` when no field is trusted.
  init?(_ settings: ProxySettings) {
    let field: Field
    switch settings.field {
    case .none: return nil
    case .forwarded: field = .forwarded
    case .xForwardedFor: field = .xForwardedFor
    }
    self.init(field: field, trusted: settings.trusted)
  }
}
