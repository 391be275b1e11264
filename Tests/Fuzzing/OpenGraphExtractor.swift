import LinkPreview

/// Reads any bytes as a page, whole and in pieces.
///
/// The first byte picks the content type, the second the size of the pieces.
enum OpenGraphExtractorHarness: Harness {
  static func run(_ input: [UInt8]) {
    guard input.count > 2, let url = WebURL("https://www.example.com/a/b") else { return }
    let types = [
      "text/html", "application/xhtml+xml", "text/html; charset=utf-16", "text/html;charset=euc-kr",
      "text/html; charset=iso-2022-jp", "text/html; charset=big5",
    ]
    let type = types[Int(input[0]) % types.count]
    let page = Array(input.dropFirst(2))
    read(page, url, type, piece: page.count)
    read(page, url, type, piece: 1 + Int(input[1]))
  }
}

private func read(_ page: [UInt8], _ url: WebURL, _ type: String, piece: Int) {
  var extractor = OpenGraphExtractor(pageURL: url, contentType: type)
  var rest = page[...]
  while !rest.isEmpty {
    let progress = Array(rest.prefix(piece)).withUnsafeBufferPointer { extractor.receive($0.span) }
    if progress == .finished { break }
    rest = rest.dropFirst(piece)
  }
  _ = extractor.finish()
}
