import Channels
import Cluster
import DequeModule
import ParleyProtocol

/// The calls that were passed on to another home, for as long as their callers may wait for them.
///
/// A caller does not know that home. When the home is gone, only the server that passed the call on
/// can report it. A pure value: times are milliseconds of a monotonic clock.
struct PassedCalls {
  private struct Call {
    let address: AnswerAddress
    let kind: CallKind
    let server: ServerID
    let time: Int64
  }

  /// Milliseconds after which callers have given up a call.
  private let timeout: Int64
  private var calls: Deque<Call> = []

  /// - Parameter timeout: Milliseconds that a call may take.
  init(timeout: Int64) {
    self.timeout = timeout
  }

  var count: Int { calls.count }

  /// Keeps a message that is passed on to a server, if it is a call.
  mutating func note(_ message: ShardMessage, to server: ServerID, at now: Int64) {
    dropOld(at: now)
    guard let address = message.callAddress else { return }
    // The caller names a send only when resending it, and the resend is then a second message.
    let kind = message.isUnnamedSend ? .change : message.callKind
    calls.append(Call(address: address, kind: kind, server: server, time: now))
  }

  /// Removes the calls whose answers may no longer arrive.
  ///
  /// - Returns: The answers to their callers: to send the call again, or that its outcome is unknown.
  mutating func lose(at now: Int64, where isLost: (ServerID) -> Bool) -> [ShardMessage] {
    dropOld(at: now)
    let lost = calls.filter { isLost($0.server) }
    guard !lost.isEmpty else { return [] }
    calls.removeAll { isLost($0.server) }
    return lost.compactMap { call in
      let error: ServiceError =
        switch call.kind {
        case .repeatable, .send: .moved
        case .change: .outcomeIsUnknown
        }
      return call.address.answer(.failure(error))
    }
  }

  private mutating func dropOld(at now: Int64) {
    while let first = calls.first, first.time + timeout <= now { calls.removeFirst() }
  }
}
