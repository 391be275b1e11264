import Store

/// The work at long requests on one server, a step at a time: which action is next.
///
/// A pure value: its host acts and reports the outcomes. Times are in milliseconds.
struct LongRequestRun {
  /// The next action.
  enum Action: Hashable {
    /// Takes the oldest open request.
    case claim
    /// Does the next bounded part of the work.
    case work
    /// Records a position, with the durable part of the file.
    case record(String, LongRequestProgress.Part?)
    case end(LongRequestEnd.Ending)
    /// Forgets the request, which has ended or at which another claim continues, and looks again after a
    /// time.
    case drop(after: Int64)
    /// Asks for the next action after a time.
    case wait(Int64)
    /// Looks for requests when one is added, and with several servers also after a time.
    case idle
  }

  /// The outcome of a part of the work.
  enum Step: Hashable {
    /// - Parameter rest: The time until the next part.
    case advanced(position: String, part: LongRequestProgress.Part?, rest: Int64)
    case finished(LongRequestEnd.Ending)
    case failed(reason: String)
    /// Nothing is wrong with the request, and a later attempt may succeed.
    case postponed(reason: String)
    /// The server no longer has the request.
    case lost
  }

  /// The time between two looks for requests.
  static let lookInterval: Int64 = 5_000
  /// The time until the next attempt after a failure of the store.
  static let failureInterval: Int64 = 10_000
  /// The time for which no other server takes a request that is not renewed.
  static let lease: Int64 = 30_000

  private enum State: Hashable {
    case idle
    case working
    /// The outcome of a part is being recorded.
    case recording(rest: Int64)
    case ending(LongRequestEnd.Ending)
  }

  private var state = State.idle

  /// Whether the server has a request.
  var isBusy: Bool { state != .idle }

  /// After a claim.
  mutating func didClaim(_ hasRequest: Bool) -> Action {
    state = hasRequest ? .working : .idle
    return hasRequest ? .work : .idle
  }

  /// After a part of the work.
  mutating func didStep(_ step: Step) -> Action {
    switch step {
    case .advanced(let position, let part, let rest):
      state = .recording(rest: rest)
      return .record(position, part)
    case .finished(let ending): return end(ending)
    case .failed(let reason): return end(.failed(reason: reason))
    case .postponed: return drop(after: Self.failureInterval)
    case .lost: return drop(after: Self.lookInterval)
    }
  }

  /// After a position was recorded.
  ///
  /// - Parameter isHeld: Whether the server still had the request; `nil` when the store failed.
  mutating func didRecord(_ isHeld: Bool?) -> Action {
    guard isHeld == true, case .recording(let rest) = state else {
      return drop(after: isHeld == nil ? Self.failureInterval : Self.lookInterval)
    }
    state = .working
    return rest > 0 ? .wait(rest) : .work
  }

  /// After an ending was recorded.
  ///
  /// - Parameter isHeld: The same; a failed store is tried again.
  mutating func didEnd(_ isHeld: Bool?) -> Action {
    isHeld == nil ? .wait(Self.failureInterval) : drop(after: 0)
  }

  /// The action after a wait.
  var next: Action {
    switch state {
    case .idle: .claim
    case .working: .work
    case .recording: .wait(Self.failureInterval)
    case .ending(let ending): .end(ending)
    }
  }

  private mutating func drop(after time: Int64) -> Action {
    state = .idle
    return .drop(after: time)
  }

  private mutating func end(_ ending: LongRequestEnd.Ending) -> Action {
    state = .ending(ending)
    return .end(ending)
  }
}

/// The pauses of a reader that works in the background.
///
/// While other queries come, the work takes a tenth of a reader's time, otherwise a third of it; more when
/// its own queries are slow.
struct ReadingPace {
  private static let busyShare: UInt64 = 9
  private static let quietShare: UInt64 = 2
  /// 2 s: a database that answers slowly does not make the work take hours.
  private static let longest: Int64 = 2_000_000_000

  /// The number of queries of others so far.
  private var seenCount: Int?

  /// The pause after a query, in nanoseconds.
  ///
  /// - Parameters:
  ///   - nanoseconds: The time that the query took.
  ///   - count: The number of queries so far, including this one.
  ///   - waiting: The number of waiting queries.
  mutating func pause(after nanoseconds: UInt64, queryCount count: Int, waiting: Int) -> Int64 {
    let others = seenCount.map { count - $0 - 1 } ?? 0
    seenCount = count
    let share = others > 0 || waiting > 0 ? Self.busyShare : Self.quietShare
    let (pause, isOverflow) = nanoseconds.multipliedReportingOverflow(by: share)
    return isOverflow ? Self.longest : min(Int64(clamping: pause), Self.longest)
  }
}
