import DequeModule
import ParleyProtocol

/// Keeps one connection's requests in order.
///
/// Messages that are sent are handed on one after the other without waiting, since their channels
/// keep their order; any other call runs alone, after all before it and before all behind it, so
/// that it sees what they did. Replies leave in the order of the requests; a batch's leave as one.
///
///     arrived   send  send  enter  send
///     started   ●     ●     when both are answered
struct RequestPipeline<Call> {
  /// Names a call that was started, to bring its reply back.
  struct Ticket: Hashable, Sendable {
    fileprivate let unit: Int
    fileprivate let index: Int
  }

  /// What a call has to wait for.
  enum Concurrency: Sendable {
    case alone
    case besideItsLike
  }

  /// One entry of a batch.
  enum Entry {
    case call(Call, Concurrency)
    /// The reply to something that can't be carried out.
    case reply([UInt8])
  }

  private struct Waiting {
    let ticket: Ticket
    let call: Call
    let concurrency: Concurrency
  }

  private struct Unit {
    let isBatch: Bool
    var outstanding = 0
    var replies: [[UInt8]?] = []
  }

  private var units: Deque<Unit> = []
  private var firstUnit = 0
  private var waiting: Deque<Waiting> = []
  private var runningCount = 0
  private var isRunningAlone = false

  /// How many calls have arrived and are not answered.
  private(set) var pendingCount = 0

  /// How much has arrived and is not done with: calls, and replies that wait for those before them.
  var backlog: Int { pendingCount + units.count }

  /// Adds a request.
  mutating func append(_ call: Call, _ concurrency: Concurrency) {
    append([.call(call, concurrency)], to: Unit(isBatch: false))
  }

  /// Adds the requests of a batch, which are answered together.
  mutating func append(batch entries: [Entry]) {
    append(entries, to: Unit(isBatch: true))
  }

  /// Adds the reply to something that can't be carried out, in its place.
  mutating func append(reply: [UInt8]) {
    append([.reply(reply)], to: Unit(isBatch: false))
  }

  /// The next call that may start now.
  mutating func start() -> (ticket: Ticket, call: Call)? {
    guard !isRunningAlone, let next = waiting.first else { return nil }
    if next.concurrency == .alone {
      guard runningCount == 0 else { return nil }
      isRunningAlone = true
    }
    waiting.removeFirst()
    runningCount += 1
    return (next.ticket, next.call)
  }

  /// Brings a call's reply; `nil` when none is due, as for a notification.
  mutating func complete(_ ticket: Ticket, reply: [UInt8]?) {
    let position = ticket.unit - firstUnit
    guard units.indices.contains(position), units[position].outstanding > 0 else { return }
    units[position].replies[ticket.index] = reply
    units[position].outstanding -= 1
    runningCount -= 1
    pendingCount -= 1
    isRunningAlone = false
  }

  /// The next reply that may leave; `nil` when the oldest is not complete.
  mutating func takeReply() -> [UInt8]? {
    while let unit = units.first, unit.outstanding == 0 {
      units.removeFirst()
      firstUnit += 1
      if units.isEmpty { rest() }
      let replies = unit.replies.compactMap(\.self)
      guard !replies.isEmpty else { continue }
      guard unit.isBatch else { return replies[0] }
      var batch: [UInt8] = []
      RPCReply.appendBatch(to: &batch, replies)
      return batch
    }
    return nil
  }

  /// An idle connection keeps no memory for its requests.
  private mutating func rest() {
    units = []
    waiting = []
  }

  private mutating func append(_ entries: [Entry], to empty: Unit) {
    var unit = empty
    let number = firstUnit + units.count
    for entry in entries {
      switch entry {
      case .reply(let reply): unit.replies.append(reply)
      case .call(let call, let concurrency):
        let ticket = Ticket(unit: number, index: unit.replies.count)
        waiting.append(Waiting(ticket: ticket, call: call, concurrency: concurrency))
        unit.replies.append(nil)
        unit.outstanding += 1
      }
    }
    pendingCount += unit.outstanding
    units.append(unit)
  }
}
