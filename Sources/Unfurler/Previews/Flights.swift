import LinkPreview

/// The requests that wait for links, with one shared fetch per link.
struct Flights {
  typealias Completion = @Sendable (PreviewOutcome) -> Void

  private struct Demand {
    let completion: Completion
    let end: ContinuousClock.Instant
  }

  private struct Flight {
    /// Requests that wait for the end of the fetch.
    var completions: [Completion] = []
    /// Requests that may leave before the end, by number.
    var demands: [UInt64: Demand] = [:]
    /// The deadline of the fetch.
    var fetchEnd: ContinuousClock.Instant?
    /// Whether the fetch continues when no request waits for it.
    var isKept = false
    /// Whether all requests have left: the fetch is being cancelled.
    var isAbandoned = false
    var task: UnfurlTask?
    var disposition = AnswerDisposition.keep

    var waitingCount: Int { completions.count + demands.count }

    mutating func takeAll() -> [Completion] {
      defer { (completions, demands) = ([], [:]) }
      return completions + demands.values.map(\.completion)
    }
  }

  /// A request with less time left after a fetch gets no other fetch.
  private static let shortestFetch = Duration.milliseconds(100)

  private var flights: [Link: Flight] = [:]
  private var waitingCount = 0
  private var lastNumber: UInt64 = 0
  private(set) var isClosed = false

  /// The result of requesting a link.
  enum Boarding {
    /// The first request for the link: the caller starts the fetch.
    case first
    /// The fetch is in progress.
    case joined
    /// Too many requests wait.
    case full
    /// No more links are fetched.
    case closed
  }

  /// The maximum number of waiting requests for all links together.
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
  /// - Parameter end: The deadline of the request.
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

  /// Removes a request, and returns the fetch to cancel if it was the last request.
  ///
  /// - Returns: `nil` if the request was already answered.
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

  /// Starts the fetch of a link, unless all requests have left.
  ///
  /// - Parameter usual: The time limit of a fetch for a message. It is the minimum, since the
  ///   outcome is shared.
  /// - Returns: The time limit of the fetch; `nil` if the flight ends or does not exist.
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

  /// Returns the time limit that the waiting requests give a fetch that starts now.
  func fetchTime(of link: Link, usual: Duration, at now: ContinuousClock.Instant) -> Duration {
    let end = flights[link]?.demands.values.map(\.end).max()
    return max(usual, end.map { now.duration(to: $0) } ?? .zero)
  }

  /// Returns whether a request other than for a message waits.
  func isDemanded(_ link: Link) -> Bool { flights[link]?.demands.isEmpty == false }

  /// Stores the handle of a started fetch.
  ///
  /// - Returns: `false` if no request waits for it.
  mutating func attach(_ task: UnfurlTask, to link: Link) -> Bool {
    guard let flight = flights[link], !flight.isAbandoned else { return false }
    flights[link]?.task = task
    return true
  }

  /// Returns the handling of the answer about a link; `nil` if no request waits for it.
  func disposition(of link: Link) -> AnswerDisposition? { flights[link]?.disposition }

  /// Prevents the answers about some links from being cached.
  mutating func discardAnswers(in scope: CacheScope) {
    for link in flights.keys where scope.covers(link) {
      flights[link]?.disposition = .discard
    }
  }

  /// Removes and returns the requests that wait for a link; the fetch continues.
  mutating func answer(_ link: Link) -> [Completion] {
    let completions = flights[link]?.takeAll() ?? []
    flights[link]?.isKept = true
    waitingCount -= completions.count
    return completions
  }

  /// Ends a flight and returns its waiting requests.
  mutating func land(_ link: Link) -> [Completion] {
    var flight = flights.removeValue(forKey: link)
    let completions = flight?.takeAll() ?? []
    waitingCount -= completions.count
    return completions
  }

  /// Ends a flight whose fetch timed out, except for later requests that have time left.
  ///
  /// - Returns: The requests to answer, and whether others need another fetch.
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

  /// Returns whether later requests need a fetch that was cancelled.
  func wantsAnother(_ link: Link) -> Bool {
    guard let flight = flights[link] else { return false }
    return flight.isAbandoned && flight.waitingCount > 0
  }

  /// Ends all flights permanently.
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

/// The look-ups requested by operators, each one separate.
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
    /// Start the look-up; the number identifies it.
    case admitted(UInt64)
    case full
    /// No more links are fetched.
    case closed
  }

  /// The maximum number of simultaneous look-ups.
  static let maximumCount = 8

  var count: Int { inspections.count }

  mutating func admit(_ link: Link, _ completion: @escaping Completion) -> Admission {
    if isClosed { return .closed }
    guard count < Self.maximumCount else { return .full }
    lastID += 1
    inspections[lastID] = Inspection(link: link, completion: completion)
    return .admitted(lastID)
  }

  /// Stores the entry that was cached before.
  ///
  /// - Returns: `false` if no request waits for it.
  mutating func note(_ cached: PreviewEntry?, in id: UInt64) -> Bool {
    guard inspections[id] != nil else { return false }
    inspections[id]?.cached = cached
    return true
  }

  /// Stores the handle of a started fetch.
  ///
  /// - Returns: `false` if no request waits for it.
  mutating func attach(_ task: UnfurlTask, to id: UInt64) -> Bool {
    guard inspections[id] != nil else { return false }
    inspections[id]?.task = task
    return true
  }

  /// Prevents the answers about some links from being cached.
  mutating func discardAnswers(in scope: CacheScope) {
    for (id, inspection) in inspections where scope.covers(inspection.link) {
      inspections[id]?.disposition = .discard
    }
  }

  mutating func end(_ id: UInt64) -> Inspection? { inspections.removeValue(forKey: id) }

  /// Ends all look-ups permanently.
  mutating func close() -> [Inspection] {
    isClosed = true
    defer { inspections = [:] }
    return Array(inspections.values)
  }
}

/// The handling of an answer after the waiting requests received it.
enum AnswerDisposition {
  case keep
  /// The link was purged while the fetch was in progress.
  case discard
}
