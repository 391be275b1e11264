import LinkPreview

/// The requests that wait for links, with one shared fetch per link.
struct Flights {
  typealias Completion = @Sendable (PreviewOutcome) -> Void

  private struct Demand {
    let completion: Completion
    let end: ContinuousClock.Instant
  }

  private struct Flight {
    /// Requests that wait for the end.
    var completions: [Completion] = []
    /// Requests that may leave before, by their numbers.
    var demands: [UInt64: Demand] = [:]
    /// The time until which the fetch may take.
    var fetchEnd: ContinuousClock.Instant?
    /// Whether the fetch goes on when nobody waits for it.
    var isKept = false
    /// Whether everyone has left: the fetch is being cancelled.
    var isAbandoned = false
    var task: UnfurlTask?
    var disposition = AnswerDisposition.keep

    var waitingCount: Int { completions.count + demands.count }

    mutating func takeAll() -> [Completion] {
      defer { (completions, demands) = ([], [:]) }
      return completions + demands.values.map(\.completion)
    }
  }

  /// With less time left after a fetch, a request is not worth another one.
  private static let shortestFetch = Duration.milliseconds(100)

  private var flights: [Link: Flight] = [:]
  private var waitingCount = 0
  private var lastNumber: UInt64 = 0
  private(set) var isClosed = false

  /// The result of requesting a link.
  enum Boarding {
    /// Nobody has asked before: begin.
    case first
    /// The fetch is under way.
    case joined
    /// Too many wait already.
    case full
    /// No more links are fetched.
    case closed
  }

  /// The largest number of waiting requests, for all links together.
  static let maximumWaiting = 50_000

  var count: Int { flights.count }

  /// Adds a request that waits for the end of the fetch.
  mutating func board(_ link: Link, _ completion: @escaping Completion) -> Boarding {
    let boarding = board(link)
    if boarding == .first || boarding == .joined {
      flights[link]?.completions.append(completion)
      flights[link]?.isKept = true
    }
    return boarding
  }

  /// Adds a request that may leave before the end of the fetch.
  ///
  /// - Parameter end: The time until which it waits.
  /// - Returns: The number of the request.
  mutating func board(
    _ link: Link, until end: ContinuousClock.Instant, _ completion: @escaping Completion
  ) -> (UInt64, Boarding) {
    lastNumber += 1
    let boarding = board(link)
    if boarding == .first || boarding == .joined {
      flights[link]?.demands[lastNumber] = Demand(completion: completion, end: end)
    }
    return (lastNumber, boarding)
  }

  private mutating func board(_ link: Link) -> Boarding {
    if isClosed { return .closed }
    guard waitingCount < Self.maximumWaiting else { return .full }
    waitingCount += 1
    guard flights[link] == nil else { return .joined }
    flights[link] = Flight()
    return .first
  }

  /// Takes a request out, and the fetch to cancel if it was the last one.
  ///
  /// - Returns: `nil` when the request has been answered.
  mutating func leave(
    _ link: Link, _ number: UInt64
  ) -> (completion: Completion, task: UnfurlTask?)? {
    guard let demand = flights[link]?.demands.removeValue(forKey: number) else { return nil }
    waitingCount -= 1
    guard let flight = flights[link], flight.waitingCount == 0, !flight.isKept else {
      return (demand.completion, nil)
    }
    flights[link]?.isAbandoned = true
    flights[link]?.task = nil
    return (demand.completion, flight.task)
  }

  /// Lets the fetch of a link begin, unless everyone has left.
  ///
  /// - Parameter usual: The time that a message gives a fetch. It is never less, since the outcome is
  ///   for all.
  /// - Returns: The time for the fetch; `nil` for a flight that ends, and for none.
  mutating func takeOff(
    _ link: Link, usual: Duration, at now: ContinuousClock.Instant
  ) -> Duration? {
    guard let flight = flights[link] else { return nil }
    guard !flight.isAbandoned || flight.waitingCount > 0 else {
      flights[link] = nil
      return nil
    }
    let time = fetchTime(of: link, usual: usual, at: now)
    flights[link]?.isAbandoned = false
    flights[link]?.fetchEnd = now + time
    return time
  }

  /// The time that those who wait give a fetch which begins now.
  func fetchTime(of link: Link, usual: Duration, at now: ContinuousClock.Instant) -> Duration {
    let end = flights[link]?.demands.values.map(\.end).max()
    return max(usual, end.map { now.duration(to: $0) } ?? .zero)
  }

  /// Whether somebody waits who does not wait for a message.
  func isDemanded(_ link: Link) -> Bool { flights[link]?.demands.isEmpty == false }

  /// Keeps the handle of a fetch that has begun.
  ///
  /// - Returns: `false` when nobody waits for it any more.
  mutating func attach(_ task: UnfurlTask, to link: Link) -> Bool {
    guard let flight = flights[link], !flight.isAbandoned else { return false }
    flights[link]?.task = task
    return true
  }

  /// Returns the treatment of the answer about a link; `nil` if no request waits for it.
  func disposition(of link: Link) -> AnswerDisposition? { flights[link]?.disposition }

  /// Lets the answers about some links not be remembered.
  mutating func discardAnswers(in scope: CacheScope) {
    for link in flights.keys where scope.covers(link) {
      flights[link]?.disposition = .discard
    }
  }

  /// Takes those who wait for a link, which are to be answered; the fetch goes on.
  mutating func answer(_ link: Link) -> [Completion] {
    let completions = flights[link]?.takeAll() ?? []
    flights[link]?.isKept = true
    waitingCount -= completions.count
    return completions
  }

  /// Ends a flight; those who waited for it are to be answered.
  mutating func land(_ link: Link) -> [Completion] {
    var flight = flights.removeValue(forKey: link)
    let completions = flight?.takeAll() ?? []
    waitingCount -= completions.count
    return completions
  }

  /// Ends a flight whose fetch ran out of time, but for those who came later and have more of it.
  ///
  /// - Returns: Those who are to be answered, and whether others want another fetch.
  mutating func landLate(_ link: Link) -> (completions: [Completion], isWantedAgain: Bool) {
    guard let flight = flights[link], let fetchEnd = flight.fetchEnd else {
      return (land(link), false)
    }
    let patient = flight.demands.filter { $0.value.end > fetchEnd + Self.shortestFetch }
    guard !patient.isEmpty else { return (land(link), false) }
    for number in patient.keys { flights[link]?.demands[number] = nil }
    waitingCount -= patient.count
    let completions = land(link)
    flights[link] = Flight(demands: patient)
    waitingCount += patient.count
    return (completions, true)
  }

  /// Whether a fetch that was cancelled is wanted again, by requests that came meanwhile.
  func wantsAnother(_ link: Link) -> Bool {
    guard let flight = flights[link] else { return false }
    return flight.isAbandoned && flight.waitingCount > 0
  }

  /// Ends all flights for good.
  mutating func close() -> (completions: [Completion], tasks: [UnfurlTask]) {
    isClosed = true
    defer {
      flights = [:]
      waitingCount = 0
    }
    let completions = flights.values.flatMap {
      $0.completions + $0.demands.values.map(\.completion)
    }
    return (completions, flights.values.compactMap(\.task))
  }
}

/// The look-ups that operators have asked for, each by itself.
struct Inspections {
  typealias Completion = @Sendable (PreviewExplanation) -> Void

  struct Inspection {
    let link: Link
    let completion: Completion
    var cached: PreviewEntry?
    var task: UnfurlTask?
    var disposition = AnswerDisposition.keep
  }

  private var inspections: [UInt64: Inspection] = [:]
  private var lastID: UInt64 = 0
  private var isClosed = false

  /// The result of requesting an explanation.
  enum Admission {
    /// Begin; the number names it from now on.
    case admitted(UInt64)
    case full
    /// No more links are fetched.
    case closed
  }

  /// The largest number under way at a time.
  static let maximumCount = 8

  var count: Int { inspections.count }

  mutating func admit(_ link: Link, _ completion: @escaping Completion) -> Admission {
    if isClosed { return .closed }
    guard count < Self.maximumCount else { return .full }
    lastID += 1
    inspections[lastID] = Inspection(link: link, completion: completion)
    return .admitted(lastID)
  }

  /// Keeps what was remembered before.
  ///
  /// - Returns: `false` when nobody waits for it any more.
  mutating func note(_ cached: PreviewEntry?, in id: UInt64) -> Bool {
    guard inspections[id] != nil else { return false }
    inspections[id]?.cached = cached
    return true
  }

  /// Keeps the handle of a fetch that has begun.
  ///
  /// - Returns: `false` when nobody waits for it any more.
  mutating func attach(_ task: UnfurlTask, to id: UInt64) -> Bool {
    guard inspections[id] != nil else { return false }
    inspections[id]?.task = task
    return true
  }

  /// Lets the answers about some links not be remembered.
  mutating func discardAnswers(in scope: CacheScope) {
    for (id, inspection) in inspections where scope.covers(inspection.link) {
      inspections[id]?.disposition = .discard
    }
  }

  mutating func end(_ id: UInt64) -> Inspection? { inspections.removeValue(forKey: id) }

  /// Ends all for good.
  mutating func close() -> [Inspection] {
    isClosed = true
    defer { inspections = [:] }
    return Array(inspections.values)
  }
}

/// The treatment of an answer after the waiting requests received it.
enum AnswerDisposition {
  case keep
  /// The link was purged while the answer was on its way.
  case discard
}
