import TestSupport
import Testing

@testable import Transport

@Suite("PROXY header")
struct ProxyHeaderParserTests {
  enum Outcome: Sendable, Hashable {
    case header(ProxyHeader)
    case refused
    case incomplete
  }

  /// What a stream begins with, cut into pieces, and how much of it was taken.
  static func read(_ stream: [UInt8], piece: Int) -> (Outcome, consumed: Int) {
    var parser = ProxyHeaderParser()
    var offset = 0
    while offset < stream.count {
      let end = min(stream.count, offset + piece)
      do {
        let (consumed, header) = try parser.receive(stream.span.extracting(offset..<end))
        offset += consumed
        if let header { return (.header(header), offset) }
      } catch {
        return (.refused, offset)
      }
    }
    return (.incomplete, offset)
  }

  /// A block of version 2.
  static func block(
    _ command: UInt8 = 0x21, family: UInt8, _ content: [UInt8], length: Int? = nil
  ) -> [UInt8] {
    let size = length ?? content.count
    return ProxyBlock.signature
      + [command, family, UInt8(size >> 8), UInt8(size & 0xFF)] + content
  }

  private static func client(_ host: String, _ port: UInt16) throws -> Outcome {
    .header(.client(try #require(PeerAddress(host: host, port: port))))
  }

  private static let v4: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 1, 0xDC, 0x04, 0x01, 0xBB]
  private static let v6: [UInt8] =
    [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
    + [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [2, 0xDC, 0x04, 0x01, 0xBB]

  @Test("a line contains the client's IPv4 or IPv6 address, and the bytes after it remain")
  func lines() throws {
    for (line, host) in [
      ("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n", "192.0.2.1"),
      ("PROXY TCP6 2001:db8::1 2001:db8::2 56324 443\r\n", "2001:db8::1"),
    ] {
      for piece in [1, 7, 1000] {
        let (outcome, consumed) = Self.read(Array("\(line)GET / HTTP/1.1\r\n".utf8), piece: piece)
        #expect(try outcome == Self.client(host, 56324))
        #expect(consumed == line.utf8.count)
      }
    }
  }

  @Test("a line for an unknown protocol contains no address, whatever follows the word")
  func unknownLine() {
    for line in ["PROXY UNKNOWN\r\n", "PROXY UNKNOWN ffff::1 ::2 65535 65535\r\n"] {
      #expect(Self.read(Array(line.utf8), piece: 3).0 == .header(.itself))
    }
  }

  @Test(
    "an invalid line is refused",
    arguments: [
      "GET / HTTP/1.1\r\n", "PROXY\r\n", "proxy TCP4 1.2.3.4 1.2.3.4 1 2\r\n",
      "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n",
      "PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n",
      "PROXY TCP4 1.2.3.4 1.2.3.4 +1 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4  1 2\r\n",
      "PROXY TCP4 ::1 ::2 1 2\r\n", "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n",
      "PROXY TCP4 1.2.3 1.2.3.4 1 2\r\n", "PROXY TCP4 a.example 1.2.3.4 1 2\r\n",
      "PROXY UDP4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n", "\u{0}",
      "\r\n\r\n!",
    ])
  func wrongLines(line: String) {
    for piece in [1, 1000] {
      #expect(Self.read(Array(line.utf8), piece: piece).0 == .refused)
    }
  }

  @Test("a line of 107 bytes is accepted, a longer one refused before it ends")
  func longLines() {
    let longest = "PROXY UNKNOWN " + String(repeating: "x", count: 91) + "\r\n"
    #expect(longest.utf8.count == 107)
    #expect(Self.read(Array(longest.utf8), piece: 50).0 == .header(.itself))
    let endless = Array(("PROXY UNKNOWN " + String(repeating: "x", count: 93)).utf8)
    #expect(Self.read(endless, piece: 50).0 == .refused)
  }

  @Test("a block contains the client's IPv4 or IPv6 address, skips extensions, and leaves the rest")
  func blocks() throws {
    for (family, content, host) in [
      (UInt8(0x11), Self.v4, "192.0.2.1"), (0x21, Self.v6, "2001:db8::1"),
    ] {
      for extra in [[], [0x03, 0x00, 0x04, 1, 2, 3, 4]] as [[UInt8]] {
        let header = Self.block(family: family, content + extra)
        for piece in [1, 13, 1000] {
          let (outcome, consumed) = Self.read(header + [0x16, 0x03, 0x01], piece: piece)
          #expect(try outcome == Self.client(host, 0xDC04))
          #expect(consumed == header.count)
        }
      }
    }
  }

  @Test("a block of the proxy's own, or not for TCP over IP, contains no address")
  func localBlocks() {
    for header in [
      Self.block(0x20, family: 0x00, []), Self.block(0x20, family: 0x11, Self.v4),
      Self.block(family: 0x00, []), Self.block(family: 0x31, [UInt8](repeating: 1, count: 216)),
      Self.block(family: 0x12, Self.v4),
    ] {
      #expect(Self.read(header, piece: 5).0 == .header(.itself))
    }
  }

  @Test("a block of another version or command, too short or too long, is refused")
  func wrongBlocks() {
    for header in [
      Self.block(0x11, family: 0x11, Self.v4), Self.block(0x22, family: 0x11, Self.v4),
      Self.block(family: 0x11, Array(Self.v4.dropLast())),
      Self.block(family: 0x21, Self.v4), Self.block(family: 0x11, [], length: 4081),
      Self.block(family: 0x11, [], length: 65_535), [0x0D, 0x0A, 0x0D, 0x0B],
    ] {
      #expect(Self.read(header, piece: 1).0 == .refused)
      #expect(Self.read(header, piece: 1000).0 == .refused)
    }
  }

  @Test("every prefix of a header requires more bytes")
  func beginnings() {
    let line = Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n".utf8)
    for header in [line, Self.block(family: 0x21, Self.v6)] {
      for count in 0..<header.count {
        #expect(Self.read(Array(header.prefix(count)), piece: 9).0 == .incomplete)
      }
    }
  }

  @Test("the fuzzing corpus is read the same way however it is split")
  func corpus() throws {
    let inputs = try FuzzCorpus.inputs(of: "ProxyHeaderParser")
    #expect(!inputs.isEmpty)
    for input in inputs {
      let whole = Self.read(input, piece: 10_000)
      let pieces = Self.read(input, piece: 1)
      #expect(whole.0 == pieces.0)
      if whole.0 != .refused { #expect(whole.consumed == pieces.consumed) }
    }
  }

  @Test("randomly modified streams are read the same way however they are split")
  func mutations() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let samples = [
      Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n".utf8),
      Self.block(family: 0x21, Self.v6),
    ]
    for _ in 0..<2000 {
      var stream = samples[Int.random(in: 0..<2, using: &generator)]
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        stream[Int.random(in: 0..<stream.count, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
      let piece = Int.random(in: 1...9, using: &generator)
      #expect(
        Self.read(stream, piece: 1000).0 == Self.read(stream, piece: piece).0, "seed \(seed)")
    }
  }
}
