/// The counters of a run.
package struct LoadCounters: Sendable, Hashable {
  /// Connections that became ready: session open, channels entered.
  package var connected = 0
  /// Connections that are ready now.
  package var ready = 0
  /// Attempts to connect, or to open and enter, that failed.
  package var connectFailures = 0
  /// Connections that ended without having been asked to.
  package var lostConnections = 0
  /// Connections that were cut on purpose.
  package var cutConnections = 0
  /// Connections closed by the server because they read too slowly (4004).
  package var slowClosed = 0
  /// Messages given to the connection.
  package var sent = 0
  /// Messages that the server has accepted.
  package var accepted = 0
  /// Messages that the spam-flood protection has refused (900200).
  package var refusedFlood = 0
  /// Messages that were refused for another reason.
  package var refusedOtherwise = 0
  /// Deliveries of messages, those out of a recovery included.
  package var deliveries = 0
  /// Deliveries of messages that lie in the measured time.
  package var measuredDeliveries = 0
  /// Deliveries that came with the answer to a re-entering.
  package var recovered = 0
  /// Re-enterings after which events are missing, because the log did not reach back.
  package var gaps = 0
  /// `message.updated` events, previews above all.
  package var updates = 0
  /// Messages that the server said were withheld (`channel.throttled`).
  package var withheldTold = 0
  /// Bytes of messages received.
  package var receivedBytes = 0
  /// Messages that could not be read, or that nobody had asked for.
  package var unexpected = 0

  package init() {}

  /// The number of errors for objectives: events that a healthy run does not have.
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
