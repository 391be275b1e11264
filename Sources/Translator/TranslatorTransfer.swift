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
  let response: BoundedResponse
  private let fields: CurlList

  init?(
    _ purpose: Purpose, _ request: EngineRequest, timeout: Duration, userAgent: String,
    startedAt: Int64
  ) {
    guard let easy = CurlEasy() else { return nil }
    self.purpose = purpose
    self.easy = easy
    self.startedAt = startedAt
    fields = CurlList(request.fields)
    response = BoundedResponse(to: easy, maximumBytes: TranslationEngine.maximumAnswerBytes)
    easy.set(CURLOPT_URL, to: request.url)
    easy.set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_1_1))
    easy.set(CURLOPT_USERAGENT, to: userAgent)
    easy.set(CURLOPT_HTTPHEADER, to: fields)
    easy.setDeadline(.now.advanced(by: timeout))
    if let body = request.body { easy.post(body) }
  }

  /// Returns the outcome of the transfer for its text.
  ///
  /// - Parameter now: The time in Unix milliseconds.
  func outcome(
    _ result: CURLcode, of text: TranslationText, _ engine: TranslationEngine, at now: Int64
  ) -> TranslationOutcome {
    switch response.ending(result) {
    case .complete: break
    case .timedOut: return .timedOut
    case .tooLarge: return .failed("the answer is too large")
    case .broken(let reason): return .failed(reason)
    }
    if let wait = waitWanted(at: now) { return .overloaded(wait: wait) }
    return engine.outcome(
      status: response.status, body: response.body, of: text.text, into: text.code)
  }

  /// Returns the pause requested by the service, in milliseconds.
  private func waitWanted(at now: Int64) -> Int64? {
    let named = response.fields("retry-after").first.flatMap {
      RetryAfter.milliseconds($0, at: now)
    }
    switch response.status {
    case 429: return min(named ?? Self.usualWait, Self.longestWait)
    case 503: return named.map { min($0, Self.longestWait) }
    default: return nil
    }
  }

  private static let usualWait: Int64 = 1_000
  private static let longestWait: Int64 = 3_600_000
}
