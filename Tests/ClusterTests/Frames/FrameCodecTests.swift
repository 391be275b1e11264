@testable import Cluster
import TestSupport
import Testing

@Suite("Encoded frames")
struct FrameCodecTests {
  private static func frame(_ random: inout SeededGenerator) -> Frame {
    let numbers = LinkNumbers(sender: random.next() | 1, receiver: random.next() >> 3)
    let content: Frame.Content =
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        .beat(
          Beat(
            number: random.next(), seesRegistry: random.oneIn(2), canWrite: random.oneIn(2),
            hasNews: random.oneIn(2)))
      case 1: .greeting(numbers, LinkVersions(lowest: 2, highest: 9))
      default:
        .data(
          numbers, version: LinkVersions.current.highest,
          LinkData(
            sequence: random.next() >> 2, sent: .max, confirmed: random.next(),
            gaps: (0..<Int.random(in: 0...16, using: &random)).map { _ in
              let first = random.next() >> 1 | 1
              return first...(first + random.next() >> 2)
            }, payload: random.bytes(Int.random(in: 0...200, using: &random))))
      }
    return Frame(
      sender: ServerID(rawValue: random.next()),
      receiver: random.oneIn(3) ? nil : ServerID(rawValue: random.next() | 1), content)
  }

  @Test("are decoded unchanged, and no byte can be missing or added", arguments: [false, true])
  func roundTrip(isSecret: Bool) throws {
    let codec = FrameCodec(authentication: isSecret ? TestAuthentication(secret: 1) : nil)
    var random = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      let frame = Self.frame(&random)
      let bytes = codec.encode(frame)
      #expect(try codec.decode(bytes) == frame)
      if isSecret {
        #expect(throws: FrameError.forged) { try codec.decode(bytes.dropLast()) }
        #expect(throws: FrameError.forged) { try codec.decode(bytes + [0]) }
      } else if case .data = frame.content {
        #expect(throws: FrameError.self) { try codec.decode(Array(bytes.prefix(58))) }
      } else {
        #expect(throws: FrameError.truncated) { try codec.decode(bytes.dropLast()) }
        #expect(throws: FrameError.excessive) { try codec.decode(bytes + [0]) }
      }
    }
  }

  @Test("are refused if a bit was changed, or if the secret differs or is missing")
  func forged() throws {
    let codec = FrameCodec(authentication: TestAuthentication(secret: 1))
    var random = SeededGenerator(seed: 6)
    for _ in 0..<200 {
      let bytes = codec.encode(Self.frame(&random))
      var changed = bytes
      changed[Int.random(in: changed.indices, using: &random)] ^=
        1
        << UInt8.random(
          in: 0..<8, using: &random)
      #expect(throws: FrameError.forged) { try codec.decode(changed) }
      #expect(throws: FrameError.forged) {
        try FrameCodec(authentication: TestAuthentication(secret: 2)).decode(bytes)
      }
      #expect(throws: FrameError.forged) {
        try codec.decode(FrameCodec().encode(Self.frame(&random)))
      }
    }
    #expect(throws: FrameError.forged) { try codec.decode([]) }
  }

  @Test("of another version are refused as such")
  func versions() {
    let next = LinkVersions.current.highest + 1
    let data = LinkData(sequence: 1, sent: 1, confirmed: 0, payload: [1])
    let frame = Frame(
      sender: ServerID(rawValue: 1), receiver: nil,
      .data(LinkNumbers(sender: 1, receiver: 1), version: next, data))
    let both = FrameCodec(versions: LinkVersions(lowest: next - 1, highest: next))
    #expect(throws: FrameError.otherVersion) { try FrameCodec().decode(both.encode(frame)) }
    #expect(throws: Never.self) { try both.decode(both.encode(frame)) }
    var bytes = both.encode(frame)
    bytes[1] = 77
    #expect(throws: FrameError.otherVersion) { try both.decode(bytes) }
  }

  @Test("of another deployment are reported as such, except for forged ones")
  func foreign() {
    var random = SeededGenerator(seed: 8)
    let theirs = FrameCodec(deployment: 7)
    for _ in 0..<50 {
      let bytes = theirs.encode(Self.frame(&random))
      #expect(throws: FrameError.foreign(deployment: 7)) {
        try FrameCodec(deployment: 8).decode(bytes)
      }
      #expect(throws: Never.self) { try FrameCodec(deployment: 7).decode(bytes) }
      #expect(throws: FrameError.forged) {
        try FrameCodec(deployment: 8, authentication: TestAuthentication(secret: 1)).decode(bytes)
      }
    }
  }

  /// Bytes as servers of the version in the first byte write them.
  @Test("have a fixed form as bytes")
  func recorded() throws {
    let numbers = LinkNumbers(sender: 3, receiver: 2)
    let recordings: [(String, Frame.Content)] = [
      (
        "0000" + "0700000000000000" + "0100000000000000" + "0000000000000000"
          + "0900000000000000" + "01" + "00" + "01",
        .beat(Beat(number: 9, seesRegistry: true, canWrite: false, hasNews: true))
      ),
      (
        "0001" + "0700000000000000" + "0100000000000000" + "0000000000000000"
          + "0300000000000000" + "0200000000000000" + "0102",
        .greeting(numbers, LinkVersions(lowest: 1, highest: 2))
      ),
      (
        "1102" + "0700000000000000" + "0100000000000000" + "0000000000000000"
          + "0300000000000000" + "0200000000000000" + "0500000000000000" + "0600000000000000"
          + "0400000000000000" + "01" + "0800000000000000" + "0900000000000000" + "aabb",
        .data(
          numbers, version: 17,
          LinkData(sequence: 5, sent: 6, confirmed: 4, gaps: [8...9], payload: [0xaa, 0xbb]))
      ),
    ]
    let codec = FrameCodec(deployment: 7)
    for (text, content) in recordings {
      let digits = Array(text.utf8)
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { index in
        UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
      }
      let frame = Frame(sender: ServerID(rawValue: 1), receiver: nil, content)
      #expect(try codec.decode(bytes) == frame)
      #expect(codec.encode(frame) == bytes)
    }
  }

  @Test("that are inconsistent are refused")
  func senseless() {
    let (numbers, version) = (LinkNumbers(sender: 1, receiver: 1), LinkVersions.current.highest)
    let codec = FrameCodec()
    let contents: [Frame.Content] = [
      .data(numbers, version: version, LinkData(sequence: 2, sent: 1, confirmed: 0)),
      .data(numbers, version: version, LinkData(sequence: 0, sent: 1, confirmed: 0, payload: [0])),
      .data(numbers, version: version, LinkData(sent: 1, confirmed: 0, gaps: [0...4])),
      .greeting(LinkNumbers(sender: 0, receiver: 1), .current),
    ]
    for content in contents {
      let frame = Frame(sender: ServerID(rawValue: 1), receiver: nil, content)
      #expect(throws: FrameError.invalidValue) { try codec.decode(codec.encode(frame)) }
    }
  }
}

extension [UInt8] {
  fileprivate func dropLast() -> [UInt8] { Array(prefix(count - 1)) }
}
