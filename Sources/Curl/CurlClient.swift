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
  ///   - maximumBytes: The maximum size of a body; a larger one ends the request with `CURLE_WRITE_ERROR`.
  ///   - configure: Sets the options of the request on a handle with the standard options.
  package func perform<E: Error>(
    maximumBytes: Int, _ configure: (CurlEasy) throws(E) -> Void
  ) throws(E) -> Result<Response, Failure> {
    easy.reset()
    try configure(easy)
    let response = BoundedResponse(to: easy, maximumBytes: maximumBytes)
    let result = withExtendedLifetime(response) { curl_easy_perform(easy.handle) }
    guard result == CURLE_OK else {
      return .failure(
        Failure(
          result: result, reason: easy.explanation(of: result), isUntrusted: easy.isPeerUntrusted))
    }
    return .success(Response(status: response.status, body: response.body))
  }
}
