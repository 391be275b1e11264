/// The versions of the form of messages between servers, which run side by side during an upgrade.
///
/// A server reads the versions of this range, and writes to each other server the highest that both
/// know. What an older version has no words for is left out, or said as that version says it; a message
/// that no older server knows must not be sent to one. A version is given up only when no server that
/// could be a neighbour writes it.
///
/// - 1: the first.
/// - 2: errors have a reason, and answers from a home that the stage may not be attached to a position.
/// - 3: windows of users have the event since which all is known that the user was shown; messages may be
///   translated.
/// - 4: servers ask one another for their busiest channels.
/// - 5: a home hands additions to messages over to the next one.
/// - 6: servers ask a user's home for the user's channels.
/// - 7: messages of a back end may be of the past.
package enum MessageVersion {
  package static let oldest: UInt8 = 1
  package static let current: UInt8 = 7

  /// The first version in which busiest channels are asked for.
  package static let busiestChannels: UInt8 = 4
  /// The first version in which additions are handed over.
  package static let lateAdditions: UInt8 = 5
  /// The first version in which the channels of users are asked for.
  package static let channelsOfUsers: UInt8 = 6
  /// The first version in which messages of the past are imported.
  static let imports: UInt8 = 7

  static func isKnown(_ version: UInt8) -> Bool { oldest <= version && version <= current }
}
