import TestSupport
import Testing

@testable import Thumbnails

@Suite("Headers of pictures")
struct PictureHeaderTests {
  private func size(_ bytes: [UInt8]) throws -> PictureSize? {
    var bytes = bytes
    return try PictureHeader(of: &bytes).size
  }

  private static let png =
    [0x89, 0x50, 0x4E, 0x47, 13, 10, 0x1A, 10, 0, 0, 0, 13] + Array("IHDR".utf8)
    + [0, 1, 0, 0, 0, 0, 2, 1]
  private static let gif = Array("GIF89a".utf8) + [0x20, 0x03, 0x10, 0x00]
  private static let jpeg: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE1, 0, 4, 1, 2, 0xFF, 0xFF, 0xC2, 0, 11, 8, 1, 2, 3, 4]
  private static let webP =
    Array("RIFF____WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 0xFF, 1, 0, 0x0F, 0, 1]
  private static let lossless = Array("RIFF____WEBPVP8L".utf8) + [9, 0, 0, 0, 0x2F, 9, 0xC0, 4, 0]
  private static let tiff: [UInt8] =
    [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 2]
    + [1, 0, 0, 3, 0, 0, 0, 1, 2, 0, 0, 0] + [1, 1, 0, 4, 0, 0, 0, 1, 0, 0, 1, 0]

  private static func box(_ kind: String, _ content: [UInt8]) -> [UInt8] {
    let count = UInt8(content.count + 8)
    return [0, 0, 0, count] + Array(kind.utf8) + content
  }

  private static let heif: [UInt8] = {
    let small = box("ispe", [0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0])
    let large = box("ispe", [0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 3, 0])
    let properties = box("iprp", box("ipco", large + box("hvcC", [1]) + small))
    return box("ftyp", Array("heic____".utf8)) + box("meta", [0, 0, 0, 0] + properties)
  }()

  private static let all: [([UInt8], PictureSize)] = [
    (png.map { UInt8($0) }, PictureSize(width: 65_536, height: 513)),
    (gif, PictureSize(width: 800, height: 16)),
    (jpeg, PictureSize(width: 772, height: 258)),
    (webP, PictureSize(width: 512, height: 65_552)),
    (lossless, PictureSize(width: 10, height: 20)),
    (tiff, PictureSize(width: 512, height: 256)),
    (heif, PictureSize(width: 1_024, height: 768)),
  ]

  @Test("the size of each format is read", arguments: all)
  func sizes(bytes: [UInt8], expected: PictureSize) throws {
    #expect(try size(bytes) == expected)
  }

  @Test("a header truncated anywhere has no size", arguments: all)
  func cutOff(bytes: [UInt8], expected: PictureSize) {
    for count in 0..<bytes.count {
      let found = try? size(Array(bytes.prefix(count)))
      #expect(found == nil || found == expected, "\(count) bytes")
    }
  }

  @Test("modified bytes never trap or loop", arguments: 0..<200)
  func changed(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for (bytes, _) in Self.all {
      var bytes = bytes + generator.bytes(64)
      for _ in 0..<4 {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = generator.bytes(1)[0]
      }
      _ = try? size(bytes)
    }
  }

  @Test("bytes between the segments of a JPEG are skipped, as decoders do")
  func strayBytes() throws {
    let start: [UInt8] = [0xFF, 0xD8]
    let application: [UInt8] = [0xFF, 0xE0, 0, 4, 1, 2]
    let frame: [UInt8] = [0xFF, 0xC2, 0, 11, 8, 1, 2, 3, 4]
    let expected = PictureSize(width: 772, height: 258)
    for stray in [[0x0D, 0x0A], [0xFF, 0x00, 0xFF], [UInt8](repeating: 0, count: 2_000)] {
      #expect(try size(start + application + stray + frame) == expected)
      #expect(try size(start + stray + application + frame) == expected)
    }
    let endless = [UInt8](repeating: 0xFF, count: 4 << 20)
    #expect(throws: PictureRefusal.noSize) { try size(start + endless + frame) }
  }

  @Test("the colours of pixels and profile are read")
  func colours() throws {
    func colours(_ bytes: [UInt8]) throws -> PictureColours {
      var bytes = bytes
      return try PictureHeader(of: &bytes).colours
    }
    let profile = [UInt8](repeating: 0, count: 16) + Array("GRAY".utf8)
    let part = Array("ICC_PROFILE\0\u{1}\u{1}".utf8) + profile
    let jpeg: [UInt8] =
      [0xFF, 0xD8, 0xFF, 0xE2, 0, UInt8(part.count + 2)] + part
      + [0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
    #expect(try colours(jpeg) == PictureColours(pixels: .grey, profile: "GRAY"))
    let webP =
      Array("RIFF____WEBPVP8X".utf8) + [10, 0, 0, 0, 0x20, 0, 0, 0, 1, 0, 0, 1, 0, 0]
      + Array("ICCP".utf8) + [20, 0, 0, 0] + profile
    #expect(try colours(webP) == PictureColours(pixels: .rgb, profile: "GRAY"))
    let property = Self.box("colr", Array("prof".utf8) + profile)
    let size = Self.box("ispe", [0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 3, 0])
    let heif =
      Self.box("ftyp", Array("heic____".utf8))
      + Self.box(
        "meta", [0, 0, 0, 0] + Self.box("iprp", Self.box("ipco", size + property)))
    #expect(try colours(heif) == PictureColours(pixels: .rgb, profile: "GRAY"))
    #expect(try colours(Self.gif) == .standard)
  }

  @Test("a profile applies only to pixels of its own colour model")
  func conversion() {
    let cases: [(PictureColours.Model, String?, ColourConversion)] = [
      (.rgb, nil, .byProfile), (.rgb, "RGB ", .byProfile), (.rgb, "GRAY", .none),
      (.rgb, "CMYK", .none), (.rgb, "Lab ", .none), (.grey, nil, .none),
      (.grey, "GRAY", .byProfile), (.grey, "RGB ", .none), (.cmyk, nil, .none),
      (.cmyk, "CMYK", .none), (.cmyk, "RGB ", .none),
    ]
    for (pixels, profile, expected) in cases {
      #expect(PictureColours(pixels: pixels, profile: profile).conversion == expected)
    }
  }

  @Test("an endless chain of segments is refused")
  func endlessSegments() {
    let bytes = [0xFF, 0xD8] + [[UInt8]](repeating: [0xFF, 0xE0, 0, 2], count: 10_000).joined()
    #expect(throws: PictureRefusal.noSize) { try size(Array(bytes)) }
  }

  @Test("a size of zero is refused")
  func zero() {
    let bytes = Array("GIF89a".utf8) + [0, 0, 0x10, 0x00]
    #expect(throws: PictureRefusal.noSize) { try size(bytes) }
  }

  @Test("limits apply to the pixels and to each side")
  func limits() throws {
    var (wide, square) = (ThumbnailLimits(), ThumbnailLimits())
    wide.maxSide = 799
    square.maxPixels = 12_799
    var bytes = Self.gif
    let header = try PictureHeader(of: &bytes)
    try ThumbnailLimits().check(header)
    for limits in [wide, square] {
      #expect(throws: PictureRefusal.tooLarge(PictureSize(width: 800, height: 16))) {
        try limits.check(header)
      }
    }
  }
}
