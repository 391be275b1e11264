import Basics
import TestSupport
import Testing
import Uploads

struct TusFieldsTests {
  private func fields(_ values: [String: [String]]) -> TusFields {
    TusFields { values[$0] ?? [] }
  }

  @Test(arguments: ["0", "1", "9223372036854775807", "007"])
  func `An offset is a number in digits`(_ text: String) throws {
    #expect(try fields(["Upload-Offset": [text]]).offset() == Int64(text))
  }

  @Test(
    arguments: [
      [], [""], ["-0"], ["+1"], ["-1"], [" 1"], ["1 "], ["1.0"], ["0x1"], ["9223372036854775808"],
      ["00000000000000000001"], ["1", "1"], ["1,1"], ["١"],
    ])
  func `An offset of another form is refused`(_ values: [String]) {
    let expected = UploadRefusal.self
    #expect(throws: expected) { try fields(["Upload-Offset": values]).offset() }
    #expect(throws: expected) { try fields(["Upload-Length": values]).length() }
  }

  @Test
  func `A length that is deferred is refused`() {
    #expect(throws: UploadRefusal.self) {
      try fields(["Upload-Defer-Length": ["1"], "Upload-Length": ["4"]]).length()
    }
  }

  @Test(arguments: [[], ["1.0"], ["0.2.2"], ["1.0.0", "1.0.0"], ["1.0.0 "]])
  func `Another version is refused`(_ versions: [String]) {
    #expect(throws: UploadRefusal.version) {
      try fields(["Tus-Resumable": versions]).requireVersion()
    }
  }

  @Test
  func `A piece has one type of content`() throws {
    try fields(["Content-Type": ["Application/Offset+Octet-Stream"]]).requirePiece()
    for types in [[], ["text/plain"], [TusFields.contentType, TusFields.contentType]] {
      #expect(throws: UploadRefusal.contentType) {
        try fields(["Content-Type": types]).requirePiece()
      }
    }
  }

  @Test
  func `A checksum has a known algorithm and a digest of its length`() throws {
    let digest = [UInt8](repeating: 7, count: 20)
    let checksum = try fields(["Upload-Checksum": ["sha1 \(Base64.encode(digest))"]]).checksum()
    #expect(checksum == UploadChecksum(.sha1, digest: digest))
    #expect(try fields([:]).checksum() == nil)
    for text in [
      "", "sha1", "md5 \(Base64.encode(digest))", "sha256 \(Base64.encode(digest))", "sha1 ###",
      "sha1  \(Base64.encode(digest))", String(repeating: "a", count: 1_000),
    ] {
      #expect(throws: UploadRefusal.self) {
        try fields(["Upload-Checksum": [text]]).checksum()
      }
    }
  }

  @Test
  func `Metadata are pairs of a name and a value`() throws {
    let text = "filename \(Base64.encode(Array("a b.png".utf8))),is_draft, empty "
    let metadata = try fields(["Upload-Metadata": [text]]).metadata()
    #expect(metadata == ["filename": "a b.png", "is_draft": "", "empty": ""])
    for text in [
      ",", "a Zg==,a Zg==", "a b c", "a /w==", "a ###",
      "a " + String(repeating: "Z", count: 9_000),
    ] {
      #expect(throws: UploadRefusal.self) {
        try fields(["Upload-Metadata": [text]]).metadata()
      }
    }
  }

  @Test
  func `Metadata of a file are read as they were written`() throws {
    let text = TusFields.metadata(fileName: "a, b \u{1F600}.png", fileType: "image/png")
    let metadata = try fields(["Upload-Metadata": [#require(text)]]).metadata()
    #expect(metadata == ["filename": "a, b \u{1F600}.png", "filetype": "image/png"])
    #expect(TusFields.metadata(fileName: "a", fileType: "") == "filename YQ==")
    #expect(TusFields.metadata(fileName: "", fileType: "") == nil)
  }

  @Test(arguments: 0..<64 as Range<UInt64>)
  func `Any bytes are read or refused`(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array("0123456789 ,=-+shaZg\u{0}\u{202e}é".unicodeScalars)
    for _ in 0..<200 {
      var values: [String: [String]] = [:]
      for name in ["Upload-Offset", "Upload-Length", "Upload-Checksum", "Upload-Metadata"] {
        values[name] = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
          var text = String.UnicodeScalarView()
          for _ in 0..<Int.random(in: 0...40, using: &generator) {
            text.append(alphabet.randomElement(using: &generator) ?? "0")
          }
          return String(text)
        }
      }
      let fields = fields(values)
      if let offset = try? fields.offset() { #expect(offset >= 0) }
      if let length = try? fields.length() { #expect(length >= 0) }
      if let checksum = try? fields.checksum() {
        #expect(checksum.digest.count == checksum.algorithm.byteCount)
      }
      _ = try? fields.metadata()
    }
  }
}
