internal import CCurl
internal import Curl
package import ParleyProtocol

/// A request for a key set: no redirects, and limited in time and size.
package enum KeySetRequest {
  /// The time limit of a fetch.
  package static let timeout = Duration.seconds(5)
  static let headByteLimit = 65_536

  /// Sets the options of a request on a handle with the standard options.
  static func configure(_ easy: CurlEasy, _ source: KeySetSource, userAgent: String) {
    easy.set(CURLOPT_URL, to: source.url)
    easy.set(CURLOPT_USERAGENT, to: userAgent)
    easy.setDeadline(.now.advanced(by: timeout))
  }

  /// The reason why there is no complete response.
  static func failure(_ result: CURLcode, reason: String, isTooLarge: Bool) -> KeySetFailure {
    switch result {
    case CURLE_OPERATION_TIMEDOUT:
      KeySetFailure(.timedOut, "no answer within \(timeout.components.seconds) seconds")
    case _ where isTooLarge: KeySetFailure(.unusable, "\(KeySetError.tooLarge)")
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
      return .failure(
        Self.failure(
          failure.result, reason: failure.reason,
          isTooLarge: failure.result == CURLE_WRITE_ERROR))
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
  private var body: [UInt8] = []
  private var headByteCount = 0
  private var isTooLarge = false

  init?(_ source: KeySetSource, of providerID: UInt64, userAgent: String) {
    guard let easy = CurlEasy() else { return nil }
    self.providerID = providerID
    self.source = source
    self.easy = easy
    easy.receiver = self
    KeySetRequest.configure(easy, source, userAgent: userAgent)
  }

  func receiveHead(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    headByteCount += line.count
    isTooLarge = headByteCount > KeySetRequest.headByteLimit
    return !isTooLarge
  }

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    isTooLarge = body.count + bytes.count > KeySet.byteLimit
    if !isTooLarge { body.append(contentsOf: bytes) }
    return !isTooLarge
  }

  /// The outcome of the transfer.
  func outcome(_ result: CURLcode) -> Result<FetchedKeySet, KeySetFailure> {
    guard result == CURLE_OK else {
      let text = easy.errorText
      let reason = text.isEmpty ? String(cString: curl_easy_strerror(result)) : text
      return .failure(KeySetRequest.failure(result, reason: reason, isTooLarge: isTooLarge))
    }
    return FetchedKeySet.read(status: easy.status ?? 0, body: body, for: source.issuer)
  }

  /// The response's Cache-Control fields.
  var cacheControl: [String] { easy.fields("cache-control") }
}
