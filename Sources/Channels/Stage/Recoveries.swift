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

/// The connections that wait to enter until the events that they missed have been read.
///
/// Each is read for until nothing has happened since the last read. A busy channel may always be
/// ahead, so after a few reads the last one goes behind the writes, where nothing overtakes it.
struct Recoveries: Sendable {
  /// The step after a read.
  enum Step {
    case read(RecoveryRead)
    /// Let the connection in, with the events that it missed; `nil` when they can't be recovered.
    case enter(EnterRequest, missed: [DurableEvent]?)
  }

  private struct Recovery: Sendable {
    let request: EnterRequest
    /// The last event that the client saw.
    let position: Int64
    var events: [DurableEvent] = []
    /// The last event that is known here.
    var seq: Int64
    var readsLeft: Int
  }

  /// Reads beside the writes before one behind them.
  private static let readsBeside = 3

  private var recoveries: [Int: Recovery] = [:]
  private var lastNumber = 0

  var isEmpty: Bool { recoveries.isEmpty }

  /// Begins to read the events after those that a client saw, and the updates that may have been
  /// held back when its connection was lost.
  ///
  /// - Parameter lastSeq: The last event of the channel that was applied.
  /// - Returns: `nil` when the log does not reach back that far.
  mutating func begin(
    _ request: EnterRequest, after position: Int64, lastSeq: Int64
  ) -> RecoveryRead? {
    guard Self.reaches(position, from: lastSeq) else { return nil }
    lastNumber += 1
    let recovery = Recovery(
      request: request, position: position, seq: position, readsLeft: Self.readsBeside)
    recoveries[lastNumber] = recovery
    return read(lastNumber, recovery, updateReach: UpdatePacer<ChannelEvent>.reach)
  }

  /// Takes over the events of a read; later ones than the last that was applied reach the
  /// connection as events.
  ///
  /// - Parameter events: `nil` when the log does not have them.
  /// - Returns: `nil` for a read whose connection does not wait any more.
  mutating func proceed(
    _ number: Int, with events: [DurableEvent]?, lastSeq: Int64
  ) -> Step? {
    guard var recovery = recoveries.removeValue(forKey: number) else { return nil }
    guard let events, Self.reaches(recovery.position, from: lastSeq) else {
      return .enter(recovery.request, missed: nil)
    }
    let applied = events.filter { $0.seq <= lastSeq }
    recovery.events += applied
    recovery.seq = max(recovery.seq, applied.last?.seq ?? 0)
    guard recovery.seq < lastSeq, recovery.readsLeft > 0 else {
      return .enter(recovery.request, missed: recovery.events)
    }
    recovery.readsLeft -= 1
    recoveries[number] = recovery
    return .read(read(number, recovery, updateReach: nil))
  }

  /// Has each connection read for once more, if need be: the stage has gone on to another state of the
  /// channel, and a last read that is under way began before.
  mutating func renew() {
    for number in recoveries.keys where recoveries[number]?.readsLeft == 0 {
      recoveries[number]?.readsLeft = 1
    }
  }

  /// Withdraws a recovery.
  mutating func remove(_ number: Int) -> EnterRequest? {
    recoveries.removeValue(forKey: number)?.request
  }

  /// Withdraws all recoveries that fulfil a condition, and hands over their requests in order.
  mutating func removeAll(where isRemoved: (EnterRequest) -> Bool) -> [EnterRequest] {
    let removed = recoveries.filter { isRemoved($0.value.request) }
    for number in removed.keys { recoveries[number] = nil }
    return removed.sorted { $0.key < $1.key }.map(\.value.request)
  }

  /// Whether the events after a position can be recovered.
  private static func reaches(_ position: Int64, from lastSeq: Int64) -> Bool {
    position >= 0 && position <= lastSeq
      && lastSeq - position <= EventLog.recoverableCount
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
