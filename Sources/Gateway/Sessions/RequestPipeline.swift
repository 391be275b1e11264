import Channels
import DequeModule
import ParleyProtocol

/// Keeps one connection's requests in order, and counts what they hold in bytes.
///
/// Messages that are sent are handed on one after the other without waiting, since their channels
/// keep their order; any other call runs alone, after all before it and before all behind it, so
/// that it sees what they did. Replies leave in the order of the requests; a batch's leave as one.
///
///     arrived   send  send  enter  send
///     started   ●     ●     when both are answered
///
/// Calls that wait for others, such as fetching a preview, run beside all others. When only such a call
/// holds up the oldest request, that request is *overtaken*: its reply leaves when it is there. A send
/// that its channel may keep for a while is passed in the same way, in a batch too.
///
/// The replies of a batch share one budget. A call of it starts when the largest reply that it may
/// have fits into what is left, and waits for those under way when it does not. With none under way
/// it is refused, and all of the batch behind it, without being carried out. A call that runs alone is
/// promised all that is left; when it is passed, the others get back what its reply cannot need.
struct RequestPipeline<Call> {
  /// Names a call that was started, to bring its reply back.
  typealias Ticket = CallTicket

  /// The calls that a call has to wait for.
  enum Concurrency: Sendable {
    case alone
    case besideItsLike
    /// It waits for calls before it, and none waits for it: its reply may come after later ones.
    case besideAll
  }

  /// One entry of a batch.
  enum Entry {
    /// - Parameter replyBound: The bytes that must be left for its reply when it starts.
    case call(Call, Concurrency, replyBound: Int = 0)
    /// The reply to something that can't be carried out.
    case reply([UInt8])
  }

  private struct Waiting {
    let ticket: Ticket
    let call: Call
    let concurrency: Concurrency
    let replyBound: Int
  }

  private var units: Deque<PipelineUnit> = []
  private var firstUnit = 0
  /// Units that later ones have overtaken, by their numbers; a few at most.
  private var overtaken: [(number: Int, unit: PipelineUnit)] = []
  private var waiting: Deque<Waiting> = []
  // Every session has these: 32 bits are enough.
  private var runningCount: Int32 = 0
  private var callCount: Int32 = 0
  private var isRunningAlone = false

  /// How many calls have arrived and are not answered.
  var pendingCount: Int { Int(callCount) }

  /// The memory of requests that are not answered, and of replies that have not left.
  var heldByteCount: Int { requestByteCount + replyByteCount }

  /// The memory of requests that are not answered.
  private(set) var requestByteCount = 0
  /// Bytes of the replies that have not left.
  private(set) var replyByteCount = 0

  /// The number of units that have arrived and are not finished: calls, and replies that wait for those before them.
  var backlog: Int { pendingCount + units.count + overtaken.count }

  /// Adds a request.
  mutating func append(_ call: Call, _ concurrency: Concurrency, byteCount: Int = 0) {
    append([.call(call, concurrency)], to: PipelineUnit(byteCount: byteCount))
  }

  /// Adds the requests of a batch, which are answered together.
  mutating func append(batch entries: [Entry], byteCount: Int = 0) {
    append(entries, to: PipelineUnit(batch: PipelineBatch(), byteCount: byteCount))
  }

  /// Adds the reply to something that can't be carried out, in its place.
  mutating func append(reply: [UInt8]) {
    append([.reply(reply)], to: PipelineUnit(byteCount: 0))
  }

  /// The next call that may start now.
  ///
  /// - Returns: `replyLimit`, the bytes that its reply may hold, is `nil` for a call that is to be
  ///   refused for want of room.
  mutating func start() -> (ticket: Ticket, call: Call, replyLimit: Int?)? {
    guard !isRunningAlone, let next = waiting.first else { return nil }
    if next.concurrency == .alone, runningCount > 0 { return nil }
    let limit: Int?
    switch makeRoom(for: next) {
    case .later: return nil
    case .never: limit = nil
    case .promised(let byteCount): limit = byteCount
    }
    waiting.removeFirst()
    switch next.concurrency {
    case .alone:
      isRunningAlone = true
      runningCount += 1
    case .besideItsLike: runningCount += 1
    case .besideAll:
      let position = next.ticket.unit - firstUnit
      if units.indices.contains(position) { units[position].asides.append(next.ticket.index) }
    }
    return (next.ticket, next.call, limit)
  }

  private enum Room {
    case promised(Int)
    /// Those under way may leave some.
    case later
    case never
  }

  /// Promises a call of a batch room for its reply.
  private mutating func makeRoom(for next: Waiting) -> Room {
    let position = next.ticket.unit - firstUnit
    guard units.indices.contains(position), let batch = units[position].batch else {
      return .promised(Limits.answerByteCount)
    }
    // The room that is kept for its refusal is its own.
    let room = units[position].room(in: batch) + PipelineUnit.refusalSize
    guard !batch.isFull else { return .never }
    guard next.replyBound <= room else {
      guard batch.promises.isEmpty else { return .later }
      units[position].batch?.isFull = true
      return .never
    }
    let promise = next.concurrency == .alone ? room : next.replyBound
    units[position].batch?.promise(promise, bound: next.replyBound, to: next.ticket.index)
    return .promised(promise)
  }

  /// Whether the reply to a call fits into what was promised to it.
  func admits(_ byteCount: Int, for ticket: Ticket) -> Bool {
    byteCount < promise(to: ticket) ?? .max
  }

  /// The bytes that the reply to a call under way may hold.
  func replyLimit(of ticket: Ticket) -> Int { promise(to: ticket) ?? Limits.answerByteCount }

  /// The bytes promised to a call of a batch that is under way; `nil` for any other.
  private func promise(to ticket: Ticket) -> Int? {
    let position = ticket.unit - firstUnit
    let batch =
      units.indices.contains(position)
      ? units[position].batch : overtaken.first { $0.number == ticket.unit }?.unit.batch
    return batch?.promises[ticket.index]?.byteCount
  }

  /// Refuses all of a batch that has not begun, since the reply to a call of it does not fit.
  mutating func refuseRest(after ticket: Ticket) {
    let position = ticket.unit - firstUnit
    if units.indices.contains(position) { units[position].batch?.isFull = true }
  }

  /// Lets later calls start, and their replies leave, before the reply to a call under way.
  ///
  /// In a batch its reply may hold no more than its bound from now on: see ``replyLimit(of:)``.
  ///
  /// - Returns: Whether they do from now on.
  mutating func pass(_ ticket: Ticket) -> Bool {
    let position = ticket.unit - firstUnit
    guard units.indices.contains(position), units[position].pass(ticket.index) else {
      return false
    }
    runningCount -= 1
    isRunningAlone = false
    return true
  }

  /// Brings a call's reply; `nil` when none is due, as for a notification.
  ///
  /// A ticket that names no call under way changes nothing: another server may have sent it.
  mutating func complete(_ ticket: Ticket, reply: [UInt8]?) {
    let position = ticket.unit - firstUnit
    let count = reply.map { $0.count + 1 } ?? 0
    let isAside: Bool
    if let place = overtaken.firstIndex(where: {
      $0.number == ticket.unit && $0.unit.awaits(ticket.index)
    }) {
      isAside = overtaken[place].unit.complete(ticket.index, reply, byteCount: count)
    } else if units.indices.contains(position), units[position].awaits(ticket.index) {
      isAside = units[position].complete(ticket.index, reply, byteCount: count)
    } else {
      return
    }
    replyByteCount += count
    callCount -= 1
    guard !isAside else { return }
    runningCount -= 1
    isRunningAlone = false
  }

  /// The next reply that may leave; `nil` when the oldest is not complete.
  ///
  /// - Parameter fits: Decides by its bytes whether there is room for it; else it stays.
  mutating func takeReply(if fits: (Int) -> Bool = { _ in true }) -> [UInt8]? {
    while let place = nextComplete() {
      let byteCount = replyByteCount(at: place)
      guard byteCount == 0 || fits(byteCount + 1) else { return nil }
      let unit = remove(at: place)
      requestByteCount -= unit.byteCount
      replyByteCount -= byteCount
      guard byteCount > 0 else { continue }
      return unit.joinedReply
    }
    return nil
  }

  private enum Place {
    case overtaken(Int)
    case oldest
  }

  /// The unit whose reply leaves next, if it is there: one that was overtaken, or the oldest.
  private mutating func nextComplete() -> Place? {
    if let index = overtaken.firstIndex(where: { $0.unit.outstanding == 0 }) {
      return .overtaken(index)
    }
    while !units.isEmpty, units[0].isOvertakable {
      let number = firstUnit
      overtaken.append((number, removeFirst()))
    }
    return !units.isEmpty && units[0].outstanding == 0 ? .oldest : nil
  }

  private func replyByteCount(at place: Place) -> Int {
    switch place {
    case .overtaken(let index): overtaken[index].unit.replyByteCount
    case .oldest: units[0].replyByteCount
    }
  }

  private mutating func remove(at place: Place) -> PipelineUnit {
    switch place {
    case .overtaken(let index): overtaken.remove(at: index).unit
    case .oldest: removeFirst()
    }
  }

  private mutating func removeFirst() -> PipelineUnit {
    defer { if units.isEmpty { rest() } }
    firstUnit += 1
    return units.removeFirst()
  }

  /// An idle connection keeps no memory for its requests.
  private mutating func rest() {
    units = []
    waiting = []
  }

  private mutating func append(_ entries: [Entry], to empty: PipelineUnit) {
    var unit = empty
    let number = firstUnit + units.count
    for entry in entries {
      switch entry {
      case .reply(let reply):
        unit.replies.append(reply)
        unit.replyByteCount += reply.count + 1
      case .call(let call, let concurrency, let replyBound):
        let ticket = Ticket(unit: number, index: unit.replies.count)
        waiting.append(
          Waiting(ticket: ticket, call: call, concurrency: concurrency, replyBound: replyBound))
        unit.replies.append(nil)
        unit.outstanding += 1
      }
    }
    callCount += Int32(clamping: unit.outstanding)
    requestByteCount += unit.byteCount
    replyByteCount += unit.replyByteCount
    units.append(unit)
  }
}
