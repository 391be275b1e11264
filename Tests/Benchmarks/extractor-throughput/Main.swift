import Glibc
import LinkPreview

/// Reads pages of several kinds and prints how fast, as lines of name, value and unit.
///
///     swift run -c release extractor-throughput [rounds]
@main
struct ExtractorThroughput {
  private static let pageLength = 4_194_304
  private static let pieceLength = 16_384

  static func main() {
    let rounds = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 7
    guard rounds > 0, let url = WebURL("https://www.example.com/a/b") else {
      print("usage: extractor-throughput [rounds]")
      exit(2)
    }
    for kind in PageKind.all {
      let page = kind.page(ofLength: pageLength)
      let rates = (0..<rounds).map { _ in rate(of: page, kind, url) }.sorted()
      let name = kind.name.padded(to: 28)
      print("\(name) \(String(Int(rates[rates.count / 2])).padded(to: 6)) MB/s")
    }
  }

  /// Megabytes (10⁶ bytes) a second of processor time.
  private static func rate(of page: [UInt8], _ kind: PageKind, _ url: WebURL) -> Double {
    let start = processorTime()
    var extractor = OpenGraphExtractor(pageURL: url, contentType: kind.contentType)
    var read = 0
    page.withUnsafeBufferPointer { page in
      while read < page.count {
        let piece = UnsafeBufferPointer(rebasing: page[read..<min(page.count, read + pieceLength)])
        read += piece.count
        if extractor.receive(piece.span) == .finished { break }
      }
    }
    // Keeps the work from being left out, and shows a page that was not read to its end.
    if extractor.finish().tag == nil || read < page.count { print("# \(kind.name) stopped early") }
    return Double(read) / max(processorTime() - start, 1e-9) / 1e6
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
