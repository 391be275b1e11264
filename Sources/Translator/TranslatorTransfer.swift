import Basics
import CCurl
import Curl
import Translation

/// One request to the service, and its response.
final class TranslatorTransfer: CurlTransfer {
  /// The purpose of a request.
  enum Purpose {
    case languages
    case job(TranslationJobID, TranslationText)
  }

  let purpose: Purpose
  let easy: CurlEasy
  /// In nanoseconds of the monotonic clock.
  let startedAt: Int64
  private let fields: CurlList
  private(set) var body: [UInt8] = []
  private(set) var isTooLarge = false
  private var headBytes = 0

  private static let maximumHeadBytes = 65_536

  init?(
    _ purpose: Purpose, _ request: EngineRequest, timeout: Duration, userAgent: String,
    startedAt: Int64
  ) {
    guard let easy = CurlEasy() else { return nil }
    self.purpose = purpose
    self.easy = easy
    self.startedAt = startedAt
    fields = CurlList(request.fields)
    easy.receiver = self
    easy.set(CURLOPT_URL, to: request.url)
    easy.set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_1_1))
    easy.set(CURLOPT_USERAGENT, to: userAgent)
    easy.set(CURLOPT_HTTPHEADER, to: fields)
    easy.setDeadline(.now.advanced(by: timeout))
    if let body = request.body { easy.post(body) }
  }

  func receiveHead(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    headBytes += line.count
    isTooLarge = headBytes > Self.maximumHeadBytes
    return !isTooLarge
  }

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    isTooLarge = body.count + bytes.count > TranslationEngine.maximumAnswerBytes
    if !isTooLarge { body.append(contentsOf: bytes) }
    return !isTooLarge
  }

  /// Returns the outcome of the transfer for its text.
  ///
  /// - Parameter now: The time in Unix milliseconds.
  func outcome(
    _ result: CURLcode, of text: TranslationText, _ engine: TranslationEngine, at now: Int64
  ) -> TranslationOutcome {
    switch result {
    case CURLE_OK: break
    case CURLE_OPERATION_TIMEDOUT: return .timedOut
    case _ where isTooLarge: return .failed("the answer is too large")
    default: return .failed(String(cString: curl_easy_strerror(result)))
    }
    let status = easy.status ?? 0
    if let wait = waitWanted(status, at: now) { return .overloaded(wait: wait) }
    return engine.outcome(status: status, body: body, of: text.text, into: text.code)
  }

  /// Returns the pause requested by the service, in milliseconds.
  private func waitWanted(_ status: Int, at now: Int64) -> Int64? {
    let named = easy.fields("retry-after").first.flatMap {
      RetryAfter.milliseconds($0, at: now)
    }
    switch status {
    case 429: return min(named ?? Self.usualWait, Self.longestWait)
    case 503: return named.map { min($0, Self.longestWait) }
    default: return nil
    }
  }

  private static let usualWait: Int64 = 1_000
  private static let longestWait: Int64 = 3_600_000
}
