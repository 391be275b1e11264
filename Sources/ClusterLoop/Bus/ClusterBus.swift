package import Reactor

/// A way for bytes to the inboxes of servers, which may lose them, but not reorder what one sender
/// sends to one inbox.
///
/// Confined to the thread of the event loop that it is given.
package protocol ClusterBus: AnyObject {
  /// The longest message that is carried, in bytes.
  var messageByteLimit: Int { get }

  /// Sends a message to all that listen to an inbox; it leaves at the next ``flush()``.
  func send(_ message: [UInt8], to inbox: String)

  /// Writes what was sent in this turn.
  func flush()

  func close()
}

/// An event of a bus, reported on its loop's thread.
package enum ClusterBusEvent: Sendable {
  case message([UInt8])
  case up
  /// Messages are lost until the next `up`.
  case down(reason: String)
}

/// Makes a bus on a loop that listens to inboxes, those of the bus's own messages included.
package typealias ClusterBusMaker =
  @Sendable (EventLoop, _ inboxes: [String], _ handler: @escaping (ClusterBusEvent) -> Void)
  throws -> any ClusterBus
