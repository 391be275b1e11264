import Basics
import LinkPreview
import Logging
import ParleyProtocol
import Reactor
import Synchronization
import Thumbnails
import Transport
import Unfurler

/// Copies of the pictures of previews, which viewers load from this server instead of the page's server.
///
/// On any thread. Each picture is fetched once at a time, with the same protection as pages, decoded in
/// the sandbox of thumbnails, and kept until its room is needed for others. After that the picture is
/// fetched again through its address, which contains the original URL.
final class PreviewPictures: Sendable {
  typealias Completion = @Sendable (Result<ShelvedPicture, PictureProblem>) -> Void

  /// The bounds to which pictures are scaled down.
  static let bounds = ThumbnailSize(maxWidth: 1_200, maxHeight: 630)
  /// The number of pictures that are fetched or decoded at the same time; each may take 5 MiB.
  private static let activeLimit = 8
  /// The limit of one requester: sending links and loading pictures together leave two places free.
  private static let activePerRequester = 3
  /// The longest URL of a picture that is copied.
  private static let urlLimit = 2_048
  private static let waitingLimit = 1_000
  private static let waitingPerRequester = 100
  private static let failureLimit = 10_000

  /// The base of the addresses, and the secret that their names are derived from.
  struct Naming: Sendable {
    /// Without a trailing slash.
    let base: String
    let key: [UInt8]
  }

  private struct State {
    var flights = PictureFlights<Completion>(
      active: activeLimit, activePerRequester: activePerRequester,
      waiting: waitingLimit, waitingPerRequester: waitingPerRequester)
    /// URLs without a picture, with the times before which they are not retried.
    var failures: [PictureName: (problem: PictureProblem, until: ContinuousClock.Instant)] = [:]
    var outcomes: [PictureOutcome: Int] = [:]
  }

  private let naming: Naming
  private let fetcher: any PictureFetcher
  private let thumbnails: ThumbnailService
  private let shelf: PictureShelf
  private let failureTime: Duration
  private let timeout: Duration
  private let logger: Logger
  private let state = Mutex(State())

  init(
    _ naming: Naming, fetcher: any PictureFetcher, thumbnails: ThumbnailService,
    shelf: PictureShelf, failureTime: Duration, timeout: Duration, logger: Logger
  ) {
    self.naming = naming
    self.fetcher = fetcher
    self.thumbnails = thumbnails
    self.shelf = shelf
    self.failureTime = failureTime
    self.timeout = timeout
    self.logger = logger
  }

  /// Returns the address of the copy of a picture.
  func address(of picture: ShelvedPicture, from url: String) -> String {
    let path = Routes.picture.path("\(picture.name.text).\(picture.format.fileExtension)")
    return "\(naming.base)\(path)?url=\(PercentEncoding.encode(url))"
  }

  /// Obtains the copy of a picture.
  ///
  /// - Parameters:
  ///   - url: The URL of the picture in the page.
  ///   - deadline: The time limit of a fetch.
  func obtain(
    _ url: String, for requester: PreviewRequester, deadline: Duration,
    completion: @escaping Completion
  ) {
    guard url.utf8.count <= Self.urlLimit, let target = WebURL(url, relativeTo: nil),
      let name = PictureName(ofURL: url, key: naming.key)
    else {
      return completion(.failure(PictureProblem(.refused, "its address cannot be used").lasting))
    }
    if let picture = shelf.find(name) {
      count(.known)
      return completion(.success(picture))
    }
    let order = PictureOrder(
      name: name, url: target, requester: requester, deadline: .now.advanced(by: deadline))
    begin(order, completion)
  }

  /// Obtains the copy of a picture by the name and the original URL in its address.
  func obtain(
    _ name: PictureName, from url: String?, for requester: PreviewRequester,
    completion: @escaping @Sendable (ShelvedPicture?) -> Void
  ) {
    if let picture = shelf.find(name) { return completion(picture) }
    guard let url, name.isName(ofURL: url, key: naming.key) else { return completion(nil) }
    obtain(url, for: requester, deadline: timeout) { completion(try? $0.get()) }
  }

  /// Opens a copy for sending.
  func open(_ picture: ShelvedPicture, completion: @escaping @Sendable (OpenFile?) -> Void) {
    shelf.open(picture, completion: completion)
  }

  var figures: PictureFigures {
    PictureFigures(
      outcomes: state.withLock { $0.outcomes }, count: shelf.count, byteCount: shelf.byteCount)
  }

  // MARK: Steps

  private func begin(_ order: PictureOrder, _ completion: @escaping Completion) {
    let answer = state.withLock { state -> PictureProblem? in
      if let failure = state.failures[order.name] {
        if failure.until > .now { return failure.problem }
        state.failures[order.name] = nil
      }
      switch state.flights.add(order, completion) {
      case .accepted: return nil
      case .principalFull: return PictureProblem(.refused, "too many pictures of this user wait")
      case .full: return PictureProblem(.refused, "too many pictures are waiting")
      }
    }
    if let answer { return completion(.failure(answer)) }
    startNext()
  }

  private func startNext() {
    let now = ContinuousClock.now
    guard let order = state.withLock({ $0.flights.start(at: now) }) else { return }
    let left = now.duration(to: order.deadline)
    guard left > .zero else {
      let problem = PictureProblem(.refused, "its turn did not come in time")
      return finish(order, since: now, .failure(problem))
    }
    fetcher.fetchPicture(order.url, for: order.requester, deadline: left) { [self] report in
      guard let bytes = report.bytes else {
        let problem = PictureProblem(.failed, report.problem ?? "unknown error", report.requests)
        // The page may have left too little time for the picture.
        guard ContinuousClock.now < order.deadline else {
          return finish(order, since: now, .failure(problem))
        }
        return fail(order, since: now, problem)
      }
      decode(bytes, for: order, since: now, after: report.requests)
    }
  }

  /// Scales a picture down.
  ///
  /// The format is detected from the content, not from the declared type.
  private func decode(
    _ bytes: [UInt8], for order: PictureOrder, since start: ContinuousClock.Instant,
    after requests: [RequestTrace]
  ) {
    let beginning = Array(bytes.prefix(MediaFormat.prefixByteCount))
    guard let format = MediaFormat(beginning: beginning), !format.isFilm else {
      let problem = PictureProblem(.refused, "the content is no picture", requests)
      return fail(order, since: start, problem.lasting)
    }
    thumbnails.scale(
      bytes, into: Self.bounds, as: "preview \(order.name.text)",
      for: ThumbnailRequester(order.requester)
    ) { [self] result in
      guard let thumbnail = result.thumbnails.first else {
        let reason = "\(result.outcome.rawValue): \(result.reason)"
        let problem = PictureProblem(.failed, reason, requests)
        // A later attempt may find a free place.
        guard result.isFinal else { return finish(order, since: start, .failure(problem)) }
        return fail(order, since: start, problem.lasting)
      }
      shelf.keep(thumbnail, as: order.name) { [self] picture in
        guard let picture else {
          return fail(order, since: start, PictureProblem(.failed, "it cannot be kept", requests))
        }
        finish(order, since: start, .success(picture))
      }
    }
  }

  /// Fails an order, and does not retry the picture for a while.
  private func fail(
    _ order: PictureOrder, since start: ContinuousClock.Instant, _ problem: PictureProblem
  ) {
    state.withLock { state in
      if state.failures.count >= Self.failureLimit { state.failures = [:] }
      state.failures[order.name] = (problem, .now.advanced(by: failureTime))
    }
    finish(order, since: start, .failure(problem))
  }

  private func finish(
    _ order: PictureOrder, since start: ContinuousClock.Instant,
    _ result: Result<ShelvedPicture, PictureProblem>
  ) {
    let duration = UInt64(start.duration(to: .now) / .nanoseconds(1))
    let completions = state.withLock { state in
      state.outcomes[result.outcome, default: 0] += 1
      return state.flights.finish(order, after: duration)
    }
    if case .failure(let problem) = result {
      logger.debug(
        "no picture of a preview", metadata: ["url": "\(order.url.text)", "reason": "\(problem)"])
    }
    for completion in completions { completion(result) }
    startNext()
  }

  private func count(_ outcome: PictureOutcome) {
    state.withLock { $0.outcomes[outcome, default: 0] += 1 }
  }
}

/// The outcome of a request for the copy of a picture, for metrics.
enum PictureOutcome: String, Sendable, CaseIterable {
  /// The copy existed already.
  case known
  case made
  /// The picture was not decoded because of its URL, its content type, or a limit.
  case refused
  /// The picture could not be fetched or decoded.
  case failed
}

/// The reason why there is no copy of a picture, for operators.
struct PictureProblem: Error, Sendable, CustomStringConvertible {
  let outcome: PictureOutcome
  let description: String
  /// The requests sent, in order.
  let requests: [RequestTrace]
  /// Whether the picture itself is the reason, so that another attempt would fail the same way.
  private(set) var isLasting = false

  init(_ outcome: PictureOutcome, _ description: String, _ requests: [RequestTrace] = []) {
    (self.outcome, self.description, self.requests) = (outcome, description, requests)
  }

  /// The problem marked as lasting, for a picture that cannot be copied.
  var lasting: PictureProblem {
    var problem = self
    problem.isLasting = true
    return problem
  }
}

/// The numbers for metrics.
struct PictureFigures: Sendable {
  let outcomes: [PictureOutcome: Int]
  let count: Int
  let byteCount: Int64
}

extension Result<ShelvedPicture, PictureProblem> {
  fileprivate var outcome: PictureOutcome {
    switch self {
    case .success: .made
    case .failure(let problem): problem.outcome
    }
  }
}

extension ThumbnailRequester {
  /// The thumbnail requester for a preview requester.
  init(_ requester: PreviewRequester) {
    switch requester {
    case .user(let id): self = .user(id)
    case .visitor(let network): self = .visitor(network)
    case .operation: self = .operation
    }
  }
}
