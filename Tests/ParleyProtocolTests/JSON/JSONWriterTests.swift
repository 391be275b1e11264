import ParleyProtocol
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
  @Test("commas are written between values and nowhere else")
  func commas() {
    let text = written {
      $0.object {
        $0.member("a", object: { _ in })
        $0.member("b", array: { _ in })
        $0.member(
          "c",
          array: {
            $0.value(1)
            $0.array { $0.null() }
            $0.object { $0.member("d", true) }
            $0.value("e")
          })
        $0.member("f", raw: Array("{\"g\":1}".utf8))
        $0.member("h", orNull: nil)
        $0.member("i", orNull: "j")
        $0.name(escaping: "k\"")
        $0.value(false)
      }
    }
    #expect(
      text
        == #"{"a":{},"b":[],"c":[1,[null],{"d":true},"e"],"f":{"g":1},"#
        + #""h":null,"i":"j","k\"":false}"#
    )
  }

  @Test(
    "only characters that require it are escaped",
    arguments: [
      ("", #""""#), ("plain", #""plain""#), ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#),
      ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#), ("\u{0}\u{1f}\u{7f}", "\"\\u0000\\u001f\u{7f}\""),
      ("é€😀\u{2028}", "\"é€😀\u{2028}\""), ("a\nb\nc", #""a\nb\nc""#), ("\n\n", #""\n\n""#),
    ])
  func escapes(_ text: String, _ expected: String) {
    #expect(written { $0.value(text) } == expected)
  }

  @Test(
    "integers are written in digits",
    arguments: [0, 1, -1, 9, 10, 99, 100, 1_730_000_000_000, .max, .min] as [Int64])
  func integers(_ number: Int64) {
    #expect(written { $0.value(number) } == String(number))
  }

  @Test("a text may exceed the reserved capacity", arguments: [0, 1, 2, 63, 64, 65, 1_000])
  func growth(_ capacity: Int) {
    let texts = (0..<200).map { String(repeating: "\"é", count: $0 % 7) + String($0) }
    let bytes = JSONWriter.bytes(reserving: capacity) { writer in
      writer.array { for text in texts { $0.value(text) } }
    }
    let quoted = texts.map { "\"" + $0.replacing("\"", with: "\\\"") + "\"" }
    #expect(String(decoding: bytes, as: UTF8.self) == "[" + quoted.joined(separator: ",") + "]")
  }

  @Test("a table of texts is sorted by name")
  func tables() {
    let text = written { $0.object { $0.member("t", ["b": "2", "a\n": "1"]) } }
    #expect(text == #"{"t":{"a\n":"1","b":"2"}}"#)
  }
}
