import LinkPreview
import ParleyProtocol

/// Reads any bytes as a page, whole and in pieces, and expects the same preview within its bounds.
///
/// The first byte picks the content type, the second the size of the pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzExtractor(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 2, let url = WebURL("https://www.example.com/a/b") else { return 0 }
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let types = [
    "text/html", "application/xhtml+xml", "text/html; charset=utf-16", "text/html;charset=euc-kr",
    "text/html; charset=iso-2022-jp", "text/html; charset=big5",
  ]
  let type = types[Int(bytes[0]) % types.count]
  let page = Array(bytes.dropFirst(2))
  let whole = read(page, url, type, pieces: .max)
  precondition(whole == read(page, url, type, pieces: 1 + Int(bytes[1])))
  if let whole { checkBounds(whole) }
  return 0
}

private func read(
  _ page: [UInt8], _ url: WebURL, _ type: String, pieces: Int
) -> OpenGraphTag? {
  var extractor = OpenGraphExtractor(pageURL: url, contentType: type)
  var rest = page[...]
  while !rest.isEmpty {
    let progress = Array(rest.prefix(pieces)).withUnsafeBufferPointer { extractor.receive($0.span) }
    if progress == .finished { break }
    rest = rest.dropFirst(pieces)
  }
  return extractor.finish()
}

private func checkBounds(_ tag: OpenGraphTag) {
  precondition(tag.title != nil || tag.description != nil || tag.image != nil)
  precondition(tag.title.map { (1...1_024).contains($0.unicodeScalars.count) } ?? true)
  precondition(tag.description.map { (1...4_096).contains($0.unicodeScalars.count) } ?? true)
  for url in [tag.url, tag.image?.url, tag.image?.secureURL].compactMap({ $0 }) {
    // What was accepted once is in its normal form, and so accepted again unchanged.
    precondition(WebURL(url)?.text == url)
  }
  let forbidden = [tag.title, tag.description, tag.image?.alt].compactMap { $0 }.joined()
  precondition(!forbidden.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e })
}
