import ParleyProtocol
import Testing

@testable import LinkPreview

@Suite("JSON as found on the web")
struct WebJSONTests {
  private func read(_ text: String) throws -> String? {
    try WebJSON.document(Array(text.utf8), limits: .standard).root.string
  }

  @Test(
    "line breaks in strings and unpaired surrogates are repaired",
    arguments: [
      ("\"a\nb\"", "a b"), ("\"a\u{1}b\"", "a b"), (#""\ud83d""#, "\u{fffd}"),
      (#""\udE00x""#, "\u{fffd}x"), (#""\ud83d\ude00""#, "😀"),
      (#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"), (#""\\ud83d""#, #"\ud83d"#), (#""\u00e9\n""#, "é\n"),
      (#""\ud83dx""#, "\u{fffd}x"), (#""\ud83d\u0041""#, "\u{fffd}A"),
    ])
  func repairs(text: String, expected: String) throws {
    #expect(try read(text) == expected)
  }

  @Test(
    "other malformed JSON stays refused",
    arguments: [#""\u12""#, #""\x""#, "\"", #""\"#, #"{"a":1,"a":2}"#, "[1,]", "'a'", #""\ud83"#])
  func refusals(text: String) {
    #expect(throws: JSONError.self) { try read(text) }
  }

  @Test("the length is checked before the text is read")
  func length() {
    let limits = JSONLimits(byteCount: 4)
    let error = #expect(throws: JSONError.self) {
      try WebJSON.document([UInt8](repeating: 0x20, count: 5), limits: limits)
    }
    #expect(error?.kind == .limit)
  }
}
