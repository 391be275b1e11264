import ParleyProtocol
import Testing

@Suite("JSON texts, RFC 8259")
struct JSONDocumentTests {
  @Test(
    "a text of the grammar is accepted",
    arguments: [
      "null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.5", "1e1", "1E+1", "1e-1",
      "1.5e10", "123456789012345678901234567890", "\"\"", "\"a\"", "[]", "{}", "[1]", "[1,2]",
      "[[]]", "{\"a\":1}", "{\"a\":1,\"b\":2}", "{\"\":0}", " \t\n\r1 \t\n\r", "[ 1 , 2 ]",
      "{ \"a\" : 1 , \"b\" : [ ] }", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"", "\"\u{7f}\"",
      "\"é\u{800}\u{ffff}\u{10000}\u{10ffff}\"", "\"\\ud83d\\ude00\"", "\"\\u0000\"",
      "\"\\uFFFF\"", "\"\\uabCD\"", "{\"a\":{\"a\":{\"a\":null}}}", "\"\u{2028}\"",
    ])
  func accepts(_ text: String) throws {
    _ = try JSONDocument(text)
  }

  @Test(
    "a text outside the grammar is refused",
    arguments: [
      "", " ", "nul", "nulll", "True", "truex", "01", "-01", "00", "-", "+1", ".5", "1.", "1.e1",
      "1e", "1e+", "0x10", "1_000", "NaN", "Infinity", "-Infinity", "'a'", "\"", "\"a", "\"\\\"",
      "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u\"", "\"\\U0041\"", "\"a\tb\"", "\"a\nb\"",
      "\"\u{0}\"", "\"\u{1f}\"", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1:2]",
      "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}",
      "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\",1}", "[}", "{]", "1 2", "{}{}", "[]x",
      "\u{feff}1", "\u{a0}1", "/* */1", "1//", "\u{c}1", "\u{b}1", "[\"a\\\"]", "\"\\u+123\"",
      "{\"a\":1}}", "[1]]", "--1", "1e1.5", "0e", "tru", "f", "{null:1}", "{\"a\":}", "[1,,2]",
    ])
  func refuses(_ text: String) {
    let error = #expect(throws: JSONError.self) { try JSONDocument(text) }
    #expect(error?.kind == .syntax)
  }

  @Test(
    "an escaped surrogate without its other half is refused",
    arguments: [
      "\\ud83d", "\\ude00", "\\ud83dx", "\\ud83d\\n", "\\ud83d\\u0041", "\\ud83d\\ud83d",
      "\\ude00\\ud83d", "\\ud83d\\ude0", "\\ud83d\\", "\\uDBFF\\uE000",
    ])
  func refusesLoneSurrogates(_ contents: String) {
    #expect(throws: JSONError.self) { try JSONDocument("\"\(contents)\"") }
  }

  @Test(
    "bytes that are not UTF-8 are refused",
    arguments: [
      [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc2], [0xc2, 0x41], [0xe0, 0x80, 0x80],
      [0xe0, 0x9f, 0xbf], [0xe1, 0x80], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf],
      [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80],
      [0xf1, 0x80, 0x80], [0xf1, 0x80, 0x80, 0x41], [0xf5, 0x80, 0x80, 0x80], [0xfe], [0xff],
    ] as [[UInt8]])
  func refusesOtherEncodings(_ contents: [UInt8]) {
    let error = #expect(throws: JSONError.self) { try JSONDocument([0x22] + contents + [0x22]) }
    #expect(error?.kind == .encoding)
    #expect(error?.offset == 1)
  }

  @Test("the validity of every two-byte sequence matches the standard library")
  func agreesOnTwoBytes() {
    for first in UInt8(0x80)...0xff {
      for second in UInt8(0x80)...0xff {
        for tail in [[], [0x80], [0x80, 0x80], [0xbf, 0xbf]] as [[UInt8]] {
          let contents = [first, second] + tail
          let isValid = String(validating: contents, as: UTF8.self) != nil
          let isAccepted = (try? JSONDocument([0x22] + contents + [0x22])) != nil
          #expect(isAccepted == isValid, "\(contents)")
        }
      }
    }
  }

  @Test(
    "an object with a duplicate name is refused, however the name is written",
    arguments: [
      "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "{\"\":1,\"\":2}",
      "[{\"x\":{\"é\":1,\"b\":[],\"\\u00e9\":2}}]",
    ])
  func refusesRepeatedNames(_ text: String) {
    let error = #expect(throws: JSONError.self) { try JSONDocument(text) }
    #expect(error?.kind == .duplicateMember)
  }

  @Test("a duplicate name is found among many members", arguments: [2, 12, 13, 14, 500])
  func refusesRepeatedNamesAmongMany(_ count: Int) throws {
    let names = (0..<count).map { "\"m\($0)\":0" }
    _ = try JSONDocument("{\(names.joined(separator: ","))}")
    let error = #expect(throws: JSONError.self) {
      try JSONDocument("{\((names + ["\"\\u006d1\":0"]).joined(separator: ","))}")
    }
    #expect(error?.kind == .duplicateMember)
  }

  @Test("names that only look alike are distinct")
  func tellsNormalizationFormsApart() throws {
    let document = try JSONDocument("{\"\u{e9}\":1,\"e\u{301}\":2}")
    #expect(document.root["\u{e9}"]?.integer == 1)
    #expect(document.root["e\u{301}"]?.integer == 2)
  }

  @Test("nesting beyond the depth limit is refused")
  func boundsDepth() throws {
    _ = try JSONDocument(text(32, "[") + text(32, "]"))
    let error = #expect(throws: JSONError.self) { try JSONDocument(text(33, "[")) }
    #expect(error?.kind == .limit)
    #expect(error?.offset == 32)
    let siblings = [String](repeating: "[[]]", count: 100).joined(separator: ",")
    _ = try JSONDocument("[\(siblings)]", limits: JSONLimits(depth: 3))
  }

  @Test("values and names count towards the node limit")
  func boundsNodes() throws {
    let limits = JSONLimits(nodeCount: 5)
    _ = try JSONDocument("{\"a\":1,\"b\":2}", limits: limits)
    let error = #expect(throws: JSONError.self) {
      try JSONDocument("{\"a\":1,\"b\":[2]}", limits: limits)
    }
    #expect(error?.kind == .limit)
  }

  @Test("a text longer than the limit is refused without parsing")
  func boundsSize() throws {
    _ = try JSONDocument("[1]", limits: JSONLimits(byteCount: 3))
    let error = #expect(throws: JSONError.self) {
      try JSONDocument("[12]", limits: JSONLimits(byteCount: 3))
    }
    #expect(error?.kind == .limit)
  }

  @Test("an error contains the position")
  func namesThePlace() {
    let error = #expect(throws: JSONError.self) { try JSONDocument("{\"a\": tru}") }
    #expect(error?.description == "a value is expected at byte 6")
  }
}
