import ParleyProtocol

/// A read from the log for a connection that missed events.
package struct RecoveryRead: Sendable {
  /// The path of a read.
  package enum Path: Sendable {
    /// In parallel to the writes in progress, which may overtake the read.
    case beside
    /// After all writes submitted before.
    case behindWrites
  }

  /// Identifies the connection, for ``StageInput/recovered(_:_:)``.
  package let number: Int
  /// The party charged for the read.
  package let principal: SessionPrincipal
  /// The last event that is already known.
  package let seq: Int64
  package let byteLimit: Int64
  /// The time in milliseconds before ``seq`` from which updates are read too, ahead of the events.
  package let updateReach: Int64?
  package let path: Path
}

/// The connections that wait until the events that they missed have been read: to enter, or for the answer
/// to `group.recover`.
///
/// Reads are repeated for each until nothing has happened since the last read. A busy channel may always
/// be ahead, so after a few reads the last one follows the writes, where nothing can overtake it.
struct Recoveries: Sendable {
  /// The step after a read.
  enum Step {
    case read(RecoveryRead)
    /// Answer the connection, with the events that it missed; `nil` if they can't be recovered.
    case answer(RecoveryRequest, missed: [DurableEvent]?)
  }

  private struct Recovery: Sendable {
    let request: RecoveryRequest
    /// The last event that the client saw.
    let position: Int64
    var events: [DurableEvent] = []
    /// The last event that is known here.
    var seq: Int64
    var readsLeft: Int
  }

  /// The number of parallel reads before the one that follows the writes.
  private static let readsBeside = 3

  private var recoveries: [Int: Recovery] = [:]
  private var lastNumber = 0

  var isEmpty: Bool { recoveries.isEmpty }

  /// Starts to read the events after the last one that a client saw, and the updates that may have
  /// been held back when its connection was lost.
  ///
  /// - Parameter lastSeq: The last event of the channel that was applied.
  /// - Returns: `nil` if the log does not reach back that far.
  mutating func begin(
    _ request: RecoveryRequest, after position: Int64, lastSeq: Int64
  ) -> RecoveryRead? {
    guard Self.reaches(position, from: lastSeq) else { return nil }
    lastNumber += 1
    let recovery = Recovery(
      request: request, position: position, seq: position, readsLeft: Self.readsBeside)
    recoveries[lastNumber] = recovery
    return read(lastNumber, recovery, updateReach: UpdatePacer<ChannelEvent>.reach)
  }

  /// Applies the events of a read; events after the last applied one reach the connection as
  /// ordinary events.
  ///
  /// - Parameter events: `nil` if the log does not have them.
  /// - Returns: `nil` for a read whose connection no longer waits.
  mutating func proceed(
    _ number: Int, with events: [DurableEvent]?, lastSeq: Int64
  ) -> Step? {
    guard var recovery = recoveries.removeValue(forKey: number) else { return nil }
    guard let events, Self.reaches(recovery.position, from: lastSeq) else {
      return .answer(recovery.request, missed: nil)
    }
    let applied = events.filter { $0.seq <= lastSeq }
    recovery.events += applied
    recovery.seq = max(recovery.seq, applied.last?.seq ?? 0)
    guard recovery.seq < lastSeq, recovery.readsLeft > 0 else {
      return .answer(recovery.request, missed: recovery.events)
    }
    recovery.readsLeft -= 1
    recoveries[number] = recovery
    return .read(read(number, recovery, updateReach: nil))
  }

  /// Schedules one more read for each connection that needs it: the stage has moved to another
  /// state of the channel, and a last read in progress began before that.
  mutating func renew() {
    for number in recoveries.keys where recoveries[number]?.readsLeft == 0 {
      recoveries[number]?.readsLeft = 1
    }
  }

  /// Withdraws a recovery.
  mutating func remove(_ number: Int) -> RecoveryRequest? {
    recoveries.removeValue(forKey: number)?.request
  }

  /// Withdraws all recoveries that match a condition, and returns their requests in order.
  mutating func removeAll(where isRemoved: (RecoveryRequest) -> Bool) -> [RecoveryRequest] {
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
