import LinkPreview
import ParleyProtocol

/// Reads whole pages for tests.
enum PageReader {
  static func report(
    _ page: [UInt8], contentType: String = "text/html", url: String = "https://www.example.com/p/q",
    chunk: Int = .max
  ) -> PageReport? {
    guard let url = WebURL(url) else { return nil }
    var extractor = OpenGraphExtractor(pageURL: url, contentType: contentType)
    var rest = page[...]
    while !rest.isEmpty {
      let progress = Array(rest.prefix(chunk)).withUnsafeBufferPointer {
        extractor.receive($0.span)
      }
      if progress == .finished { break }
      rest = rest.dropFirst(chunk)
    }
    return extractor.finish()
  }

  static func tag(
    _ page: [UInt8], contentType: String = "text/html", url: String = "https://www.example.com/p/q",
    chunk: Int = .max
  ) -> OpenGraphTag? {
    report(page, contentType: contentType, url: url, chunk: chunk)?.tag
  }

  static func report(_ page: String) -> PageReport? { report(Array(page.utf8)) }

  static func tag(_ page: String) -> OpenGraphTag? { tag(Array(page.utf8)) }

  static func title(_ page: String) -> String? { tag(page)?.title }

  /// The words for where a member came from.
  static func source(of member: String, _ page: String) -> String? {
    report(page)?.origins.first { $0.member == member }?.source
  }
}
