internal import Synchronization

/// The willingness of several connections to wait for their server, which another thread may end.
///
/// It lets a process end on time although a server does not answer.
package final class PostgreSQLPatience: Sendable {
  private let time = Atomic<Int64>(.max)

  package init() {}

  /// The time of ``PostgreSQLConnection/now`` at which all waiting ends.
  var end: Int64 { time.load(ordering: .relaxed) }

  /// Whether all waiting has ended.
  package var isOver: Bool { PostgreSQLConnection.now >= end }

  /// Ends all waiting within the given time.
  package func end(within milliseconds: Int64) {
    time.store(PostgreSQLConnection.now + milliseconds, ordering: .relaxed)
  }
}
