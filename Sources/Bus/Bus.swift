/// An unreliable transport of bytes from any server of a cluster to the others.
///
/// | guaranteed | not guaranteed |
/// | --- | --- |
/// | bytes arrive complete and unchanged | that they arrive at all |
/// | order, at most once, from one bus to one inbox until ``BusEvent/down(reason:)`` | any other order |
/// | the end of a server on the path is reported within 2 s in any case | to whom a message was lost |
///
/// A bus also receives the messages that it sends to its own inboxes. Confined to the thread of its
/// event loop, whose owner calls ``flush()`` at the end of each turn.
package protocol Bus: AnyObject {
  /// The maximum message size, in bytes; longer messages are lost.
  var messageByteLimit: Int { get }

  /// Sends a message to all buses that listen to an inbox; it is written at the next ``flush()``.
  ///
  /// The message is lost unless the bus is up.
  func send(_ message: [UInt8], to inbox: Inbox)

  /// Writes the messages of this turn.
  func flush()

  /// Closes the bus without a final event; queued messages are not written.
  func close()
}

/// An event of a bus, reported on its loop's thread.
package enum BusEvent: Sendable, Hashable {
  /// A message arrived in one of the bus's inboxes.
  case message([UInt8])
  /// Messages flow in both directions.
  case up
  /// Messages may have been lost, and are lost until the next ``up``, which follows at once if
  /// another server takes over.
  ///
  /// Reported again when the reason changes. The reason names the server, and never contains a password.
  case down(reason: String)
}

/// A receiver of a bus's events.
///
/// It may send while it is called, but must not close the bus.
package typealias BusHandler = (BusEvent) -> Void

/// The name to which messages are sent and on which buses listen.
package struct Inbox: Hashable, Sendable, CustomStringConvertible {
  /// The maximum length in bytes: with the suffix of an echo a name fits an identifier of PostgreSQL.
  package static let lengthLimit = 40

  let name: String

  /// Accepts a name of 1 to 40 letters, digits, `.`, `:`, `-` and `_`, which need no quoting
  /// anywhere; `nil` for any other name.
  package init?(_ name: String) {
    let isPlain = name.utf8.allSatisfy { byte in
      (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || ".:-_".utf8.contains(byte)
    }
    guard isPlain, (1...Self.lengthLimit).contains(name.utf8.count) else { return nil }
    self.name = name
  }

  /// An inbox derived from another one, for a bus's messages to itself; it has the same prefix, so
  /// that the same access rules apply.
  init(echoBeside inbox: Inbox, number: UInt64) {
    let digits = String(number, radix: 16)
    name = inbox.name + "." + String(repeating: "0", count: 16 - digits.count) + digits
  }

  package var description: String { name }
}
