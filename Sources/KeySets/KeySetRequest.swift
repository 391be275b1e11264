internal import CCurl
internal import Curl
package import ParleyProtocol

/// A request for a key set: no redirects, and limited in time and size.
package enum KeySetRequest {
  /// The time limit of a fetch.
  package static let timeout = Duration.seconds(5)

  /// Sets the options of a request on a handle with the standard options.
  static func configure(_ easy: CurlEasy, _ source: KeySetSource, userAgent: String) {
    easy.set(CURLOPT_URL, to: source.url)
    easy.set(CURLOPT_USERAGENT, to: userAgent)
    easy.setDeadline(.now.advanced(by: timeout))
  }

  /// The reason why there is no complete response.
  static func failure(_ result: CURLcode, reason: String) -> KeySetFailure {
    switch result {
    case CURLE_OPERATION_TIMEDOUT:
      KeySetFailure(.timedOut, "no answer within \(timeout.components.seconds) seconds")
    // The response is over its limit.
    case CURLE_WRITE_ERROR: KeySetFailure(.unusable, "\(KeySetError.tooLarge)")
    default: KeySetFailure(.unreachable, reason)
    }
  }

  /// Fetches a key set on the caller's thread.
  package static func perform(
    _ source: KeySetSource, userAgent: String
  ) -> Result<FetchedKeySet, KeySetFailure> {
    let client: CurlClient
    do throws(CurlError) {
      client = try CurlClient()
    } catch {
      return .failure(KeySetFailure(.unreachable, "\(error)"))
    }
    let response = client.perform(maximumBytes: KeySet.byteLimit) {
      configure($0, source, userAgent: userAgent)
    }
    switch response {
    case .failure(let failure):
      return .failure(Self.failure(failure.result, reason: failure.reason))
    case .success(let response):
      return FetchedKeySet.read(
        status: response.status, body: response.body, for: source.issuer)
    }
  }
}

/// One request for a key set, and its response; confined to its loop's thread.
final class KeySetTransfer: CurlTransfer {
  let providerID: UInt64
  let easy: CurlEasy
  private let source: KeySetSource
  private let response: BoundedResponse

  init?(_ source: KeySetSource, of providerID: UInt64, userAgent: String) {
    guard let easy = CurlEasy() else { return nil }
    self.providerID = providerID
    self.source = source
    self.easy = easy
    response = BoundedResponse(to: easy, maximumBytes: KeySet.byteLimit)
    KeySetRequest.configure(easy, source, userAgent: userAgent)
  }

  /// The outcome of the transfer.
  func outcome(_ result: CURLcode) -> Result<FetchedKeySet, KeySetFailure> {
    guard result == CURLE_OK else {
      return .failure(KeySetRequest.failure(result, reason: easy.explanation(of: result)))
    }
    return FetchedKeySet.read(
      status: response.status, body: response.body, for: source.issuer)
  }

  /// The response's Cache-Control fields.
  var cacheControl: [String] { response.fields("cache-control") }
}
