/// A way for bytes from any server of a cluster to the others, which may lose them.
///
/// | promised | not promised |
/// | --- | --- |
/// | bytes arrive whole and as they were sent | that they arrive at all |
/// | what one bus sends to one inbox arrives in that order, at most once, while no ``BusEvent/down(reason:)`` lies between | any order between senders or inboxes |
/// | the end of a server that carries the bytes is reported within 2 s, however it ends | to whom a message was lost |
///
/// A bus also receives what it sends to its own inboxes. Confined to the thread of the event loop
/// that it is given; the loop's owner calls ``flush()`` at the end of each turn.
package protocol Bus: AnyObject {
  /// The longest message that is carried, in bytes; longer ones are lost.
  var messageByteLimit: Int { get }

  /// Sends a message to all buses that listen to an inbox; it leaves at the next ``flush()``.
  ///
  /// Lost unless the bus is up.
  func send(_ message: [UInt8], to inbox: Inbox)

  /// Writes what was sent in this turn.
  func flush()

  /// Ends the bus without a last event; nothing that waits is written.
  func close()
}

/// An event of a bus, reported on its loop's thread.
package enum BusEvent: Sendable, Hashable {
  /// A message came to one of the bus's inboxes.
  case message([UInt8])
  /// Messages flow in both directions.
  case up
  /// Messages may have been lost, and are until the next ``up``, which follows at once when another
  /// server carries on.
  ///
  /// Reported again when the reason changes. The reason names the server, never a password.
  case down(reason: String)
}

/// A receiver of a bus's events.
///
/// It may send, but not close the bus, while it is called.
package typealias BusHandler = (BusEvent) -> Void

/// The name under which buses listen for messages.
package struct Inbox: Hashable, Sendable, CustomStringConvertible {
  /// The longest name, in bytes: with the suffix of an echo it fits an identifier of PostgreSQL.
  package static let lengthLimit = 40

  let name: String

  /// Takes a name of 1 to 40 letters, digits, `.`, `:`, `-` and `_`, which need no quoting
  /// anywhere; `nil` for any other.
  package init?(_ name: String) {
    let isPlain = name.utf8.allSatisfy { byte in
      (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || ".:-_".utf8.contains(byte)
    }
    guard isPlain, (1...Self.lengthLimit).contains(name.utf8.count) else { return nil }
    self.name = name
  }

  /// An inbox beside another one, for a bus's messages to itself; its name begins likewise, so that
  /// the same access rules cover it.
  init(echoBeside inbox: Inbox, number: UInt64) {
    let digits = String(number, radix: 16)
    name = inbox.name + "." + String(repeating: "0", count: 16 - digits.count) + digits
  }

  package var description: String { name }
}
