import LinkPreview
import ParleyProtocol

/// Who waits for which link: one fetch for each, however many ask.
struct PreviewFlights {
  typealias Completion = @Sendable (OpenGraphTag?) -> Void

  private struct Flight {
    var completions: [Completion]
    var task: UnfurlTask?
    var disposition = AnswerDisposition.keep
  }

  private var flights: [Link: Flight] = [:]
  private var waitingCount = 0
  private(set) var isClosed = false

  /// What asking for a link means for the one who asks.
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

  /// How many requests may wait at a time, for all links together.
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

  /// What is to be done with the answer about a link; `nil` when nobody waits for it any more.
  func disposition(of link: Link) -> AnswerDisposition? { flights[link]?.disposition }

  /// Lets the answers about some links not be remembered.
  mutating func discardAnswers(in scope: PreviewScope) {
    for link in flights.keys where scope.covers(link) {
      flights[link]?.disposition = .discard
    }
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
