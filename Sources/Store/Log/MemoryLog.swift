package import Channels
package import ParleyProtocol
import Synchronization

/// A log that keeps everything in memory, for tests and for data that need not outlive the process.
///
/// Completes on the caller's thread before the call returns, and never fails by itself.
package final class MemoryLog: MessageLog {
  private let contents: Mutex<MemoryLogContents>

  /// - Parameter users: The existing users, who are active and join groups when they are invited.
  package init(users: [User] = []) {
    contents = Mutex(MemoryLogContents(users: users))
  }

  /// Changes the contents in a way that no entry can.
  package func change(_ body: (inout MemoryLogContents) -> Void) {
    contents.withLock { body(&$0) }
  }

  package func submit(_ entries: inout [LogSubmission], to sink: any LogSink) {
    let answers = contents.withLock { contents in
      entries.map { LogAnswer($0.ticket, contents.perform($0.entry)) }
    }
    entries.removeAll(keepingCapacity: true)
    sink.receive(answers)
  }

  package func read(_ read: LogRead, _ ticket: LogTicket, to sink: any LogSink) {
    sink.receive([LogAnswer(ticket, contents.withLock { $0.answer(read) })])
  }

  package func list(
    _ query: MessageQuery, for principal: QueryPrincipal, _ ticket: LogTicket, to sink: any LogSink
  ) {
    sink.receive([LogAnswer(ticket, contents.withLock { $0.list(query) })])
  }
}
