import ParleyProtocol

/// Reads any text as a page token, and tokens under another query.
///
/// A token reads back under its own query alone.
enum PageTokensHarness: Harness {
  static func run(_ input: [UInt8]) {
    var source = ByteSource(input)
    let query = [source.text(upTo: 20), source.text(upTo: 20)]
    let position = source.bytes(upTo: 200)
    let token = PageToken.encode(position, query: query)
    precondition(PageToken.decode(token, query: query) == position)
    precondition(PageToken.decode(token + "0", query: query) == nil)
    let text = PageToken.encode(text: token, query: query)
    precondition(PageToken.decode(text: text, query: query) == token)
    let foreign = String(decoding: source.rest(), as: UTF8.self)
    if let position = PageToken.decode(foreign, query: query) {
      precondition(PageToken.encode(position, query: query) == foreign, "two tokens of one page")
    }
  }
}
