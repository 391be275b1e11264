import Configuration
import Crypto
import Lanes
import Logging
import PushDelivery
import Store

extension PushJobOptions {
  /// The time after which each server knows the sessions of the others, in milliseconds; see
  /// ``OnlineExchange``.
  private static let exchangeTime: Int64 = 300

  /// The jobs to write according to the settings; `nil` when no pushes are sent.
  ///
  /// - Parameter sharing: With several servers, a push waits until the sessions that have just ended on the
  ///   others are known.
  init?(_ settings: PushSettings, sharing: StoreSharing, door: PushDoor) {
    guard settings.isOn else { return nil }
    let least: Int64 =
      switch sharing {
      case .alone: 0
      case .shared: Self.exchangeTime
      }
    self.init(
      delayMilliseconds: max(least, settings.delayMilliseconds),
      pushesOpenChannelMentions: settings.pushesOpenChannelMentions,
      didQueue: { door.didQueue($0) })
  }
}

extension PushDelivery {
  /// Continues with the jobs of the store.
  ///
  /// - Parameters:
  ///   - webKey: The key that signs pushes to browsers; `nil` when none are sent.
  ///   - cluster: The other servers; `nil` on a single server.
  ///   - clock: The clock of the messages.
  /// - Returns: `nil` when no pushes are sent.
  /// - Throws: A description of the problem for the operator.
  convenience init?(
    _ settings: PushSettings, webKey: PrivateKey?, store: Store, cluster: LaneCluster?,
    onlineUsers: OnlineUsers, door: PushDoor, clock: DeploymentClock, logger: Logger
  ) throws {
    guard settings.isOn else { return nil }
    try self.init(
      PushConfiguration(settings, webKey: webKey, clock: clock), store: store, cluster: cluster,
      isAttending: { onlineUsers.hasAttentiveSession($0) }, door: door, logger: logger)
  }
}
