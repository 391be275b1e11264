import LinkPreview
import ParleyProtocol
import Testing

@Suite("Character sets of pages")
struct CharacterSetTests {
  private func page(_ head: String, _ title: [UInt8]) -> [UInt8] {
    Array(head.utf8) + Array("<title>".utf8) + title + Array("</title>".utf8)
  }

  private static let samples: [(String, [UInt8], String)] = [
    ("utf-8", [0xed, 0x95, 0x9c], "한"), ("euc-kr", [0xc7, 0xd1, 0x8c, 0x63], "한똠"),
    ("KS_C_5601-1987", [0xc7, 0xd1], "한"), ("shift_jis", [0x93, 0xfa, 0x83, 0x5c], "日ソ"),
    ("euc-jp", [0xc6, 0xfc], "日"), ("gb2312", [0xba, 0xba, 0x81, 0x40], "汉丂"),
    ("gbk", [0xba, 0xba], "汉"), ("gb18030", [0xba, 0xba, 0x90, 0x30, 0x81, 0x30], "汉\u{10000}"),
    ("big5", [0xba, 0x7e], "漢"), ("windows-1251", [0xcf], "П"), ("koi8-r", [0xf0], "П"),
    ("iso-8859-1", [0x80, 0xe9], "€é"), ("latin1", [0x93], "“"), ("iso-8859-2", [0xb1], "ą"),
    ("iso-8859-9", [0xf0], "ğ"), ("windows-874", [0xa1], "ก"), ("x-sjis", [0x82, 0xa0], "あ"),
    ("windows-1252", [0x80], "€"), ("macintosh", [0x8e], "é"), ("iso-8859-15", [0xa4], "€"),
    ("windows-1258", [0x61, 0xec], "a\u{301}"), ("utf-16", [0xc3, 0xa9], "é"),
  ]

  @Test("a label in the header, a meta element or a pragma is used", arguments: samples)
  func labels(label: String, bytes: [UInt8], expected: String) {
    let meta = PageReader.tag(page("<meta charset='\(label)'>", bytes))?.title
    let late = PageReader.tag(
      page("", bytes) + Array("<meta charset=\(label)>".utf8))?.title
    let pragma = PageReader.tag(
      page("<meta http-equiv=Content-Type content='text/html; charset=\(label)'>", bytes))?.title
    #expect(meta == expected)
    #expect(late == expected)
    #expect(pragma == expected)
    guard label != "utf-16" else { return }
    let header = PageReader.tag(page("", bytes), contentType: "text/html;charset=\"\(label)\"")
    #expect(header?.title == expected)
  }

  @Test("a byte order mark takes precedence over the header, the header over the page")
  func precedence() {
    let korean: [UInt8] = [0xc7, 0xd1]
    #expect(
      PageReader.tag(
        page("<meta charset=utf-8>", korean), contentType: "text/html; charset=euc-kr")?
        .title == "한")
    #expect(
      PageReader.tag(
        [0xef, 0xbb, 0xbf] + page("", Array("한".utf8)), contentType: "text/html; charset=euc-kr")?
        .title == "한")
    #expect(PageReader.tag(page("<?xml version='1.0' encoding='euc-kr'?>", korean))?.title == "한")
  }

  @Test("without a label a page is UTF-8 if it is valid UTF-8, otherwise windows-1252")
  func fallback() {
    #expect(PageReader.tag(page("", Array("é한".utf8)))?.title == "é한")
    #expect(PageReader.tag(page("", [0xe9, 0x80]))?.title == "é€")
    #expect(PageReader.tag(page("<meta charset=klingon>", [0xe9]))?.title == "é")
    #expect(PageReader.tag(page("<meta charset=utf-8>", [0x61, 0xff]))?.title == "a\u{fffd}")
    #expect(PageReader.tag(page("<meta charset=euc-kr>", [0x61, 0xff]))?.title == "a\u{fffd}")
  }

  @Test("UTF-16 is detected by its byte order mark or by the header")
  func utf16() {
    let units = Array("<title>é😀한</title>".utf16)
    let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    let little = units.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
    #expect(PageReader.tag([0xfe, 0xff] + big)?.title == "é😀한")
    #expect(PageReader.tag([0xff, 0xfe] + little)?.title == "é😀한")
    #expect(PageReader.tag(little, contentType: "text/html; charset=utf-16")?.title == "é😀한")
    let padding = (0..<2_048).map { UInt8($0 % 2 == 0 ? 0x20 : 0) }
    #expect(PageReader.tag([0xff, 0xfe] + padding + little, chunk: 3)?.title == "é😀한")
    let lone: [UInt8] = [0x3d, 0xd8]
    #expect(
      PageReader.tag([0xff, 0xfe] + Array(little.prefix(14)) + lone + Array(little.suffix(16)))?
        .title == "\u{fffd}")
  }

  @Test("UTF-16 may begin with white space; its label or zeros distinguish it from binary data")
  func utf16Beginnings() {
    let page = "\n \n<html><title>é</title>".utf16
    let little = page.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
    let big = page.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    #expect(PageReader.tag(little)?.title == "é")
    #expect(PageReader.tag(big)?.title == "é")
    #expect(PageReader.tag(big, contentType: "text/html; charset=utf-16be")?.title == "é")
    let cjk = "<한글한글한글한글><title>é</title>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    #expect(PageReader.tag(cjk, contentType: "text/html; charset=utf-16be")?.title == "é")
    #expect(PageReader.tag([0xef, 0xbb, 0xbf] + [UInt8](repeating: 0, count: 99) + little) == nil)
  }

  @Test("escape sequences of ISO-2022-JP are not parsed as tags")
  func iso2022JP() {
    // 0x3C is the first byte of a common character, and a less-than sign in ASCII.
    let title: [UInt8] = [0x1b, 0x24, 0x42, 0x3c, 0x6f, 0x46, 0x7c, 0x1b, 0x28, 0x42, 0x41]
    let bytes = page("<meta charset=iso-2022-jp>", title)
    #expect(PageReader.tag(bytes)?.title == "車日A" || PageReader.tag(bytes)?.title == "種日A")
    #expect(PageReader.tag(bytes, chunk: 1) == PageReader.tag(bytes))
  }
}
