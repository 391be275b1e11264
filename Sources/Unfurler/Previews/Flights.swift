import LinkPreview
import ParleyProtocol

/// The requests that wait for links, with one shared fetch per link.
struct Flights {
  typealias Completion = @Sendable (OpenGraphTag?) -> Void

  private struct Flight {
    var completions: [Completion]
    var task: UnfurlTask?
    var disposition = AnswerDisposition.keep
  }

  private var flights: [Link: Flight] = [:]
  private var waitingCount = 0
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

  mutating func board(_ link: Link, _ completion: @escaping Completion) -> Boarding {
    if isClosed { return .closed }
    guard waitingCount < Self.maximumWaiting else { return .full }
    waitingCount += 1
    if flights[link] != nil {
      flights[link]?.completions.append(completion)
      return .joined
    }
    flights[link] = Flight(completions: [completion])
    return .first
  }

  /// Keeps the handle of a fetch that has begun.
  ///
  /// - Returns: `false` when nobody waits for it any more.
  mutating func attach(_ task: UnfurlTask, to link: Link) -> Bool {
    guard flights[link] != nil else { return false }
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
    let completions = flights[link]?.completions ?? []
    flights[link]?.completions = []
    waitingCount -= completions.count
    return completions
  }

  /// Ends a flight; those who waited for it are to be answered.
  mutating func land(_ link: Link) -> [Completion] {
    let completions = flights.removeValue(forKey: link)?.completions ?? []
    waitingCount -= completions.count
    return completions
  }

  /// Ends all flights for good.
  mutating func close() -> (completions: [Completion], tasks: [UnfurlTask]) {
    isClosed = true
    defer {
      flights = [:]
      waitingCount = 0
    }
    return (flights.values.flatMap(\.completions), flights.values.compactMap(\.task))
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
