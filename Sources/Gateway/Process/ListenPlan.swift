import Configuration
import Reactor
import TLS
import Transport

/// What to listen on, resolved before anything is started.
struct ListenPlan {
  /// One address with its purpose.
  struct Target {
    let address: SocketAddress
    let purpose: BoundAddress.Purpose
    let security: Listener.Security

    /// Opens a listening socket for each node, all on the same port.
    func open(count: Int) throws(SystemError) -> (SocketAddress, [Int32]) {
      let first = try Socket.listen(on: address)
      let bound = try SocketAddress(boundTo: first)
      var sockets = [first]
      for _ in 1..<max(count, 1) { sockets.append(try Socket.listen(on: bound)) }
      return (bound, sockets)
    }
  }

  let targets: [Target]
  let certificate: TLSServerContextHolder?

  init(_ settings: Settings) throws {
    var targets: [Target] = []
    for text in settings.listen {
      targets.append(Target(address: try text.resolved(), purpose: .plain, security: .plain))
    }
    for text in settings.operations.listen {
      targets.append(Target(address: try text.resolved(), purpose: .operations, security: .plain))
    }
    var holder: TLSServerContextHolder?
    if !settings.tls.listen.isEmpty, let certificate = settings.tls.certificate,
      let key = settings.tls.privateKey
    {
      let made = try TLSServerContextHolder(certificatePath: certificate, privateKeyPath: key)
      holder = made
      for text in settings.tls.listen {
        targets.append(Target(address: try text.resolved(), purpose: .tls, security: .tls(made)))
      }
    }
    self.targets = targets
    certificate = holder
  }
}

extension SocketAddressText {
  /// The address for the kernel; `localhost` is the only name that is understood.
  fileprivate func resolved() throws -> SocketAddress {
    let numeric = host == "localhost" ? "127.0.0.1" : host
    guard let address = SocketAddress(host: numeric, port: port) else {
      throw SystemError(call: "listen", code: 22, object: "\(self): not a numeric address")
    }
    return address
  }
}
