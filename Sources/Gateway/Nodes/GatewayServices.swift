import Configuration
import Logging
import Store
import Synchronization
import Unfurler

/// What all nodes share.
final class GatewayServices: Sendable {
  let settings: Settings
  let cluster: Cluster
  let store: Store
  /// `nil` when previews are off.
  let previews: Previews?
  let participantCounts = ParticipantCounts()
  let authenticator: Authenticator
  let clock = DeploymentClock()
  let messageIDs: MessageIDs
  let metrics: GatewayMetrics
  let connectionLimit: Int
  let logger: Logger
  private let emptyNodes = Atomic(0)
  private let lifecycle = Atomic(Lifecycle.starting.rawValue)

  /// What the process as a whole is doing.
  enum Lifecycle: Int, Sendable {
    case starting
    case serving
    case draining
  }

  init(
    settings: Settings, cluster: Cluster, store: Store, previews: Previews?,
    authenticator: Authenticator, messageIDs: MessageIDs, metrics: GatewayMetrics,
    connectionLimit: Int, logger: Logger
  ) {
    self.settings = settings
    self.cluster = cluster
    self.store = store
    self.previews = previews
    self.authenticator = authenticator
    self.messageIDs = messageIDs
    self.metrics = metrics
    self.connectionLimit = connectionLimit
    self.logger = logger
  }

  var stage: Lifecycle {
    get { Lifecycle(rawValue: lifecycle.load(ordering: .relaxed)) ?? .draining }
    set { lifecycle.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// A node that drains has no connections any more.
  func nodeIsEmpty() {
    emptyNodes.add(1, ordering: .relaxed)
  }

  var areAllNodesEmpty: Bool { emptyNodes.load(ordering: .relaxed) == cluster.nodes.count }

  /// Why the gateway is not ready to serve; `nil` when it is.
  var unreadiness: String? {
    switch stage {
    case .starting: return "starting"
    case .draining: return "draining"
    case .serving: break
    }
    if case .failing(let reason) = store.health { return "storage fails: \(reason)" }
    return nil
  }
}
