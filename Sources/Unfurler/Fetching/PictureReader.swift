package import LinkPreview

/// Collects the bytes of a picture, up to a number of them.
final class PictureReader: BodyReader {
  /// The largest picture, in bytes.
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

  /// Whether a type is that of a picture that can be decoded; SVG, a program, is not.
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
  /// The treatment of a picture's body.
  ///
  /// - Parameter length: The length that the server names.
  func pictureVerdict(length: Int64?) -> Verdict {
    let verdict = verdict(wanted: "a picture", accepts: PictureReader.accepts)
    guard case .read = verdict, let length, length > PictureReader.limit else { return verdict }
    return .decline(PictureReport.tooLong)
  }
}

/// The result of fetching a picture.
package struct PictureReport: Sendable {
  /// The picture as its server sent it; `nil` when there is a ``problem``.
  package let bytes: [UInt8]?
  /// The reason why there is none, as text.
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
  /// Begins to fetch a picture.
  ///
  /// - Parameter completion: Called exactly once, on a thread of the fetcher's, or on the caller's
  ///   when the answer is known at once. It must not block.
  func fetchPicture(
    _ url: WebURL, for requester: PreviewRequester, deadline: Duration,
    completion: @escaping @Sendable (PictureReport) -> Void)
}
