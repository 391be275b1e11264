import LinkPreview

/// Reads a page for its preview, up to a number of bytes.
final class PageReader: BodyReader {
  private var extractor: OpenGraphExtractor
  private var room: Int
  private let limit: Int

  init(_ url: WebURL, contentType: String, limit: Int) {
    extractor = OpenGraphExtractor(pageURL: url, contentType: contentType)
    room = limit
    self.limit = limit
  }

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let part = UnsafeBufferPointer(rebasing: bytes.prefix(room))
    room -= part.count
    if extractor.receive(part.span) == .finished { return "read as far as needed" }
    return room == 0 ? "read to the limit of \(limit) bytes" : nil
  }

  func finish() -> TransferOutcome { .page(extractor.finish()) }

  static func accepts(_ contentType: String) -> Bool { HTMLMediaType(contentType) != nil }
}
