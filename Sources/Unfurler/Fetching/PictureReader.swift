package import LinkPreview

/// Collects the bytes of a picture, up to a limit.
final class PictureReader: BodyReader {
  /// The maximum size of a picture, in bytes.
  static let limit = 5_242_880

  private var bytes: [UInt8] = []
  private var isTooLong = false

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard bytes.count <= Self.limit - self.bytes.count else {
      isTooLong = true
      self.bytes = []
      return PictureReport.tooLong
    }
    self.bytes += bytes
    return nil
  }

  func finish() -> TransferResult {
    isTooLong ? .nothing(PictureReport.tooLong) : .picture(bytes)
  }

  /// Returns whether a media type is a decodable picture; SVG, a program, is not.
  static func accepts(_ contentType: String) -> Bool {
    switch ResponseHead.essence(contentType) {
    case "image/jpeg", "image/jpg", "image/pjpeg", "image/png", "image/gif", "image/webp",
      "image/tiff", "image/heic", "image/heif", "image/avif":
      true
    default: false
    }
  }
}

extension ResponseHead {
  /// Returns the handling of a picture's body.
  ///
  /// - Parameter length: The length sent by the server.
  func pictureVerdict(length: Int64?) -> Verdict {
    let verdict = verdict(wanted: "a picture", accepts: PictureReader.accepts)
    guard case .read = verdict, let length, length > PictureReader.limit else { return verdict }
    return .decline(PictureReport.tooLong)
  }
}

/// The result of fetching a picture.
package struct PictureReport: Sendable {
  /// The picture as sent by its server; `nil` if there is a ``problem``.
  package let bytes: [UInt8]?
  /// The reason why there is no picture, as text.
  package let problem: String?
  /// The requests sent, in order.
  package let requests: [RequestTrace]

  static let tooLong = "the picture is longer than \(PictureReader.limit) bytes"

  package init(bytes: [UInt8], requests: [RequestTrace] = []) {
    (self.bytes, problem, self.requests) = (bytes, nil, requests)
  }

  package init(problem: String, requests: [RequestTrace] = []) {
    (bytes, self.problem, self.requests) = (nil, problem, requests)
  }

  init(failed report: UnfurlReport) {
    self.init(problem: report.problem ?? "unknown error", requests: report.trace.requests)
  }
}

/// Fetches the pictures of previews.
package protocol PictureFetcher: Sendable {
  /// Starts to fetch a picture.
  ///
  /// - Parameter completion: Called exactly once, on a thread of the fetcher, or on the caller's if
  ///   the result is known at once. It must not block.
  func fetchPicture(
    _ url: WebURL, for requester: PreviewRequester, deadline: Duration,
    completion: @escaping @Sendable (PictureReport) -> Void)
}
