// sources: Sources/Store/Channels/PageToken.swift
// sources: Sources/Store/StoreError.swift
#if canImport(Store)
  @testable import Store
#endif

/// Reads any text as a page token, and tokens under another query.
///
/// A token reads back under its own query alone.
enum PageTokensHarness: Harness {
  static func run(_ input: [UInt8]) {
    var source = ByteSource(input)
    let query = [source.text(upTo: 20), source.text(upTo: 20)]
    let position = source.bytes(upTo: 200)
    let token = PageToken.encode(position, query: query)
    precondition((try? PageToken.decode(token, query: query)) == position)
    precondition((try? PageToken.decode(token + "0", query: query)) == nil)
    let foreign = String(decoding: source.rest(), as: UTF8.self)
    if let position = try? PageToken.decode(foreign, query: query) {
      precondition(PageToken.encode(position, query: query) == foreign, "two tokens of one page")
    }
  }
}
