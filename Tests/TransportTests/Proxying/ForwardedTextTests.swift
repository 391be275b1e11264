import Testing

@testable import Transport

@Suite("Text that proxies append to")
struct ForwardedTextTests {
  @Test(
    "elements are read from the end, without spaces and empty ones",
    arguments: [
      ("", []), (",", []), ("a", ["a"]), (" a ,\t, b,", ["b", "a"]), ("\"a,b\"", ["b\"", "\"a"]),
    ])
  func plain(text: String, expected: [String]) {
    #expect(ForwardedText.pieces(of: text, at: UInt8(ascii: ","), .none) == expected)
  }

  @Test(
    "separators in quoted strings do not split",
    arguments: [
      (#"a="1,2",b"#, ["b", #"a="1,2""#]), (#"a="\",\"",b"#, ["b", #"a="\",\"""#]),
      (#"a="\\",b"#, ["b", #"a="\\""#]), (#"a="\\\",",b"#, ["b", #"a="\\\",""#]),
      (#"x="",b"#, ["b", #"x="""#]),
    ])
  func quoted(text: String, expected: [String]) {
    #expect(ForwardedText.pieces(of: text, at: UInt8(ascii: ","), .strings) == expected)
  }

  @Test("an unclosed quote includes the text before it, not the text after it")
  func unbalanced() {
    let pieces = { ForwardedText.pieces(of: $0, at: UInt8(ascii: ","), .strings) }
    #expect(pieces(#"a,"b,c"#) == ["c", #"a,"b"#])
    #expect(pieces(#"a,b",c"#) == ["c", #"a,b""#])
  }
}
