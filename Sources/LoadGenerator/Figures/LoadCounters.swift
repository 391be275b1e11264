/// The counters of a run.
package struct LoadCounters: Sendable, Hashable {
  /// Connections that became ready: session open, channels entered.
  package var connected = 0
  /// Connections that are ready now.
  package var ready = 0
  /// Failed attempts to connect, to open a session or to enter.
  package var connectFailures = 0
  /// Connections that ended unexpectedly.
  package var lostConnections = 0
  /// Connections that were cut deliberately.
  package var cutConnections = 0
  /// Connections closed by the server because they read too slowly (4004).
  package var slowClosed = 0
  /// Messages passed to the connection.
  package var sent = 0
  /// Messages accepted by the server.
  package var accepted = 0
  /// Messages rejected by the spam-flood protection (900200).
  package var refusedFlood = 0
  /// Messages rejected for another reason.
  package var refusedOtherwise = 0
  /// Deliveries of messages, including those of a recovery.
  package var deliveries = 0
  /// Deliveries of messages in the measured time.
  package var measuredDeliveries = 0
  /// Deliveries in the response to a re-entering.
  package var recovered = 0
  /// Re-enterings with missing events, because the log did not reach back far enough.
  package var gaps = 0
  /// `message.updated` events, mostly previews.
  package var updates = 0
  /// Messages that the server reported as withheld (`channel.throttled`).
  package var withheldTold = 0
  /// Bytes of messages received.
  package var receivedBytes = 0
  /// Messages that could not be parsed, or were not requested.
  package var unexpected = 0

  package init() {}

  /// The number of errors for objectives: events that do not occur in a healthy run.
  package var errors: Int {
    connectFailures + lostConnections + refusedOtherwise + gaps + unexpected
  }

  package static func += (sum: inout LoadCounters, other: LoadCounters) {
    sum.connected += other.connected
    sum.ready += other.ready
    sum.connectFailures += other.connectFailures
    sum.lostConnections += other.lostConnections
    sum.cutConnections += other.cutConnections
    sum.slowClosed += other.slowClosed
    sum.sent += other.sent
    sum.accepted += other.accepted
    sum.refusedFlood += other.refusedFlood
    sum.refusedOtherwise += other.refusedOtherwise
    sum.deliveries += other.deliveries
    sum.measuredDeliveries += other.measuredDeliveries
    sum.recovered += other.recovered
    sum.gaps += other.gaps
    sum.updates += other.updates
    sum.withheldTold += other.withheldTold
    sum.receivedBytes += other.receivedBytes
    sum.unexpected += other.unexpected
  }
}
