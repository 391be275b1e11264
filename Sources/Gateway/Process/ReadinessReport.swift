import Configuration
import Dispatch
import Logging
import Reactor
import Synchronization
import Telemetry

/// Logs when the server is ready and why it is not, as `/readyz` answers it, until it drains.
final class ReadinessReport: Sendable {
  private let services: GatewayServices
  private let log = Mutex(ReadinessLog())
  private let queue = DispatchQueue(label: "readiness")

  init(_ services: GatewayServices) { self.services = services }

  /// Looks now, and again and again.
  func follow() {
    guard services.stage == .serving else { return }
    let line = log.withLock {
      $0.take(services.unreadiness, at: SystemClock.monotonicMilliseconds)
    }
    switch line {
    case .ready?: services.logger.info("ready", metadata: readyMetadata)
    case .notReady(let reason)?:
      services.logger.warning("not ready", metadata: ["reason": "\(reason)"])
    case nil: break
    }
    queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in self?.follow() }
  }

  private var readyMetadata: Logger.Metadata {
    let settings = services.settings
    return [
      "version": "\(Release.version)", "auth": "\(settings.auth.mode.rawValue)",
      "data": "\(settings.dataDirectory)", "store": "\(settings.store.engine.rawValue)",
    ]
  }
}

/// Decides which changes of a server's readiness are worth a line.
struct ReadinessLog {
  enum Line: Equatable {
    case ready
    case notReady(String)
  }

  /// Milliseconds for which a server that starts or falters is left without a line.
  static let patience: Int64 = 1_000
  /// Milliseconds after which another reason is logged.
  static let pause: Int64 = 60_000

  private var isReady = false
  private var unreadySince: Int64?
  private var last: (reason: String, loggedAt: Int64)?

  /// - Parameters:
  ///   - unreadiness: Why the server is not ready; `nil` when it is.
  ///   - now: Milliseconds of the steady clock.
  mutating func take(_ unreadiness: String?, at now: Int64) -> Line? {
    guard let reason = unreadiness else {
      defer { (isReady, unreadySince, last) = (true, nil, nil) }
      return isReady && last == nil ? nil : .ready
    }
    let since = unreadySince ?? now
    unreadySince = since
    guard now - since >= Self.patience else { return nil }
    if let last, last.reason == reason || now - last.loggedAt < Self.pause { return nil }
    last = (reason, now)
    return .notReady(reason)
  }
}
