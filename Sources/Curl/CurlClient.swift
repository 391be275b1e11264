package import CCurl

/// Performs requests one at a time, on the caller's thread, reusing one connection if possible.
///
/// Confined to one thread.
package final class CurlClient {
  /// A complete response.
  package struct Response {
    package let status: Int
    package let body: [UInt8]
  }

  /// The reason why there is no complete response.
  package struct Failure: Error {
    package let result: CURLcode
    /// libcurl's error message.
    package let reason: String
    /// Whether the server's certificate has no trusted issuer or is currently invalid.
    package let isUntrusted: Bool
  }

  private let easy: CurlEasy

  /// - Throws: ``CurlError`` if libcurl cannot be initialized.
  package init() throws(CurlError) {
    guard CurlLibrary.isReady, let easy = CurlEasy() else {
      throw CurlError("libcurl cannot be initialised")
    }
    self.easy = easy
  }

  /// Performs one request.
  ///
  /// - Parameters:
  ///   - maximumBytes: The maximum size of a body; a larger one fails the request.
  ///   - configure: Sets the options of the request on a handle with the standard options.
  package func perform<E: Error>(
    maximumBytes: Int, _ configure: (CurlEasy) throws(E) -> Void
  ) throws(E) -> Result<Response, Failure> {
    easy.reset()
    try configure(easy)
    let exchange = Exchange(easy, maximumBytes: maximumBytes)
    easy.receiver = exchange
    let result = withExtendedLifetime(exchange) { curl_easy_perform(easy.handle) }
    guard result == CURLE_OK else { return .failure(failure(result)) }
    return .success(Response(status: easy.status ?? 0, body: exchange.body))
  }

  private func failure(_ result: CURLcode) -> Failure {
    let said = easy.errorText
    return Failure(
      result: result, reason: said.isEmpty ? String(cString: curl_easy_strerror(result)) : said,
      isUntrusted: easy.isPeerUntrusted)
  }

  private final class Exchange: CurlTransfer {
    let easy: CurlEasy
    private let maximumBytes: Int
    private(set) var body: [UInt8] = []

    init(_ easy: CurlEasy, maximumBytes: Int) {
      self.easy = easy
      self.maximumBytes = maximumBytes
    }

    func receiveHead(_ line: UnsafeBufferPointer<UInt8>) -> Bool { true }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
      guard body.count + bytes.count <= maximumBytes else { return false }
      body.append(contentsOf: bytes)
      return true
    }
  }
}
