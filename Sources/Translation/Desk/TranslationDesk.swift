package import Basics

/// Schedules translations: when a query is sent, which orders wait for it, and when none is sent.
///
/// There is at most one query at a time for a text and language. Users are served round-robin; if too
/// many jobs wait, the user with the most loses one. Time is milliseconds of any monotonic clock.
///
///     order  es, de ──▶ job (text, es) ──▶ service
///     order  es ──────▶    │
///                          └──▶ progress of both, end of the second
package struct TranslationDesk {
  package struct Bounds: Hashable, Sendable {
    /// The maximum number of simultaneous queries.
    package var concurrency: Int
    /// The maximum number of waiting queries.
    package var capacity = 1_000
    /// The time limit of a query.
    package var timeout: Int64
    /// The duration after which a query counts as slow.
    package var patience: Int64
    /// The characters that may be translated per day; 0 for no limit.
    package var charactersPerDay: Int64 = 0
    /// The characters that may be translated for a user per minute; 0 for no limit.
    package var charactersPerUserMinute: Int64 = 0
    package var breaker = CircuitBreaker.Limits()

    package init(concurrency: Int, timeout: Int64, patience: Int64) {
      self.concurrency = max(1, concurrency)
      self.timeout = timeout
      self.patience = patience
    }
  }

  private struct Job {
    let text: TranslationText
    /// The user in whose line the job waits; `nil` for the Platform API.
    var user: String?
    /// The user for whom the characters are counted.
    let payer: String?
    var orders: [TranslationOrderID] = []
    /// `nil` while the job waits.
    var ticket: CircuitBreaker.Ticket?
    var startedAt: Int64 = 0
    /// Whether the job was counted as slow.
    var isSlow = false
  }

  private struct Order {
    let deadline: Int64
    /// The languages as requested, by the jobs that translate into them.
    var missing: [TranslationJobID: [String]] = [:]
    var result = TranslationResult()
  }

  private let bounds: Bounds
  private var service: ServiceCondition
  private var jobs: [TranslationJobID: Job] = [:]
  private var byText: [TranslationText: TranslationJobID] = [:]
  private var queued = TurnQueue<String?, TranslationJobID>()
  private var running: Set<TranslationJobID> = []
  private var orders: [TranslationOrderID: Order] = [:]
  private var lastJob: UInt64 = 0
  private var budget: DailyBudget
  private var shares: DailyShares
  private var minutes: MinuteShares

  package init(_ bounds: Bounds, budget: DailyBudget) {
    self.bounds = bounds
    self.budget = budget
    shares = DailyShares(of: bounds.charactersPerDay)
    minutes = MinuteShares(of: bounds.charactersPerUserMinute)
    service = ServiceCondition(bounds.breaker)
  }

  package var queuedCount: Int { queued.count }

  package var runningCount: Int { running.count }

  /// Whether the service was slow several times in a row.
  package var isSlow: Bool { service.isSlow }

  /// Whether the service counts as responding.
  package var isUp: Bool { service.isUp }

  /// The characters sent on a day.
  package var usage: DailyBudget { budget }

  /// The time at which ``wake(at:into:)`` must be called; `nil` if nothing waits.
  package var wakeTime: Int64? {
    let deadline = orders.values.lazy.map(\.deadline).min()
    let slow = running.lazy.compactMap { jobs[$0] }.filter { !$0.isSlow }
      .map { $0.startedAt + bounds.patience }.min()
    return [deadline, slow].compactMap(\.self).min()
  }

  // MARK: Inputs

  /// Adds an order.
  ///
  /// - Parameters:
  ///   - texts: The text in each language, with the tags that were requested.
  ///   - user: The requesting user; `nil` for the Platform API.
  ///   - result: The known part of the result.
  ///   - day: The current day, for the budget.
  package mutating func take(
    _ id: TranslationOrderID, _ texts: [(text: TranslationText, tags: [String])],
    for user: String?, beside result: TranslationResult, until deadline: Int64, at now: Int64,
    day: Int64, into actions: inout [TranslationAction]
  ) {
    budget.begin(day)
    var order = Order(deadline: deadline, result: result)
    for (text, tags) in texts {
      switch join(text, by: id, for: user, at: now, into: &actions) {
      case .success(let job): order.missing[job, default: []] += tags
      case .failure(let refusal):
        actions.append(.count(.notAsked(refusal.skip)))
        order.result.fail(.failed)
      }
    }
    // A job that this order joined may have been dropped for its next one.
    for job in order.missing.keys where jobs[job] == nil {
      order.missing[job] = nil
      order.result.fail(.failed)
    }
    orders[id] = order
    finish([id], into: &actions)
    start(at: now, into: &actions)
  }

  /// Handles the end of a job.
  ///
  /// - Parameter jitter: See `CircuitBreaker`.
  package mutating func end(
    _ id: TranslationJobID, _ outcome: TranslationOutcome, at now: Int64, jitter: Double,
    into actions: inout [TranslationAction]
  ) {
    guard let job = jobs.removeValue(forKey: id) else { return }
    byText[job.text] = nil
    running.remove(id)
    if let ticket = job.ticket {
      let isLate = now - job.startedAt > bounds.patience
      let change = service.note(outcome, of: ticket, isLate: isLate, at: now, jitter: jitter)
      if let change { actions.append(.report(change)) }
    }
    actions.append(.count(outcome))
    switch outcome {
    case .text, .same: actions.append(.keep(job.text, outcome))
    case .refused, .overloaded, .failed, .timedOut, .notAsked: break
    }
    for order in job.orders {
      guard let tags = orders[order]?.missing.removeValue(forKey: id) else { continue }
      switch outcome {
      case .text(let text):
        for tag in tags { orders[order]?.result.texts[tag] = text }
        if orders[order]?.missing.isEmpty == false, let result = orders[order]?.result {
          actions.append(.progress(order, result))
        }
      case .same: break
      case .timedOut: orders[order]?.result.fail(.timedOut)
      case .refused, .overloaded, .failed, .notAsked: orders[order]?.result.fail(.failed)
      }
    }
    finish(job.orders, into: &actions)
    if !service.isAsked(at: now) { refuseQueued(.circuit, into: &actions) }
    start(at: now, into: &actions)
  }

  /// Cancels an order; its jobs continue if other orders wait for them, or if they have started.
  package mutating func cancel(
    _ id: TranslationOrderID, at now: Int64, into actions: inout [TranslationAction]
  ) {
    guard let order = orders.removeValue(forKey: id) else { return }
    leave(id, order)
    actions.append(.finish(id, order.result))
    start(at: now, into: &actions)
  }

  /// Ends jobs and orders whose time is up.
  package mutating func wake(at now: Int64, into actions: inout [TranslationAction]) {
    for id in running {
      guard let job = jobs[id], !job.isSlow, job.startedAt + bounds.patience <= now else {
        continue
      }
      jobs[id]?.isSlow = true
      service.noteSlow()
    }
    for (id, order) in orders where order.deadline <= now {
      orders[id] = nil
      leave(id, order)
      var result = order.result
      result.fail(.timedOut)
      actions.append(.finish(id, result))
    }
    start(at: now, into: &actions)
  }

  /// Ends all orders.
  package mutating func close(into actions: inout [TranslationAction]) {
    for (id, order) in orders {
      var result = order.result
      result.fail(.failed)
      actions.append(.finish(id, result))
    }
    orders = [:]
    jobs = [:]
    byText = [:]
    _ = queued.removeAll()
    running = []
  }

  // MARK: Steps

  private struct Refusal: Error {
    let skip: TranslationSkip
  }

  private mutating func join(
    _ text: TranslationText, by order: TranslationOrderID, for user: String?, at now: Int64,
    into actions: inout [TranslationAction]
  ) -> Result<TranslationJobID, Refusal> {
    if let id = byText[text] {
      jobs[id]?.orders.append(order)
      advance(id, for: user)
      return .success(id)
    }
    guard service.isAsked(at: now) else { return .failure(Refusal(skip: .circuit)) }
    guard shares.admit(user, budget) else { return .failure(Refusal(skip: .share)) }
    let count = text.text.unicodeScalars.count
    guard minutes.take(count, of: user, at: now) else { return .failure(Refusal(skip: .rate)) }
    guard budget.take(count, of: bounds.charactersPerDay) else {
      minutes.giveBack(count, of: user)
      return .failure(Refusal(skip: .budget))
    }
    // Last, so that no job is dropped for a text that is refused.
    guard makeRoom(for: user, into: &actions) else {
      budget.giveBack(count)
      minutes.giveBack(count, of: user)
      return .failure(Refusal(skip: .queue))
    }
    shares.add(count, of: user, on: budget.day)
    lastJob += 1
    let id = TranslationJobID(rawValue: lastJob)
    jobs[id] = Job(text: text, user: user, payer: user, orders: [order])
    byText[text] = id
    queued.append(id, of: user)
    return .success(id)
  }

  /// Moves a waiting job into the line of another user who requests it, if that line is shorter.
  private mutating func advance(_ id: TranslationJobID, for user: String?) {
    guard let job = jobs[id], !running.contains(id),
      queued.count(of: user) + 1 < queued.count(of: job.user)
    else { return }
    queued.remove(id, of: job.user)
    queued.append(id, of: user)
    jobs[id]?.user = user
  }

  /// Drops a job of the user with the most jobs, if too many wait.
  private mutating func makeRoom(
    for user: String?, into actions: inout [TranslationAction]
  ) -> Bool {
    guard queued.count >= bounds.capacity else { return true }
    guard let last = queued.popLast(beyond: queued.count(of: user) + 1) else { return false }
    refuse([last], .queue, into: &actions)
    return true
  }

  private mutating func start(at now: Int64, into actions: inout [TranslationAction]) {
    while running.count < bounds.concurrency, queued.count > 0 {
      guard let ticket = service.admit(at: now) else {
        // Another query probes the service, or a pause started while these waited.
        return refuseQueued(.circuit, into: &actions)
      }
      guard let id = queued.popFirst(), let job = jobs[id] else { return }
      jobs[id]?.ticket = ticket
      jobs[id]?.startedAt = now
      running.insert(id)
      actions.append(.start(id, job.text, deadline: now + bounds.timeout))
    }
  }

  /// Refuses all queued jobs: none waits for a service that is not queried.
  private mutating func refuseQueued(
    _ skip: TranslationSkip, into actions: inout [TranslationAction]
  ) {
    refuse(queued.removeAll(), skip, into: &actions)
  }

  /// Ends jobs that were removed from the queue.
  private mutating func refuse(
    _ ids: [TranslationJobID], _ skip: TranslationSkip, into actions: inout [TranslationAction]
  ) {
    var waiting: [TranslationOrderID] = []
    for id in ids {
      guard let job = jobs.removeValue(forKey: id) else { continue }
      byText[job.text] = nil
      giveBack(job)
      actions.append(.count(.notAsked(skip)))
      for order in job.orders {
        orders[order]?.missing[id] = nil
        orders[order]?.result.fail(.failed)
      }
      waiting += job.orders
    }
    finish(waiting, into: &actions)
  }

  private mutating func leave(_ id: TranslationOrderID, _ order: Order) {
    for job in order.missing.keys {
      jobs[job]?.orders.removeAll { $0 == id }
      // A started job continues: its result is cached for later orders.
      if jobs[job]?.orders.isEmpty == true, !running.contains(job),
        let given = jobs.removeValue(forKey: job)
      {
        byText[given.text] = nil
        giveBack(given)
        queued.remove(job, of: given.user)
      }
    }
  }

  private mutating func giveBack(_ job: Job) {
    let count = job.text.text.unicodeScalars.count
    budget.giveBack(count)
    shares.giveBack(count, of: job.payer)
    minutes.giveBack(count, of: job.payer)
  }

  private mutating func finish(
    _ ids: [TranslationOrderID], into actions: inout [TranslationAction]
  ) {
    for id in ids {
      guard let order = orders[id], order.missing.isEmpty else { continue }
      orders[id] = nil
      actions.append(.finish(id, order.result))
    }
  }
}
