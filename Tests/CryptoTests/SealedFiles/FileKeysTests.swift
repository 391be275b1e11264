import Crypto
import Testing

@Suite("Keys of a file")
struct FileKeysTests {
  private let masters = MasterKeys(MasterKey(id: "m1"))

  @Test(
    "a key that starts at a later chunk opens its chunks, and the key before opens earlier ones")
  func renewal() throws {
    let size = SealedLayout.chunkByteCount
    let plain = (0..<3 * size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    let first = FileKeys()
    var sealer = FileSealer(key: first.last)
    let header = sealer.header
    var stored = header + sealer.seal(Array(plain[...size]))
    let keys = first.renewed(fromChunk: 1)
    #expect(keys.last != first.last && keys.key(ofChunk: 0) == first.last)
    guard
      var next = FileSealer(key: keys.last, header: header, chunkCount: 1, tail: [plain[size]])
    else {
      Issue.record("the header is not a header")
      return
    }
    stored += next.seal(Array(plain[(size + 1)...]))
    stored += next.finish()
    let wrapped = keys.wrapped(ofFile: "f1", with: masters)
    let opened = try wrapped.open(ofFile: "f1", with: masters)
    var stretch = try FileOpener(
      keys: opened, header: header, plainByteCount: Int64(plain.count)
    ).stretch(0..<Int64(plain.count))
    #expect(try stretch.open(Array(stored[12...])) == plain)
    var wrong = try FileOpener(
      keys: first, header: header, plainByteCount: Int64(plain.count)
    ).stretch(0..<Int64(plain.count))
    #expect(throws: SealedFileError.notAuthentic) { _ = try wrong.open(Array(stored[12...])) }
  }

  @Test("a key that begins with the same chunk replaces the one before")
  func replacement() {
    let keys = FileKeys().renewed(fromChunk: 4)
    let later = keys.renewed(fromChunk: 4).renewed(fromChunk: 2)
    #expect(later.key(ofChunk: 1) == keys.key(ofChunk: 1))
    #expect(later.key(ofChunk: 9) == later.last)
    #expect(later.wrapped(ofFile: "f", with: masters).bytes.count == 128)
  }

  @Test("wrapped keys open for their file alone, in their order, and after a rotation")
  func wrapping() throws {
    let keys = FileKeys().renewed(fromChunk: 3)
    let wrapped = keys.wrapped(ofFile: "f1", with: masters)
    #expect(throws: WrappedKeyError.notAuthentic) {
      _ = try wrapped.open(ofFile: "f2", with: masters)
    }
    let swapped = WrappedKeys(
      masterKeyID: "m1", bytes: Array(wrapped.bytes[64...] + wrapped.bytes[..<64]))
    #expect(throws: WrappedKeyError.notAuthentic) {
      _ = try swapped.open(ofFile: "f1", with: masters)
    }
    let rotated = masters.rotated(to: MasterKey(id: "m2"))
    let anew = try #require(try wrapped.rewrapped(ofFile: "f1", with: rotated))
    #expect(anew.masterKeyID == "m2")
    #expect(try anew.open(ofFile: "f1", with: rotated).last == keys.last)
    #expect(try anew.rewrapped(ofFile: "f1", with: rotated) == nil)
    #expect(throws: WrappedKeyError.missingMasterKey("m2")) {
      _ = try anew.open(ofFile: "f1", with: masters)
    }
  }
}
