package import CCurl

/// The response to one request, collected in memory up to a limit.
///
/// A larger response ends the transfer. The handle's owner retains it; confined to the handle's thread.
package final class BoundedResponse: CurlReceiver {
  /// The part of a response that exceeded its limit.
  package enum Excess {
    case head, body
  }

  /// The way in which a transfer ended.
  package enum Ending: Hashable {
    /// The response is complete.
    case complete
    case timedOut
    case tooLarge
    /// - reason: libcurl's text for the result of the transfer.
    case broken(reason: String)
  }

  /// The maximum number of header bytes, including interim responses (1xx).
  private static let maximumHeadBytes = 65_536

  private let easy: CurlEasy
  private let maximumBytes: Int
  private var headByteCount = 0
  /// The bytes of the body received so far, decompressed.
  package private(set) var body: [UInt8] = []
  package private(set) var excess: Excess?

  /// Becomes the receiver of a handle.
  ///
  /// - Parameter maximumBytes: The maximum size of the body.
  package init(to easy: CurlEasy, maximumBytes: Int) {
    self.easy = easy
    self.maximumBytes = maximumBytes
    easy.receiver = self
  }

  /// The status; 0 if there was none.
  package var status: Int { easy.status ?? 0 }

  /// Returns the values of a header field, in order; at most eight.
  package func fields(_ name: String) -> [String] { easy.fields(name) }

  /// Returns the way in which the transfer ended.
  package func ending(_ result: CURLcode) -> Ending {
    switch result {
    case CURLE_OK: .complete
    case CURLE_OPERATION_TIMEDOUT: .timedOut
    case _ where excess != nil: .tooLarge
    default: .broken(reason: String(cString: curl_easy_strerror(result)))
    }
  }

  package func receiveHead(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    headByteCount += line.count
    if headByteCount > Self.maximumHeadBytes { excess = .head }
    return excess == nil
  }

  package func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard body.count + bytes.count <= maximumBytes else {
      excess = .body
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }
}
