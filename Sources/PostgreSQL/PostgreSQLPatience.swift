internal import Synchronization

/// The patience of several connections with their server, which another thread may end.
///
/// A process that has to end soon does so although a server does not answer.
package final class PostgreSQLPatience: Sendable {
  private let time = Atomic<Int64>(.max)

  package init() {}

  /// The time of ``PostgreSQLConnection/now`` at which all waiting is over.
  var end: Int64 { time.load(ordering: .relaxed) }

  /// Whether nothing is waited for any more.
  package var isOver: Bool { PostgreSQLConnection.now >= end }

  /// Lets all waiting be over soon.
  package func end(within milliseconds: Int64) {
    time.store(PostgreSQLConnection.now + milliseconds, ordering: .relaxed)
  }
}
