import Basics

/// Reads any text as a page token, and tokens under another list.
///
/// A token reads back under its own list alone.
enum PageTokensHarness: Harness {
  static func run(_ input: [UInt8]) {
    var source = ByteSource(input)
    let list = [source.text(upTo: 20), source.text(upTo: 20)]
    let texts = PageCursor<String>(of: list)
    let position = source.text(upTo: 200)
    let token = texts.token(after: position)
    precondition(texts.position(in: token) == position)
    precondition(texts.position(in: token + "0") == nil)
    let numbers = PageCursor<Int64>(of: list)
    let number = Int64(position.utf8.count) << Int64(list[0].utf8.count)
    precondition(numbers.position(in: numbers.token(after: number)) == number)
    let foreign = String(decoding: source.rest(), as: UTF8.self)
    if let position = texts.position(in: foreign) {
      precondition(texts.token(after: position) == foreign, "two tokens of one page")
    }
  }
}
