import ParleyProtocol
import Testing

@Suite("JSON values")
struct JSONNodeTests {
  @Test("each value has its kind and does not convert to another")
  func kinds() throws {
    let values = Array(try node("[null,true,1,\"1\",[1],{\"a\":1}]").elements)
    #expect(values.map(\.kind) == [.null, .bool, .number, .string, .array, .object])
    #expect(values.map(\.isNull) == [true, false, false, false, false, false])
    #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil])
    #expect(values.map(\.integer) == [nil, nil, 1, nil, nil, nil])
    #expect(values.map(\.number) == [nil, nil, 1, nil, nil, nil])
    #expect(values.map(\.string) == [nil, nil, nil, "1", nil, nil])
    #expect(values.map { Array($0.elements).count } == [0, 0, 0, 0, 1, 0])
    #expect(values.map { Array($0.members).count } == [0, 0, 0, 0, 0, 1])
    #expect(values.map { $0["a"] != nil } == [false, false, false, false, false, true])
  }

  @Test("the source text of a value is kept as it was written")
  func raw() throws {
    let values = try node("[ 1.0 , \"\\u0041\" , { \"a\" : [ ] } , null ]").elements
    #expect(
      values.map { String(decoding: $0.raw, as: UTF8.self) }
        == ["1.0", "\"\\u0041\"", "{ \"a\" : [ ] }", "null"])
  }

  @Test(
    "integers are exact, in whatever form they are written",
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("1.0", 1), ("1e3", 1000), ("1E+3", 1000),
      ("-2.50e1", -25), ("1000e-3", 1), ("0.001e3", 1), ("0e99999999999999999999", 0),
      ("0.000", 0), ("9007199254740991", (1 << 53) - 1), ("9007199254740992.0", 1 << 53),
      ("-9.007199254740992e15", -1 << 53), ("9223372036854775807", Int64.max),
      ("-9223372036854775808", Int64.min), ("1.5e1", 15), ("120.0e-1", 12),
    ] as [(String, Int64)])
  func integers(_ text: String, _ expected: Int64) throws {
    #expect(try node(text).integer == expected)
  }

  @Test(
    "a number that is fractional or inexact is not an integer",
    arguments: [
      "0.5", "1.5", "1e-1", "15e-1", "9223372036854775808", "-9223372036854775809",
      "9007199254740993.0", "1e16", "1e99999999999999999999", "1e-99999999999999999999",
      "9007199254740992.1", "1.0000000000000000000000001",
    ])
  func notIntegers(_ text: String) throws {
    #expect(try node(text).integer == nil)
  }

  @Test("the nearest binary number is returned unless it is infinite")
  func numbers() throws {
    #expect(try node("0.1").number == 0.1)
    #expect(try node("-1.5e-7").number == -1.5e-7)
    #expect(try node("1e308").number == 1e308)
    #expect(try node("1e309").number == nil)
  }

  @Test(
    "escapes are decoded",
    arguments: [
      ("\\\"\\\\\\/", "\"\\/"), ("\\b\\f\\n\\r\\t", "\u{8}\u{c}\n\r\t"), ("\\u0041", "A"),
      ("\\u00e9\\u20AC", "é€"), ("\\ud83d\\ude00!", "😀!"), ("a\\u0000b", "a\u{0}b"),
      ("\\udbff\\udfff", "\u{10ffff}"), ("\\u005cn", "\\n"), ("x\\ty\\tz", "x\ty\tz"),
      ("\\ud800\\udc00", "\u{10000}"),
    ])
  func escapes(_ contents: String, _ expected: String) throws {
    #expect(try node("\"\(contents)\"").string == expected)
  }

  @Test("members are found by name, whether the name is escaped or not")
  func lookup() throws {
    let object = try node("{\"a\":{\"b\":1},\"\\u0062\":2,\"ab\":null,\"c\":[{\"d\":4}],\"e\":5}")
    #expect(object["b"]?.integer == 2)
    #expect(object["a"]?["b"]?.integer == 1)
    #expect(object["e"]?.integer == 5)
    #expect(object["d"] == nil)
    #expect(object["ab"]?.isNull == true)
    #expect(object.present("ab") == nil)
    #expect(object.members.map(\.name) == ["a", "b", "ab", "c", "e"])
  }

  @Test("a node outlives its document")
  func lifetime() throws {
    var kept: JSONNode?
    do {
      let document = try JSONDocument("{\"a\":[\"text that does not fit into a small string\"]}")
      kept = document.root["a"]
    }
    #expect(kept?.elements.map(\.string) == ["text that does not fit into a small string"])
  }
}
