import LinkPreview

/// The requests that wait for links, with one shared fetch per link.
struct Flights {
  typealias Completion = @Sendable (PreviewOutcome) -> Void

  private struct Flight {
    /// Requests that wait for the end.
    var completions: [Completion] = []
    /// Requests that may leave before, by their numbers.
    var demands: [UInt64: Completion] = [:]
    /// The time for a fetch; `nil` for the usual one.
    var timeout: Duration?
    /// Whether the fetch goes on when nobody waits for it.
    var isKept = false
    /// Whether everyone has left: the fetch is being cancelled.
    var isAbandoned = false
    var task: UnfurlTask?
    var disposition = AnswerDisposition.keep

    var waitingCount: Int { completions.count + demands.count }

    mutating func takeAll() -> [Completion] {
      defer { (completions, demands) = ([], [:]) }
      return completions + demands.values
    }
  }

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
    let boarding = board(link, within: nil)
    if boarding == .first || boarding == .joined {
      flights[link]?.completions.append(completion)
      flights[link]?.isKept = true
    }
    return boarding
  }

  /// Adds a request that may leave before the end of the fetch.
  ///
  /// - Returns: The number of the request.
  mutating func board(
    _ link: Link, within timeout: Duration, _ completion: @escaping Completion
  ) -> (UInt64, Boarding) {
    lastNumber += 1
    let boarding = board(link, within: timeout)
    if boarding == .first || boarding == .joined {
      flights[link]?.demands[lastNumber] = completion
    }
    return (lastNumber, boarding)
  }

  private mutating func board(_ link: Link, within timeout: Duration?) -> Boarding {
    if isClosed { return .closed }
    guard waitingCount < Self.maximumWaiting else { return .full }
    waitingCount += 1
    guard flights[link] == nil else { return .joined }
    flights[link] = Flight(timeout: timeout)
    return .first
  }

  /// Takes a request out, and the fetch to cancel if it was the last one.
  ///
  /// - Returns: `nil` when the request has been answered.
  mutating func leave(
    _ link: Link, _ number: UInt64
  ) -> (completion: Completion, task: UnfurlTask?)? {
    guard let completion = flights[link]?.demands.removeValue(forKey: number) else { return nil }
    waitingCount -= 1
    guard let flight = flights[link], flight.waitingCount == 0, !flight.isKept else {
      return (completion, nil)
    }
    flights[link]?.isAbandoned = true
    flights[link]?.task = nil
    return (completion, flight.task)
  }

  /// Lets the fetch of a link begin, unless everyone has left.
  ///
  /// - Returns: `false` for a flight that thereby ends, and for none.
  mutating func takeOff(_ link: Link) -> Bool {
    guard let flight = flights[link] else { return false }
    guard !flight.isAbandoned || flight.waitingCount > 0 else {
      flights[link] = nil
      return false
    }
    flights[link]?.isAbandoned = false
    return true
  }

  /// The time that a request has for a link's fetch; `nil` for the usual one.
  func timeout(of link: Link) -> Duration? { flights[link]?.timeout }

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
    let completions = flights.values.flatMap { $0.completions + $0.demands.values }
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
