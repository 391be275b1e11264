import Channels
import ParleyProtocol
import Reactor

extension Session {
  /// Creates a group with the caller and others as members.
  func createGroup(
    _ command: GroupCreate, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) {
    do throws(ServiceError) {
      try shard.services.groupRates.admitCreation(
        by: caller.user.id, inviting: command.userIDs.count,
        at: SystemClock.monotonicMilliseconds)
      let creation = try GroupCreation(
        command, by: caller.user, at: shard.services.clock.now)
      shard.send(
        .channel(
          url: creation.channel.url, .createGroup(creation, replyTo: .session(address))))
    } catch {
      reply(.failure(error), to: address)
    }
  }

  /// Counts a shard that has added the connection to the user's groups there.
  ///
  /// - Parameter parts: The number of shards that do so.
  func groupsWereCovered(parts: Int) {
    guard case .open = state else { return }
    coveredParts += 1
    guard Int(coveredParts) >= parts else { return }
    coveredParts = 0
    settleEvents()
    send(Event.groupReady.notification(from: .session(at: shard.services.clock.now)))
  }
}
