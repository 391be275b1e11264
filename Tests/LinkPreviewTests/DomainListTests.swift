import LinkPreview
import Testing

@Suite("Domain list")
struct DomainListTests {
  private func parse(_ text: String) throws -> DomainSet { try DomainList.parse(Array(text.utf8)) }

  @Test("domains are listed one per line, with comments and blank lines")
  func lines() throws {
    let text = "\u{feff}# Title\r\n\r\n  example.com \t# why\n*.example.org\nBÜCHER.example"
    let domains = try parse(text)
    #expect(domains.count == 3)
    for name in ["example.com", "example.org", "xn--bcher-kva.example"] {
      #expect(domains.domain(covering: name) == name)
    }
    #expect(try parse("").isEmpty)
    #expect(try parse("#only\n\n").isEmpty)
  }

  @Test("an invalid line is reported with its number, and the whole list is refused")
  func badLine() throws {
    for (text, number) in [("a.example\n\nhttp://b.example\n", 3), ("a\u{0}b", 1), ("a\nb c\n", 2)]
    {
      let error = try #require(throws: DomainListError.self) { try parse(text) }
      guard case .line(number, _) = error else {
        Issue.record("\(error)")
        continue
      }
      #expect(error.description.hasPrefix("line \(number): \""))
    }
    let bytes = Array("a.example\n".utf8) + [0xff, 0xfe, 0x0a]
    #expect(throws: DomainListError.self) { try DomainList.parse(bytes) }
  }

  @Test("a list is limited in bytes and lines")
  func bounds() throws {
    let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: DomainList.maximumLineCount)
    #expect(try DomainList.parse(lines).isEmpty)
    #expect(throws: DomainListError.tooManyLines(limit: 1_000_000)) {
      try DomainList.parse(lines + [0x0a])
    }
    let comment = [UInt8](repeating: UInt8(ascii: "#"), count: DomainList.maximumByteCount)
    #expect(try DomainList.parse(comment).isEmpty)
    #expect(throws: DomainListError.tooManyBytes(limit: 16_777_216)) {
      try DomainList.parse(comment + [0x23])
    }
  }
}
