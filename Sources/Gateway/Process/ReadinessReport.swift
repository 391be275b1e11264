import Configuration
import Dispatch
import Logging
import Reactor
import Synchronization
import Telemetry

/// Logs changes of readiness with the reason, as answered by `/readyz`, until the server drains.
final class ReadinessReport: Sendable {
  private let services: GatewayServices
  private let log = Mutex(ReadinessLog())
  private let queue = DispatchQueue(label: "readiness")

  init(_ services: GatewayServices) { self.services = services }

  /// Checks the readiness now, and repeatedly from then on.
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

/// Decides which changes of a server's readiness are logged.
struct ReadinessLog {
  enum Line: Equatable {
    case ready
    case notReady(String)
  }

  /// The time in which a server that starts or is briefly not ready is not logged, in milliseconds.
  static let patience: Int64 = 1_000
  /// The time after which a different reason is logged, in milliseconds.
  static let pause: Int64 = 60_000

  private var isReady = false
  private var unreadySince: Int64?
  private var last: (reason: String, loggedAt: Int64)?

  /// - Parameters:
  ///   - unreadiness: The reason why the server is not ready; `nil` when it is ready.
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
