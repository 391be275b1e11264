import LinkPreview

/// Looks for a link in any text, and expects one that is in its normal form.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLinkFinder(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  guard let link = LinkFinder.firstLink(in: text) else { return 0 }
  precondition(Link(link.url) == link)
  precondition(link.url.utf8.count <= WebURL.maximumLength)
  precondition(link.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
  precondition(link.url.hasPrefix("http://") || link.url.hasPrefix("https://"))
  return 0
}
