import LinkPreview

/// A link that somebody waits for, at the request that it has come to.
struct Fetch: TurnRequest, Sendable {
  typealias Completion = @Sendable (UnfurlReport) -> Void
  typealias PictureCompletion = @Sendable (PictureReport) -> Void

  /// The purpose of the next request.
  enum Purpose {
    case page
    /// To complete what this page says of itself.
    case embed(PageReport)
    /// The bytes of a picture.
    case picture

    var traced: RequestTrace.Purpose {
      switch self {
      case .page: .page
      case .embed: .embed
      case .picture: .picture
      }
    }
  }

  /// The party that the outcome is for.
  private enum Recipient: Sendable {
    case preview(Completion)
    case picture(PictureCompletion)
  }

  /// Unique in its unfurler.
  let id: UInt64
  let requester: PreviewRequester
  private(set) var url: WebURL
  private(set) var purpose = Purpose.page
  private(set) var decoding = BodyDecoding.undone
  /// The URLs of this request's redirects, the first URL included.
  private(set) var path: [WebURL]
  let deadline: ContinuousClock.Instant
  private(set) var queuedAt: ContinuousClock.Instant
  /// Microseconds that the next request has waited for its turn.
  private(set) var waiting: Int64 = 0
  private var trace = UnfurlTrace()
  private var freshness = Freshness.unspecified
  private let recipient: Recipient

  /// - Parameter now: When somebody began to wait.
  init(
    id: UInt64, url: WebURL, for requester: PreviewRequester, now: ContinuousClock.Instant,
    timeout: Duration,
    completion: @escaping Completion
  ) {
    self.init(id, url, requester, now, timeout, .preview(completion))
  }

  /// A fetch of a picture.
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

  /// Fetches of one site share its places.
  var siteKey: String { url.siteKey }

  /// Its turn has come.
  mutating func noteStart(at now: ContinuousClock.Instant) {
    waiting = max(0, Int64(queuedAt.duration(to: now) / .microseconds(1)))
  }

  /// A request has ended.
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

  /// Requests the same URL again, to read the body as it comes.
  mutating func repeatUndecoded(at now: ContinuousClock.Instant) {
    decoding = .none
    queuedAt = now
  }

  /// Goes on to the oEmbed description that a page points to.
  mutating func complete(_ report: PageReport, from url: WebURL, at now: ContinuousClock.Instant) {
    purpose = .embed(report)
    decoding = .undone
    self.url = url
    path = [url]
    queuedAt = now
  }
}

/// The treatment of a body's coding (RFC 9110 §8.4).
enum BodyDecoding {
  /// Compression is offered, and undone.
  case undone
  /// No coding is offered; whatever the response says, the body is read as it comes.
  case none
}

extension Fetch {
  /// Answers with what a page says of itself.
  func succeed(with report: PageReport) {
    var trace = trace
    trace.origins = report.origins
    trace.characterSet = report.characterSet
    trace.emptiness = report.tag == nil ? report.problem : nil
    answer(
      UnfurlReport(
        .success(report.tag), siteName: report.siteName, freshness: freshness, trace: trace))
  }

  /// Completes without a preview; if only the description is missing, the page's own is used.
  func decline(_ reason: String) {
    if case .embed(let report) = purpose { return succeed(with: report) }
    var trace = trace
    trace.emptiness = reason
    answer(UnfurlReport(.success(nil), freshness: freshness, trace: trace))
  }

  /// Completes with a failure; if only the description could not be fetched, the page's own is
  /// used.
  func fail(_ error: UnfurlError) {
    if case .embed(let report) = purpose { return succeed(with: report) }
    answer(UnfurlReport(.failure(error), trace: trace))
  }

  /// Completes with a failure that says nothing about the page; if only the description could not
  /// be tried, the page's own is used.
  func turnAway(_ error: UnfurlError) {
    if case .embed(let report) = purpose { return succeed(with: report) }
    answer(UnfurlReport(.failure(error), freshness: .unkept, trace: trace))
  }

  /// Answers that the deadline passed before the request's turn came.
  func expire(at now: ContinuousClock.Instant) {
    var request = RequestTrace(url: url.textWithoutFragment, purpose: purpose.traced)
    request.waiting = max(0, Int64(queuedAt.duration(to: now) / .microseconds(1)))
    request.ending = "timed out while waiting for its turn"
    var fetch = self
    fetch.note(request, .unspecified)
    fetch.turnAway(.timedOut)
  }

  func cancel() { answer(.cancelled) }

  /// Answers with the bytes of a picture.
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
