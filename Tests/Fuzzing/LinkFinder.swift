import LinkPreview

/// Looks for a link in any text, and expects one that is in its normal form.
///
/// Text behind it or in a paragraph before it must not change the result, and the search
/// for further links ends.
enum LinkFinderHarness: Harness {
  static func run(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let url = LinkFinder.firstURL(in: text)
    precondition(LinkFinder.firstURL(in: text + " x") == url, "what follows changes the link")
    precondition(LinkFinder.firstURL(in: "b.c\n\n" + text) == url, "what precedes changes the link")
    var finder = LinkFinder(text)
    var next = finder?.next()
    precondition(next == url, "the first link is another one")
    var count = 0
    while let link = next {
      check(link)
      count += 1
      precondition(count <= input.count, "the search never ends")
      next = finder?.next()
    }
  }
}

private func check(_ url: WebURL) {
  precondition(WebURL(url.text) == url, "the link is not in its normal form")
  precondition(Link(url.textWithoutFragment) == Link(url))
  precondition(url.text.utf8.count <= WebURL.maximumLength)
  precondition(url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
}
