import Channels
import Configuration
import ParleyProtocol
import Reactor
import Store

/// Sends a connection the numbers over all groups of its user, when they have changed.
///
/// All groups are read at the beginning, after `group.ready`, and every ten minutes. In between, events and
/// calls of the connection mark groups, which are read together, at most once in `groups.totals_ms`: the cost
/// does not grow with the number of messages.
final class TotalsWatch: TimerHandler {
  /// Milliseconds after which all groups are read again.
  private static let renewalTime: Int64 = 600_000

  private let caller: SessionPrincipal
  private unowned let session: Session
  private let loop: EventLoop
  private var ledger = UnreadLedger()
  private var isReading = false
  private var isEnded = false
  private var timer: EventLoop.TimerToken?
  /// When groups, and when all groups, were last read, in the loop's milliseconds.
  private var lastRead: Int64?
  private var lastRenewal: Int64
  private var lastSent: Event.Totals?
  /// The calls that wait for the numbers.
  private var waiting: [ReplyAddress] = []
  /// The running calls of the connection, with the groups that they may change.
  private var calls: [CallTicket: GroupSelection] = [:]

  init(of caller: SessionPrincipal, on session: Session) {
    self.caller = caller
    self.session = session
    loop = session.shard.loop
    lastRenewal = loop.now
  }

  /// Reads all groups, then answers a call and sends the numbers.
  func begin(answering address: ReplyAddress) {
    waiting.append(address)
    ledger.mark(.all)
    read()
  }

  func end() {
    isEnded = true
    cancelTimer()
    for address in waiting { session.reply(.empty, to: address) }
    waiting = []
  }

  /// Notes an event that changes the numbers of a group.
  func mark(_ url: String) { mark(.urls([url])) }

  private func mark(_ selection: GroupSelection) {
    ledger.mark(selection)
    if !isReading { awaitNext() }
  }

  /// Notes an event that is sent to the connection alone.
  func note(_ event: [UInt8]) {
    guard let name = EventName(of: event), name.movesNumbers else { return }
    if name == .groupReady { return mark(.all) }
    let params = try? JSONDocument(event).root["params"]
    if let url = params?["channel_url"]?.string { mark(url) }
  }

  /// Notes a call of the connection, which receives no event about its own changes.
  func follow(_ command: borrowing Command, _ ticket: CallTicket) {
    if let groups = command.movedGroups { calls[ticket] = groups }
  }

  /// Notes the end of a call.
  func didComplete(_ ticket: CallTicket) {
    if let groups = calls.removeValue(forKey: ticket) { mark(groups) }
  }

  // MARK: Reading

  private func read() {
    guard !isReading, let selection = ledger.takeMarked() else { return }
    cancelTimer()
    isReading = true
    let (watch, path) = (LoopBound(self), session.shard.returnPath)
    let query = UnreadNumbers(of: caller.user.id, in: selection)
    let turn = QueryCaller.session(caller).principal
    session.shard.services.store.perform(query, for: turn) { result, _ in
      path.enqueue { _ in watch.value.didRead(result.serviceResult, selection) }
    }
  }

  private func didRead(
    _ result: Result<[CountedGroup], ServiceError>, _ selection: GroupSelection
  ) {
    isReading = false
    guard !isEnded else { return }
    lastRead = loop.now
    switch result {
    case .failure(let error):
      ledger.mark(selection)
      answer(.failure(error))
    case .success(let groups):
      ledger.apply(groups, of: selection)
      if selection == .all { lastRenewal = loop.now }
      let isAwaited = !waiting.isEmpty
      answer(.empty)
      send(ledger.totals, isAwaited: isAwaited)
    }
    awaitNext()
  }

  private func answer(_ outcome: CallOutcome) {
    for address in waiting { session.reply(outcome, to: address) }
    waiting = []
  }

  private func send(_ totals: Event.Totals, isAwaited: Bool) {
    guard !isEnded, isAwaited || totals != lastSent else { return }
    lastSent = totals
    session.send(
      Event.groupTotals(totals).notification(
        from: .session(at: session.shard.services.clock.now)))
  }

  // MARK: Time

  /// Waits until groups are read again.
  private func awaitNext() {
    // An answer may start the connection's next call, which ends the watch, or may fail to be written.
    guard !isEnded else { return }
    cancelTimer()
    let interval = Int64(session.shard.settings.groups.totalsMilliseconds)
    var due = lastRenewal + Self.renewalTime
    if ledger.isMarked { due = min(due, lastRead.map { $0 + interval } ?? loop.now) }
    timer = loop.schedule(after: max(due - loop.now, 0), self)
  }

  private func cancelTimer() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    timer = nil
    if !ledger.isMarked { ledger.mark(.all) }
    read()
  }
}
