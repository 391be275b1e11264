/// The way to the other servers of the cluster.
package protocol ClusterNetwork: AnyObject, Sendable {
  /// Sends bytes to a server, after all that this thread sent there before.
  ///
  /// They arrive once and in order, or are lost when the link is reset. Bytes to a server that the
  /// ring does not have, or to this one, are dropped. Callable from any thread; never waits.
  func send(_ message: [UInt8], to server: ServerID)

  /// Sends bytes that may leave late, in their order: ``flush()`` is to follow soon.
  ///
  /// Bytes of one turn so share a frame; the first would otherwise leave alone.
  ///
  /// - Parameter resetCount: The resets of the link that the sender knows of. A call is dropped if there
  ///   have been more: it would overtake those that were lost, with which the sender is about to send it
  ///   again. `nil` for what is never sent again.
  func enqueue(_ message: [UInt8], to server: ServerID, knowing resetCount: Int?)

  /// Has what was enqueued leave.
  func flush()

  /// The ring as this server sees it now; never waits.
  var ring: ServerRing { get }

  /// This server.
  var local: ClusterMember { get }
}

extension ClusterNetwork {
  package func enqueue(_ message: [UInt8], to server: ServerID, knowing resetCount: Int?) {
    send(message, to: server)
  }
  package func flush() {}
}

/// The receiver of messages from other servers and of changes in the cluster.
///
/// Called on the network's thread, in order.
package protocol ClusterDelegate: AnyObject, Sendable {
  /// Takes bytes from a server, in the order in which one thread of it sent them.
  func received(_ message: [UInt8], from server: ServerID)

  /// Reports that nothing more arrives for the moment, so that messages that came together can be
  /// handed on together.
  func didReceiveAll()

  /// Reports that what was sent to a server and not answered may be lost, in both directions: it was
  /// away too long, or is new. Both servers report it, and nothing from before arrives after it.
  ///
  /// - Parameter count: The resets of the link so far; 0 for one that is new.
  func linkWasReset(with server: ServerID, count: Int)

  /// Takes a new ring; ``ClusterNetwork/ring`` is the same already.
  func ringDidChange(_ ring: ServerRing)

  /// Takes the servers that are not heard on the bus: what they have to say comes late, if at all.
  func silenceDidChange(_ servers: Set<ServerID>)

  /// Reports that the cluster has declared this server dead or found it isolated: it has to drain, and
  /// to join again as another server.
  ///
  /// A ring without this server follows, unless it knows of no other. None of them answers it any more.
  func mustLeave(reason: String)
}

extension ClusterDelegate {
  package func didReceiveAll() {}
}
