/// The network to the other servers of the cluster.
package protocol ClusterNetwork: AnyObject, Sendable {
  /// Sends bytes to a server, after all bytes that this thread sent to it before.
  ///
  /// The bytes arrive once and in order, or are lost when the link is reset. Bytes to this server,
  /// or to one that is not in the ring, are dropped. Callable from any thread; never blocks.
  func send(_ message: [UInt8], to server: ServerID)

  /// Queues bytes, which are sent in order; the caller should soon call ``flush()``.
  ///
  /// The bytes of one turn thus share a frame; otherwise the first would be sent alone.
  ///
  /// - Parameter resetCount: The number of resets of the link known to the sender. A call is
  ///   dropped if there have been more: it would overtake the lost calls, which the sender will
  ///   repeat together with this one. `nil` for data that is never repeated.
  func enqueue(_ message: [UInt8], to server: ServerID, knowing resetCount: Int?)

  /// Sends the queued bytes.
  func flush()

  /// The ring as currently known to this server; never blocks.
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
  /// Takes bytes from a server, in the order in which one of its threads sent them.
  func received(_ message: [UInt8], from server: ServerID)

  /// Reports that no more messages arrive for the moment, so that messages that arrived together
  /// can be passed on together.
  func didReceiveAll()

  /// Reports that messages to and from a server that were not answered may be lost: it was away too
  /// long, or is new. Both servers report it, and no message from before arrives after it.
  ///
  /// - Parameter count: The number of resets of the link so far; 0 for a new link.
  func linkWasReset(with server: ServerID, count: Int)

  /// Applies a new ring; ``ClusterNetwork/ring`` already returns it.
  func ringDidChange(_ ring: ServerRing)

  /// Takes the servers that are silent on the bus: their messages arrive late, if at all.
  func silenceDidChange(_ servers: Set<ServerID>)

  /// Reports that the cluster has declared this server dead or found it isolated: the server must
  /// drain, and join again as another server.
  ///
  /// A ring without this server follows, unless it is the only one. The others no longer answer it.
  func mustLeave(reason: String)
}

extension ClusterDelegate {
  package func didReceiveAll() {}
}
