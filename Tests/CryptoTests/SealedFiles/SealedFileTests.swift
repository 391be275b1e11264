import Crypto
import Testing
import TestSupport

@Suite("Sealed files")
struct SealedFileTests {
  private static let lengths: [Int] = [
    0, 1, 15, 16, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 200_000,
  ]
  private let key = SymmetricKey()

  /// Bytes of which no stretch is like another.
  private func contents(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8 ^ $0 >> 16) }
  }

  private func sealed(_ plain: [UInt8], pieces: [Int] = []) -> [UInt8] {
    var sealer = FileSealer(key: key)
    var stored = sealer.header
    var start = 0
    for piece in pieces + [plain.count] {
      let end = min(start + piece, plain.count)
      stored += sealer.seal(Array(plain[start..<end]))
      start = end
    }
    return stored + sealer.finish()
  }

  private func opened(
    _ stored: [UInt8], _ range: Range<Int64>, of plainCount: Int, with key: SymmetricKey? = nil,
    piece: Int = 10_000
  ) throws -> [UInt8] {
    let opener = try FileOpener(
      keys: FileKeys(key ?? self.key), header: Array(stored.prefix(12)),
      plainByteCount: Int64(plainCount))
    var stretch = opener.stretch(range)
    let wanted = stretch.storedRange
    var plain: [UInt8] = []
    var start = Int(wanted.lowerBound)
    while start < wanted.upperBound {
      let end = min(start + piece, Int(wanted.upperBound), stored.count)
      if start == end { break }
      plain += try stretch.open(Array(stored[start..<end]))
      start = end
    }
    let isComplete = stretch.isComplete
    #expect(isComplete)
    return plain
  }

  @Test("a file of any length is decrypted completely, however it arrived", arguments: lengths)
  func whole(length: Int) throws {
    let plain = contents(length)
    for pieces in [[], [1], [65_536], [65_535, 2], [100, 70_000, 5], [131_072]] {
      let stored = sealed(plain, pieces: pieces)
      #expect(Int64(stored.count) == SealedLayout.storedByteCount(of: Int64(length)))
      #expect(SealedLayout.plainByteCount(of: Int64(stored.count)) == Int64(length))
      #expect(try opened(stored, 0..<Int64(length), of: length) == plain)
    }
  }

  @Test("a range is read from the chunks that contain it")
  func stretches() throws {
    let plain = contents(200_000)
    let stored = sealed(plain)
    var random = SeededGenerator(seed: 7)
    let edges: [Int] = [0, 1, 65_535, 65_536, 65_537, 131_072, 199_999, 200_000]
    var ranges = edges.flatMap { start in edges.filter { $0 >= start }.map { start..<$0 } }
    for _ in 0..<200 {
      let (a, b) = (
        Int.random(in: 0...200_000, using: &random), Int.random(in: 0...200_000, using: &random)
      )
      ranges.append(min(a, b)..<max(a, b))
    }
    for range in ranges {
      let piece = Int.random(in: 1...100_000, using: &random)
      let stretch = Int64(range.lowerBound)..<Int64(range.upperBound)
      #expect(try opened(stored, stretch, of: 200_000, piece: piece) == Array(plain[range]))
    }
    let opener = try FileOpener(
      keys: FileKeys(key), header: Array(stored.prefix(12)), plainByteCount: 200_000)
    #expect(opener.stretch(70_000..<70_001).storedRange.count == 65_552)
    #expect(opener.stretch(150_000..<900_000).storedRange.upperBound == Int64(stored.count))
    #expect(opener.stretch(200_000..<200_000).storedRange.isEmpty)
  }

  @Test("no modified byte is accepted", arguments: [0, 1, 300, 65_537])
  func flips(length: Int) throws {
    let stored = sealed(contents(length))
    let step = max(stored.count / 400, 1)
    let places = Array(stride(from: 0, to: stored.count, by: step)) + [stored.count - 1]
    for place in places {
      var changed = stored
      changed[place] ^= 1 << UInt8(place % 8)
      #expect(throws: SealedFileError.self) {
        try opened(changed, 0..<Int64(max(length, 1)), of: length)
      }
    }
  }

  @Test("damage to any byte of a file fails, or stops at a valid prefix")
  func everyByte() throws {
    let plain = contents(700)
    let stored = sealed(plain)
    for place in stored.indices {
      var changed = stored
      changed[place] ^= 0xFF
      #expect(
        try beginning(of: changed, plain.count).isEmpty, "a changed byte \(place) comes through")
    }
    for length in stored.indices {
      #expect(try beginning(of: Array(stored[..<length]), plain.count).isEmpty)
    }
    #expect(try beginning(of: stored + [0], plain.count) == plain)
  }

  @Test("whatever is damaged, the output is a prefix of the file", arguments: 0..<40)
  func trueBeginnings(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let plain = contents(200_000)
    var stored = sealed(plain)
    for _ in 0...Int.random(in: 0...3, using: &random) {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: stored[Int.random(in: stored.indices, using: &random)] ^= 1
      case 1: stored.removeLast(Int.random(in: 0..<stored.count / 2, using: &random))
      case 2: stored.remove(at: Int.random(in: stored.indices, using: &random))
      default: stored.insert(0, at: Int.random(in: stored.indices, using: &random))
      }
    }
    guard stored != sealed(plain) else { return }
    let found = try beginning(of: stored, plain.count)
    #expect(plain.starts(with: found) && found.count % 65_536 == 0 && found.count < plain.count)
  }

  /// The bytes that come out before the file ends or fails.
  private func beginning(of stored: [UInt8], _ plainCount: Int) throws -> [UInt8] {
    guard
      let opener = try? FileOpener(
        keys: FileKeys(key), header: Array(stored.prefix(12)), plainByteCount: Int64(plainCount))
    else { return [] }
    var stretch = opener.stretch(0..<Int64(plainCount))
    var plain: [UInt8] = []
    var start = Int(stretch.storedRange.lowerBound)
    let stop = min(Int(stretch.storedRange.upperBound), stored.count)
    while start < stop {
      let end = min(start + 777, stop)
      guard let bytes = try? stretch.open(Array(stored[start..<end])) else { break }
      plain += bytes
      start = end
    }
    return plain
  }

  @Test("chunks that were moved, cut off, repeated or taken from elsewhere do not open")
  func moved() throws {
    let plain = contents(200_000)
    let stored = sealed(plain)
    let chunk = { (index: Int) in 12 + index * 65_552..<12 + (index + 1) * 65_552 }
    let (first, second) = (chunk(0), chunk(1))
    let swapped = stored[..<12] + stored[second] + stored[first] + stored[chunk(2).lowerBound...]
    let repeated = stored[..<12] + stored[first] + stored[first] + stored[chunk(2).lowerBound...]
    let other = sealed(plain)
    let mixed = stored[..<12] + other[first] + stored[second.lowerBound...]
    for stored in [swapped, repeated, mixed] {
      #expect(throws: SealedFileError.notAuthentic) {
        try opened(Array(stored), 0..<200_000, of: 200_000)
      }
    }
    // A file that ends at a chunk's end, with the length to match.
    #expect(throws: SealedFileError.notAuthentic) {
      try opened(Array(stored[..<second.upperBound]), 0..<131_072, of: 131_072)
    }
    #expect(throws: SealedFileError.notAuthentic) {
      try opened(stored, 0..<200_000, of: 200_000, with: SymmetricKey())
    }
  }

  @Test("the output before a broken chunk is a valid prefix")
  func truePrefix() throws {
    let plain = contents(200_000)
    var stored = sealed(plain)
    stored[12 + 65_552 + 5] ^= 1
    let opener = try FileOpener(
      keys: FileKeys(key), header: Array(stored.prefix(12)), plainByteCount: 200_000)
    var stretch = opener.stretch(0..<200_000)
    #expect(try stretch.open(Array(stored[12..<12 + 65_552])) == Array(plain[..<65_536]))
    #expect(throws: SealedFileError.notAuthentic) {
      try stretch.open(Array(stored[(12 + 65_552)...]))
    }
    let isComplete = stretch.isComplete
    #expect(!isComplete)
  }

  @Test("a sealer continues where another one paused")
  func resumed() throws {
    let plain = contents(200_000)
    for pause in [0, 1, 65_536, 65_537, 140_000] {
      var sealer = FileSealer(key: key)
      let header = sealer.header
      var stored = header + sealer.seal(Array(plain[..<pause]))
      let chunkCount = UInt32((stored.count - 12) / 65_552)
      let waiting = sealer.tail
      #expect(Int64(pause) == Int64(chunkCount) * 65_536 + Int64(waiting.count))
      var tails = SealedTail(key: SymmetricKey(), fileID: "f")
      let kept = tails.seal(waiting, behind: chunkCount)
      #expect(throws: SealedFileError.self) { try tails.open(kept, behind: chunkCount + 1) }
      let tail = try tails.open(kept, behind: chunkCount)
      guard
        var next = FileSealer(key: key, header: header, chunkCount: chunkCount, tail: tail)
      else {
        Issue.record("the header was not taken")
        return
      }
      let byteCount = next.byteCount
      #expect(byteCount == Int64(pause))
      stored += next.seal(Array(plain[pause...]))
      stored += next.finish()
      #expect(try opened(stored, 0..<200_000, of: 200_000) == plain)
    }
  }

  @Test("impossible lengths of sealed files are refused")
  func impossibleLengths() {
    for stored in [-1, 0, 11, 12, 27, 12 + 65_552 + 1, 12 + 65_552 + 16] as [Int64] {
      #expect(SealedLayout.plainByteCount(of: stored) == nil, "\(stored)")
    }
    #expect(SealedLayout.plainByteCount(of: 28) == 0)
    #expect(SealedLayout.plainByteCount(of: 12 + 65_552 + 17) == 65_537)
    #expect(SealedLayout.plainByteCount(of: .max) == nil)
  }

  @Test("another file's header is refused")
  func headers() {
    let header = FileSealer(key: key).header
    #expect(header.starts(with: Array("PRLY".utf8) + [1]))
    for wrong in [
      [], Array(header.dropLast()), header + [0], Array("PRLY".utf8) + [2] + header[5...],
    ] {
      #expect(throws: SealedFileError.notSealed) {
        try FileOpener(
          keys: FileKeys(key), header: wrong, plainByteCount: 5)
      }
    }
    #expect(throws: SealedFileError.notSealed) {
      try FileOpener(
        keys: FileKeys(key), header: header, plainByteCount: -1)
    }
  }
}
