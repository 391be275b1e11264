@testable import Channels

/// A connection of a user, with everything that it was sent.
final class SimulatedMember {
  let userID: String
  let address: SessionAddress
  /// The events that it was sent, by their numbers in the log.
  var received: [Int64] = []
  /// The last event before it became ready; `nil` before.
  var base: Int64?
  var isOpen = true
  /// Counts the times that it was added to its group.
  var cover = 0

  init(_ userID: String, _ address: SessionAddress) {
    (self.userID, self.address) = (userID, address)
  }
}
