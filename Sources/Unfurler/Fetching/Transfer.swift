import Basics
import CCurl
import Curl
import LinkPreview
import Reactor

/// One HTTP request of a fetch, and its response.
final class Transfer: CurlQueueTransfer, CurlReceiver {
  let request: Fetch
  let easy: CurlEasy
  let connections: ConnectionGuard
  private let maximumBytes: Int
  private var state = State.readingHead
  private var codings = BodyCodings()
  private var headByteCount = 0
  /// Whether the last started head is complete.
  private var hasWholeHead = false
  private(set) var byteCount: Int64 = 0

  /// The maximum number of header bytes, including interim responses (1xx): libcurl bounds each
  /// response's head, but not the number of responses.
  private static let maximumHeadByteCount = 262_144

  /// A body with this many bytes left at most is read to its end, so that the connection can be reused.
  private static let negligibleByteCount: Int64 = 16_384

  private enum State {
    case readingHead
    case reading(any BodyReader)
    /// Enough was read; reading ended for this reason.
    case enough(any BodyReader, ending: String)
    /// The body is not needed.
    case declined(TransferResult)
    /// The head is rejected; the text has the reason.
    case refused(String)
  }

  init(
    _ request: Fetch, _ easy: CurlEasy, _ connections: ConnectionGuard, maximumBytes: Int
  ) {
    self.request = request
    self.easy = easy
    self.connections = connections
    self.maximumBytes = maximumBytes
    easy.receiver = self
    easy.set(CURLOPT_URL, to: request.url.textWithoutFragment)
    easy.setDeadline(request.deadline)
    connections.watch(easy)
  }

  func receiveHead(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    headByteCount += line.count
    hasWholeHead = line.allSatisfy { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    codings.receive(line)
    if headByteCount > Self.maximumHeadByteCount {
      state = .refused("the response's head is too large")
    } else if codings.count > 1 {
      state = .refused("the response is compressed more than once")
    }
    if case .refused = state { return false }
    return true
  }

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if case .readingHead = state { endHead() }
    guard case .reading(let reader) = state else { return isNearEnd }
    byteCount += Int64(bytes.count)
    guard let ending = reader.receive(bytes) else { return true }
    state = .enough(reader, ending: ending)
    return isNearEnd
  }

  private var isNearEnd: Bool {
    guard let length = easy.declaredBodyLength else { return false }
    return length - easy.receivedBodyLength <= Self.negligibleByteCount
  }

  private func endHead() {
    let head = ResponseHead(easy)
    let verdict =
      switch request.purpose {
      case .page: head.verdict(wanted: "HTML", accepts: PageReader.accepts)
      case .embed: head.verdict(wanted: "JSON", accepts: EmbedReader.accepts)
      case .picture: head.pictureVerdict(length: easy.declaredBodyLength)
      }
    switch verdict {
    case .read(let contentType): state = .reading(reader(of: contentType))
    case .redirect(let location): state = .declined(.redirect(to: location))
    case .decline(let reason): state = .declined(.nothing(reason))
    case .fail(let reason): state = .refused(reason)
    }
  }

  private func reader(of contentType: String) -> any BodyReader {
    switch request.purpose {
    case .page: PageReader(request.url, contentType: contentType, limit: maximumBytes)
    case .embed: EmbedReader(request.url)
    case .picture: PictureReader()
    }
  }

  /// Returns the outcome of the transfer, with a description of its end.
  func conclude(_ result: CURLcode) -> (TransferResult, ending: String) {
    // A body that cannot be read does not matter for a redirect.
    if case .readingHead = state, result == CURLE_OK || isBroken(result) { endHead() }
    switch state {
    case .declined(.redirect(let location)):
      return (.redirect(to: location), "redirected to \(DisplayText.quoted(location, limit: 128))")
    case .declined(.nothing(let reason)): return (.nothing(reason), reason)
    case .enough(let reader, let ending): return (reader.finish(), ending)
    case .reading(let reader): return conclude(reader, result)
    case .refused(let reason): return (.failure(.failed(reason)), reason)
    case .readingHead, .declined: return fail(result)
    }
  }

  /// Concludes a body: a broken one may contain enough, one that timed out does not.
  private func conclude(
    _ reader: any BodyReader, _ result: CURLcode
  ) -> (TransferResult, ending: String) {
    if result == CURLE_OK { return (reader.finish(), "read to the end") }
    if result == CURLE_BAD_CONTENT_ENCODING, codings.hasUnknown, request.decoding == .undone {
      return (.encoded, "the body has an unknown coding, and is requested without one")
    }
    let (failure, ending) = fail(result)
    if result != CURLE_OPERATION_TIMEDOUT, case .page(let report) = reader.finish(),
      report.tag != nil
    {
      return (.page(report), "\(ending); what had come was used")
    }
    return (failure, ending)
  }

  /// Returns whether the response broke after a complete head, other than by a time-out.
  private func isBroken(_ result: CURLcode) -> Bool {
    hasWholeHead && result != CURLE_OPERATION_TIMEDOUT
  }

  private func fail(_ result: CURLcode) -> (TransferResult, ending: String) {
    let problem = TransferProblem(
      result, easy, url: request.url, hasHead: headByteCount > 0, isReading: isReading,
      refused: connections.refused)
    return (.failure(problem.error), problem.text)
  }

  private var isReading: Bool {
    if case .reading = state { return true }
    return false
  }
}

extension Transfer {
  /// Returns the trace of the request after its end.
  func trace(ending: String) -> RequestTrace {
    var trace = RequestTrace(url: request.url.textWithoutFragment, purpose: request.purpose.traced)
    trace.address = easy.peerAddress
    trace.status = easy.status
    trace.contentType = easy.fields("content-type").last.map { String($0.prefix(256)) }
    trace.byteCount = byteCount
    trace.waiting = request.waiting
    // On a reused connection libcurl's first times measure the search for that connection.
    if easy.openedConnectionCount > 0 {
      trace.nameLookup = easy.microseconds(until: CURLINFO_NAMELOOKUP_TIME_T)
      trace.connect = easy.microseconds(until: CURLINFO_CONNECT_TIME_T)
      trace.tlsHandshake = easy.microseconds(until: CURLINFO_APPCONNECT_TIME_T)
    }
    trace.firstByte = easy.microseconds(until: CURLINFO_STARTTRANSFER_TIME_T)
    trace.total = easy.microseconds(until: CURLINFO_TOTAL_TIME_T)
    trace.ending = ending
    return trace
  }

  /// Returns the time for which the response may be cached, according to its server.
  func freshness(of outcome: TransferResult) -> Freshness {
    switch (request.purpose, outcome) {
    case (_, .failure): return .unspecified
    // A picture is cached by its URL.
    case (.picture, _): return .unspecified
    case (.page, _), (.embed, .embed): break
    // The page is shown as if there were no description.
    case (.embed, _): return .unspecified
    }
    let fields = ResponseFreshness(
      cacheControl: easy.fields("cache-control"), age: easy.fields("age"),
      date: easy.fields("date"), expires: easy.fields("expires"))
    return fields.freshness(at: SystemClock.unixMilliseconds / 1_000)
  }
}

/// The outcome of one request.
enum TransferResult {
  case page(PageReport)
  case embed(OEmbedResponse)
  case picture([UInt8])
  case redirect(to: String)
  /// The body has a coding that libcurl does not support.
  case encoded
  /// The response is not a page; the text has the reason.
  case nothing(String)
  case failure(UnfurlError)
}
