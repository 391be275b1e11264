import Crypto
import Testing

@Suite("Keys of files")
struct KeyTests {
  private let keys = MasterKeys(MasterKey(id: "a"))

  @Test("master keys are read back from the text that they write")
  func text() throws {
    let rotated = keys.rotated(to: MasterKey(id: "2026-11.b_2"))
    let text = "# ours\n\n" + rotated.text.replacing(" ", with: " \t") + "  \n"
    let read = try MasterKeys(text: text)
    #expect(read.all.map(\.id) == ["2026-11.b_2", "a"])
    #expect(read.current.key == rotated.current.key)
    #expect(read["a"]?.key == keys.current.key)
    #expect(read["c"] == nil)
    #expect(
      !"\(read.current) \(String(reflecting: read.current.key))".contains(
        "\(read.current.key.bytes[0]), "))
  }

  @Test("a text that is not a list of keys is refused with its line")
  func malformed() {
    let key = String(keys.text.split(separator: " ")[1].dropLast())
    let long = String(repeating: "x", count: 65)
    let wrong: [(String, MasterKeysError)] = [
      ("", .empty), ("# a\n\n", .empty), ("a\n", .malformedLine(1)),
      ("\na \(key) b\n", .malformedLine(2)), ("ä \(key)", .malformedID(line: 1)),
      ("\(long) \(key)", .malformedID(line: 1)), ("a \(key.dropLast(2))", .malformedKey(line: 1)),
      ("a \(key)\(key)", .malformedKey(line: 1)), ("a \u{0}", .malformedKey(line: 1)),
      ("a \(key)\nb \(key)\na \(key)", .repeatedID("a", line: 3)),
      ((0...100).map { "k\($0) \(key)\n" }.joined(), .tooMany),
    ]
    for (text, error) in wrong {
      #expect(throws: error) { try MasterKeys(text: text) }
    }
    #expect("\(MasterKeysError.malformedKey(line: 3))".hasPrefix("line 3"))
  }

  @Test("a file's key opens only for the file it was wrapped for, with its master key")
  func wrapping() throws {
    let key = SymmetricKey()
    let wrapped = WrappedKey(key, of: .chunks(from: 0), ofFile: "f1", with: keys)
    #expect(wrapped.sealed.count == 60 && wrapped.masterKeyID == "a")
    #expect(try wrapped.open(of: .chunks(from: 0), ofFile: "f1", with: keys) == key)
    #expect(wrapped != WrappedKey(key, of: .chunks(from: 0), ofFile: "f1", with: keys))
    for (kind, id) in [
      (WrappedKey.Kind.tail, "f1"), (.chunks(from: 0), "f2"),
      (.thumbnail(width: 1, height: 1), "f1"),
    ] {
      #expect(throws: WrappedKeyError.notAuthentic) {
        try wrapped.open(of: kind, ofFile: id, with: keys)
      }
    }
    for place in wrapped.sealed.indices {
      var changed = wrapped.sealed
      changed[place] ^= 0x10
      #expect(throws: WrappedKeyError.notAuthentic) {
        try WrappedKey(masterKeyID: "a", sealed: changed).open(
          of: .chunks(from: 0), ofFile: "f1", with: keys)
      }
    }
    for count in 0..<60 {
      let cut = WrappedKey(masterKeyID: "a", sealed: Array(wrapped.sealed.prefix(count)))
      #expect(throws: WrappedKeyError.notAuthentic) {
        try cut.open(of: .chunks(from: 0), ofFile: "f1", with: keys)
      }
    }
    #expect(throws: WrappedKeyError.missingMasterKey("a")) {
      try wrapped.open(of: .chunks(from: 0), ofFile: "f1", with: MasterKeys(MasterKey(id: "b")))
    }
  }

  @Test("old keys open after a rotation, and are wrapped again")
  func rotation() throws {
    let key = SymmetricKey()
    let kind = WrappedKey.Kind.thumbnail(width: 100, height: 50)
    let wrapped = WrappedKey(key, of: kind, ofFile: "f1", with: keys)
    #expect(try wrapped.rewrapped(of: kind, ofFile: "f1", with: keys) == nil)
    let rotated = keys.rotated(to: MasterKey(id: "b"))
    let next = try #require(try wrapped.rewrapped(of: kind, ofFile: "f1", with: rotated))
    #expect(next.masterKeyID == "b")
    #expect(try next.open(of: kind, ofFile: "f1", with: MasterKeys(rotated.current)) == key)
    #expect(try wrapped.open(of: kind, ofFile: "f1", with: rotated) == key)
  }

  @Test("a user's key is valid with its master key, and reveals nothing about the user")
  func accessKeys() throws {
    let userID = String(repeating: "ü𐍈", count: 40)
    let key = FileAccessKey(userID: userID, generation: 7, expiresAt: 1_730_259_200_000)
    let text = key.text(with: keys)
    #expect(text != key.text(with: keys))
    #expect(
      text.utf8.count <= 600
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    #expect(FileAccessKey(text: text, keys: keys) == key)
    let rotated = keys.rotated(to: MasterKey(id: "b"))
    #expect(FileAccessKey(text: text, keys: rotated) == key)
    #expect(FileAccessKey(text: key.text(with: rotated), keys: keys) == nil)
    #expect(FileAccessKey(text: text, keys: MasterKeys(MasterKey(id: "a"))) == nil)
  }

  @Test("no other text is a key")
  func hostile() throws {
    let key = FileAccessKey(userID: "jeff", generation: 0, expiresAt: 5)
    let text = Array(key.text(with: keys))
    for place in text.indices {
      var changed = text
      changed[place] = changed[place] == "A" ? "B" : "A"
      #expect(FileAccessKey(text: String(changed), keys: keys) == nil)
      #expect(FileAccessKey(text: String(text[..<place]), keys: keys) == nil)
    }
    for wrong in [
      "", "=", "\u{0}", "💥", String(text) + "A", String(text) + "=",
      String(repeating: "A", count: 1_000_000),
    ] {
      #expect(FileAccessKey(text: wrong, keys: keys) == nil)
    }
  }
}
