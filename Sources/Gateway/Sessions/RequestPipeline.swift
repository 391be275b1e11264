import Channels
import DequeModule
import ParleyProtocol

/// Keeps one connection's requests in order, and counts the bytes that they use.
///
/// Sends start one after another without waiting, because channels keep their order. Any other call runs
/// alone, after all earlier calls and before all later ones, so that it sees their effects. Replies are
/// sent in the order of the requests; a batch's replies are sent as one.
///
///     arrived   send  send  enter  send
///     started   ●     ●     when both are answered
///
/// Calls that wait for other services, such as preview fetches, run beside all others. When only such a
/// call holds up the oldest request, that request is *overtaken*: its reply is sent when it is ready. A
/// send that its channel may keep for a while is passed in the same way, even in a batch, and so is a mark
/// that waits for its time.
///
/// The replies of a batch share one budget. A call starts when its largest possible reply fits into the
/// rest of the budget, and otherwise waits for the running calls. With none running, the call and all
/// later ones of the batch are refused and not executed. A call that runs alone is promised the whole
/// rest; when it is passed, the part that its reply cannot need is released.
struct RequestPipeline<Call> {
  /// Identifies a started call, to complete it with its reply.
  typealias Ticket = CallTicket

  /// The calls that a call must wait for.
  enum Concurrency: Sendable {
    case alone
    case besideItsLike
    /// Waits for earlier calls, but no call waits for this one: its reply may come after later ones.
    case besideAll
  }

  /// One entry of a batch.
  enum Entry {
    /// - Parameter replyBound: The bytes that must be left for the reply when the call starts.
    case call(Call, Concurrency, replyBound: Int = 0)
    /// The reply to a call that cannot be executed.
    case reply([UInt8])
  }

  private struct Waiting {
    let ticket: Ticket
    let call: Call
    let concurrency: Concurrency
    let replyBound: Int
  }

  // An array, not a deque: a few elements, which are used in place.
  private var units: [PipelineUnit] = []
  private var firstUnit = 0
  /// Units that were overtaken by later ones, with their numbers; a few at most.
  private var overtaken: [(number: Int, unit: PipelineUnit)] = []
  private var waiting: Deque<Waiting> = []
  // Every session has these counts: 32 bits are enough.
  private var runningCount: Int32 = 0
  private var callCount: Int32 = 0
  private var isRunningAlone = false

  /// The number of calls that have arrived and are not answered.
  var pendingCount: Int { Int(callCount) }

  /// The memory of unanswered requests, and of replies that have not been sent.
  var heldByteCount: Int { requestByteCount + replyByteCount }

  /// The memory of unanswered requests.
  private(set) var requestByteCount = 0
  /// The size of unsent replies in bytes.
  private(set) var replyByteCount = 0

  /// The number of unfinished units: calls, and replies that wait for those before them.
  var backlog: Int { pendingCount + units.count + overtaken.count }

  /// Adds a request.
  mutating func append(_ call: Call, _ concurrency: Concurrency, byteCount: Int = 0) {
    var unit = PipelineUnit(byteCount: byteCount)
    add(call, concurrency, replyBound: 0, to: &unit)
    append(unit)
  }

  /// Adds the requests of a batch, which are answered together.
  mutating func append(batch entries: [Entry], byteCount: Int = 0) {
    var unit = PipelineUnit(batch: PipelineBatch(), byteCount: byteCount)
    for entry in entries {
      switch entry {
      case .reply(let reply): unit.add(reply: reply)
      case .call(let call, let concurrency, let replyBound):
        add(call, concurrency, replyBound: replyBound, to: &unit)
      }
    }
    append(unit)
  }

  /// Adds the reply to a call that cannot be executed, in its place.
  mutating func append(reply: [UInt8]) {
    var unit = PipelineUnit(byteCount: 0)
    unit.add(reply: reply)
    append(unit)
  }

  /// The next call that may start now.
  ///
  /// - Returns: The call and the size limit of its reply in bytes, `replyLimit`, which is `nil` for a
  ///   call that must be refused for lack of room.
  mutating func start() -> (
    ticket: Ticket, call: Call, concurrency: Concurrency, replyLimit: Int?
  )? {
    // Taken out and put back if it must wait, because a look at it would copy it.
    guard !isRunningAlone, let next = waiting.popFirst() else { return nil }
    let limit: Int?
    switch makeRoom(for: next) {
    case .later:
      waiting.prepend(next)
      return nil
    case .never: limit = nil
    case .promised(let byteCount): limit = byteCount
    }
    switch next.concurrency {
    case .alone:
      isRunningAlone = true
      runningCount += 1
    case .besideItsLike: runningCount += 1
    case .besideAll:
      let position = next.ticket.unit - firstUnit
      if units.indices.contains(position) { units[position].asides.append(next.ticket.index) }
    }
    return (next.ticket, next.call, next.concurrency, limit)
  }

  private enum Room {
    case promised(Int)
    /// The call must wait for running calls, which may leave some room.
    case later
    case never
  }

  /// Promises room for the reply to a call that may start.
  private mutating func makeRoom(for next: borrowing Waiting) -> Room {
    if next.concurrency == .alone, runningCount > 0 { return .later }
    let position = next.ticket.unit - firstUnit
    guard units.indices.contains(position), let batch = units[position].batch else {
      return .promised(Limits.answerByteCount)
    }
    // The room reserved for its own refusal is available to the call.
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

  /// Whether the reply to a call fits into the call's promise.
  func admits(_ byteCount: Int, for ticket: Ticket) -> Bool {
    byteCount < promise(to: ticket) ?? .max
  }

  /// The size limit of the reply to a running call, in bytes.
  func replyLimit(of ticket: Ticket) -> Int { promise(to: ticket) ?? Limits.answerByteCount }

  /// The bytes promised to a running call of a batch; `nil` for any other call.
  private func promise(to ticket: Ticket) -> Int? {
    let position = ticket.unit - firstUnit
    let batch =
      units.indices.contains(position)
      ? units[position].batch : overtaken.first { $0.number == ticket.unit }?.unit.batch
    return batch?.promises[ticket.index]?.byteCount
  }

  /// Refuses all calls of a batch that have not started, because the reply to one call does not fit.
  mutating func refuseRest(after ticket: Ticket) {
    let position = ticket.unit - firstUnit
    if units.indices.contains(position) { units[position].batch?.isFull = true }
  }

  /// Lets later calls start, and their replies be sent, before the reply to a running call.
  ///
  /// In a batch the reply is limited to its bound from now on: see ``replyLimit(of:)``.
  ///
  /// - Returns: Whether later calls were waiting for the call until now.
  mutating func pass(_ ticket: Ticket) -> Bool {
    let position = ticket.unit - firstUnit
    guard units.indices.contains(position), units[position].pass(ticket.index) else {
      return false
    }
    runningCount -= 1
    isRunningAlone = false
    return true
  }

  /// Completes a call with its reply; `nil` when no reply is due, as for a notification.
  ///
  /// A ticket of no running call is ignored: another server may have sent it.
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

  /// The next reply that may be sent; `nil` when the oldest is not complete.
  ///
  /// - Parameter fits: Decides by size whether there is room for the reply; otherwise it stays.
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

  /// The unit whose reply is sent next, if it is complete: an overtaken one, or the oldest.
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

  /// Releases the memory for requests of an idle connection.
  private mutating func rest() {
    units = []
    waiting = []
  }

  /// Adds a call to a unit that is about to be appended.
  private mutating func add(
    _ call: consuming Call, _ concurrency: Concurrency, replyBound: Int, to unit: inout PipelineUnit
  ) {
    let ticket = Ticket(unit: firstUnit + units.count, index: unit.addCall())
    waiting.append(
      Waiting(ticket: ticket, call: call, concurrency: concurrency, replyBound: replyBound))
  }

  private mutating func append(_ unit: PipelineUnit) {
    callCount += Int32(clamping: unit.outstanding)
    requestByteCount += unit.byteCount
    replyByteCount += unit.replyByteCount
    units.append(unit)
  }
}
