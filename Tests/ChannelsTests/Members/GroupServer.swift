@testable import Channels

/// A server of a ``GroupWorld``.
final class GroupServer {
  let number: UInt16
  var sessions: [SimulatedMember] = []
  /// The connections on the stage.
  var subscribers: [SessionAddress: SimulatedMember] = [:]
  var home: ChannelHome?
  /// The members as the home knows them.
  var homeMembers: Set<String> = []
  var stage: AttachedStage?
  var attachment: UInt64 = 0
  var attachedTo: UInt16 = 0
  /// Milliseconds by which the clock is ahead.
  var clockError: Int64 = 0

  init(_ number: UInt16) { self.number = number }

  var isBesideHome: Bool { stage?.isBesideHome ?? false }

  /// A moment on the clocks of the server; steady clocks begin with their machines.
  func moment(at now: Int64) -> Moment {
    Moment(unix: 1_000_000_000 + now + clockError, monotonic: now + Int64(number) * 10_000)
  }

  func seats(of userIDs: Set<String>) -> [Seat] {
    sessions.filter { userIDs.contains($0.userID) }.map {
      Seat(userID: $0.userID, session: $0.address)
    }
  }
}
