import LinkPreview

/// A link being fetched, with its current request.
struct Fetch: TurnRequest, Sendable {
  typealias Completion = @Sendable (UnfurlReport) -> Void
  typealias PictureCompletion = @Sendable (PictureReport) -> Void

  /// The purpose of the next request.
  enum Purpose {
    case page
    /// To fetch a description that completes the page's own metadata.
    case embed(PageReport)
    /// To fetch the bytes of a picture.
    case picture

    var traced: RequestTrace.Purpose {
      switch self {
      case .page: .page
      case .embed: .embed
      case .picture: .picture
      }
    }
  }

  /// The recipient of the outcome.
  private enum Recipient: Sendable {
    case preview(Completion)
    case picture(PictureCompletion)
  }

  /// The id, unique in its unfurler.
  let id: UInt64
  let requester: PreviewRequester
  private(set) var url: WebURL
  private(set) var purpose = Purpose.page
  private(set) var decoding = BodyDecoding.undone
  /// The URLs of this request's redirects, including the first URL.
  private(set) var path: [WebURL]
  let deadline: ContinuousClock.Instant
  private(set) var queuedAt: ContinuousClock.Instant
  /// The microseconds that the next request has waited for its turn.
  private(set) var waiting: Int64 = 0
  private var trace = UnfurlTrace()
  private var freshness = Freshness.unspecified
  private let recipient: Recipient

  /// - Parameter now: The start of the wait.
  init(
    id: UInt64, url: WebURL, for requester: PreviewRequester, now: ContinuousClock.Instant,
    timeout: Duration,
    completion: @escaping Completion
  ) {
    self.init(id, url, requester, now, timeout, .preview(completion))
  }

  /// Creates a fetch of a picture.
  init(
    id: UInt64, pictureURL: WebURL, for requester: PreviewRequester,
    now: ContinuousClock.Instant, timeout: Duration, completion: @escaping PictureCompletion
  ) {
    self.init(id, pictureURL, requester, now, timeout, .picture(completion))
    purpose = .picture
  }

  private init(
    _ id: UInt64, _ url: WebURL, _ requester: PreviewRequester, _ now: ContinuousClock.Instant,
    _ timeout: Duration, _ recipient: Recipient
  ) {
    self.id = id
    self.requester = requester
    self.url = url
    path = [url]
    deadline = now.advanced(by: timeout)
    queuedAt = now
    self.recipient = recipient
  }

  /// The key of the site; fetches of one site share its places.
  var siteKey: String { url.siteKey }

  /// Records that the fetch's turn has come.
  mutating func noteStart(at now: ContinuousClock.Instant) {
    waiting = max(0, Int64(queuedAt.duration(to: now) / .microseconds(1)))
  }

  /// Records a completed request.
  mutating func note(_ request: RequestTrace, _ freshness: Freshness) {
    if trace.requests.count < UnfurlTrace.maximumRequests { trace.requests.append(request) }
    self.freshness = self.freshness.shortened(by: freshness)
  }

  mutating func redirect(to url: WebURL, at now: ContinuousClock.Instant) {
    decoding = .undone
    self.url = url
    path.append(url)
    queuedAt = now
  }

  /// Requests the same URL again, reading the body without decoding.
  mutating func repeatUndecoded(at now: ContinuousClock.Instant) {
    decoding = .none
    queuedAt = now
  }

  /// Continues with the oEmbed description that a page links to.
  mutating func complete(_ report: PageReport, from url: WebURL, at now: ContinuousClock.Instant) {
    purpose = .embed(report)
    decoding = .undone
    self.url = url
    path = [url]
    queuedAt = now
  }
}

/// The handling of a body's content coding (RFC 9110 §8.4).
enum BodyDecoding {
  /// Compression is offered and decoded.
  case undone
  /// No coding is offered; the body is read unchanged, whatever the response declares.
  case none
}

extension Fetch {
  /// Completes with the page's metadata.
  func succeed(with report: PageReport) {
    var trace = trace
    trace.origins = report.origins
    trace.characterSet = report.characterSet
    trace.emptiness = report.tag == nil ? report.problem : nil
    answer(
      UnfurlReport(
        .success(report.tag), siteName: report.siteName, freshness: freshness, trace: trace))
  }

  /// Completes without a preview; if only the description is missing, the page's own metadata is used.
  func decline(_ reason: String) {
    if case .embed(let report) = purpose { return succeed(with: report) }
    var trace = trace
    trace.emptiness = reason
    answer(UnfurlReport(.success(nil), freshness: freshness, trace: trace))
  }

  /// Completes with a failure; if only the description could not be fetched, the page's own
  /// metadata is used.
  func fail(_ error: UnfurlError) {
    if case .embed(let report) = purpose { return succeed(with: report) }
    answer(UnfurlReport(.failure(error), trace: trace))
  }

  /// Completes with a failure unrelated to the page; if only the description could not be tried,
  /// the page's own metadata is used.
  func turnAway(_ error: UnfurlError) {
    if case .embed(let report) = purpose { return succeed(with: report) }
    answer(UnfurlReport(.failure(error), freshness: .unkept, trace: trace))
  }

  /// Completes with a deadline that passed before the request's turn.
  func expire(at now: ContinuousClock.Instant) {
    var request = RequestTrace(url: url.textWithoutFragment, purpose: purpose.traced)
    request.waiting = max(0, Int64(queuedAt.duration(to: now) / .microseconds(1)))
    request.ending = "timed out while waiting for its turn"
    var fetch = self
    fetch.note(request, .unspecified)
    fetch.turnAway(.timedOut)
  }

  func cancel() { answer(.cancelled) }

  /// Completes with the bytes of a picture.
  func succeed(withPicture bytes: [UInt8]) {
    guard case .picture(let completion) = recipient else { return }
    completion(PictureReport(bytes: bytes, requests: trace.requests))
  }

  private func answer(_ report: UnfurlReport) {
    switch recipient {
    case .preview(let completion): completion(report)
    case .picture(let completion): completion(PictureReport(failed: report))
    }
  }
}
