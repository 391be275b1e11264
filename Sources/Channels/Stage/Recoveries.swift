import ParleyProtocol

/// A look at the log for a connection that enters and missed events.
package struct RecoveryRead: Sendable {
  /// The way that a read takes.
  package enum Path: Sendable {
    /// Beside the writes under way, which may overtake it.
    case beside
    /// Behind all writes submitted before.
    case behindWrites
  }

  /// Names the entering connection, for ``StageInput/recovered(_:_:)``.
  package let number: Int
  /// The party that the read is charged to.
  package let principal: SessionPrincipal
  /// The last event that is known already.
  package let seq: Int64
  package let byteLimit: Int64
  /// The reach in milliseconds of the updates up to ``seq`` that are wanted too, before the events.
  package let updateReach: Int64?
  package let path: Path
}

/// The connections that wait to enter until what they missed has been read.
///
/// Each is read for until nothing has happened since the last read. A busy channel may always be
/// ahead, so after a few reads the last one goes behind the writes, where nothing overtakes it.
struct Recoveries: Sendable {
  /// The step after a read.
  enum Step {
    case read(RecoveryRead)
    /// Let the connection in, with the events that it missed.
    case enter([DurableEvent])
  }

  private struct Recovery: Sendable {
    let request: EnterRequest
    var events: [DurableEvent] = []
    var seq: Int64
    var readsLeft: Int
  }

  /// Reads beside the writes before one behind them.
  private static let readsBeside = 3

  private var recoveries: [Int: Recovery] = [:]
  private var lastNumber = 0

  var isEmpty: Bool { recoveries.isEmpty }

  /// Begins to read the events after `seq`, and the updates that may have been held back when the
  /// client's connection was lost.
  mutating func begin(_ request: EnterRequest, after seq: Int64) -> RecoveryRead {
    lastNumber += 1
    let recovery = Recovery(request: request, seq: seq, readsLeft: Self.readsBeside)
    recoveries[lastNumber] = recovery
    return read(lastNumber, recovery, updateReach: UpdatePacer<ChannelEvent>.reach)
  }

  /// The request that a read was for; `nil` when it has been withdrawn.
  func request(_ number: Int) -> EnterRequest? { recoveries[number]?.request }

  /// Takes over the events of a read.
  ///
  /// - Parameter lastSeq: The last event of the channel that was applied; later ones reach the
  ///   connection as events.
  mutating func proceed(
    _ number: Int, with events: [DurableEvent], lastSeq: Int64
  ) -> Step {
    guard var recovery = recoveries.removeValue(forKey: number) else { return .enter([]) }
    let applied = events.filter { $0.seq <= lastSeq }
    recovery.events += applied
    recovery.seq = max(recovery.seq, applied.last?.seq ?? 0)
    guard recovery.seq < lastSeq, recovery.readsLeft > 0 else { return .enter(recovery.events) }
    recovery.readsLeft -= 1
    recoveries[number] = recovery
    return .read(read(number, recovery, updateReach: nil))
  }

  /// Withdraws a recovery.
  mutating func remove(_ number: Int) { recoveries[number] = nil }

  /// Withdraws all recoveries that fulfil a condition, and hands over their requests in order.
  mutating func removeAll(where isRemoved: (EnterRequest) -> Bool) -> [EnterRequest] {
    let removed = recoveries.filter { isRemoved($0.value.request) }
    for number in removed.keys { recoveries[number] = nil }
    return removed.sorted { $0.key < $1.key }.map(\.value.request)
  }

  private func read(
    _ number: Int, _ recovery: Recovery, updateReach: Int64?
  ) -> RecoveryRead {
    RecoveryRead(
      number: number, principal: recovery.request.principal, seq: recovery.seq,
      byteLimit: Int64(recovery.request.eventByteLimit), updateReach: updateReach,
      path: recovery.readsLeft > 0 || updateReach != nil ? .beside : .behindWrites)
  }
}
