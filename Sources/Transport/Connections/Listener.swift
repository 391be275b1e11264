import Glibc
package import Reactor
package import Streams

/// A listening socket of one event loop.
package final class Listener: ReadinessHandler, TimerHandler {
  /// The first protocol on connections from a listener.
  package enum Security: Sendable {
    case plain
    case tls(TLSServerContextHolder)
  }

  /// The maximum number of connections accepted in one turn, so that open ones get their share of time.
  private static let batch = 64
  /// The time to wait for descriptors to become free.
  private static let pause: Int64 = 100

  private let descriptor: Int32
  private let security: Security
  private let proxyHeader: ProxyHeaderPolicy
  private let tag: Int
  private let pool: SocketPool
  private unowned let transport: Transport
  private var registration: EventLoop.Registration?
  private var pauseTimer: EventLoop.TimerToken?
  /// Whether the delegate was notified that no connections can be accepted.
  private var hasReported = false

  init(
    descriptor: Int32, security: Security, proxyHeader: ProxyHeaderPolicy = .none, tag: Int,
    pool: SocketPool = .clients, transport: Transport
  ) {
    self.tag = tag
    self.pool = pool
    self.proxyHeader = proxyHeader
    self.descriptor = descriptor
    self.security = security
    self.transport = transport
  }

  func resume() throws(SystemError) {
    registration = try transport.loop.register(descriptor, for: .readable, handler: self)
  }

  func close() {
    if let pauseTimer { transport.loop.cancel(pauseTimer) }
    pauseTimer = nil
    if let registration { transport.loop.deregister(registration) }
    registration = nil
    Socket.close(descriptor)
  }

  package func descriptorIsReady(for readiness: Readiness) {
    do {
      for _ in 0..<Self.batch {
        guard let accepted = try accept() else { return }
        hasReported = false
        try open(accepted)
      }
    } catch {
      pauseAccepting(error)
    }
  }

  /// Accepts a waiting connection.
  ///
  /// Closes another one when no descriptors are left.
  private func accept() throws(SystemError) -> Int32? {
    do throws(SystemError) {
      return try Socket.accept(descriptor)
    } catch {
      guard error.isOutOfDescriptors, transport.shed(in: pool) else { throw error }
      return try Socket.accept(descriptor)
    }
  }

  package func timerDidFire(_ token: EventLoop.TimerToken) {
    guard token == pauseTimer else { return }
    pauseTimer = nil
    do {
      try resume()
    } catch {
      pauseAccepting(error)
    }
  }

  private func open(_ accepted: Int32) throws(SystemError) {
    guard transport.makeRoom(in: pool) else {
      Socket.close(accepted)
      return
    }
    Socket.setNoDelay(accepted)
    do {
      let session: TLSSession? =
        switch security {
        case .plain: nil
        case .tls(let holder): try TLSSession(server: holder.current)
        }
      try Connection.open(
        descriptor: accepted, tls: session, proxyHeader: proxyHeader, tag: tag,
        pool: pool, transport: transport)
      transport.counters.accepted += 1
    } catch let error as SystemError {
      giveBack(accepted)
      throw error
    } catch {
      // There is no memory for a session: this connection is refused, but others may succeed.
      giveBack(accepted)
    }
  }

  private func giveBack(_ accepted: Int32) {
    Socket.close(accepted)
    transport.configuration.sockets?.budget(of: pool).give()
  }

  private func pauseAccepting(_ error: SystemError) {
    if !hasReported { transport.delegate?.transportCannotAccept(error) }
    hasReported = true
    if let registration { transport.loop.deregister(registration) }
    registration = nil
    pauseTimer = transport.loop.schedule(after: Self.pause, self)
  }
}

extension SystemError {
  /// Whether the process, or the machine, has no descriptor left.
  fileprivate var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }
}
