import TestSupport
import Testing
import Thumbnailer
import Thumbnails

@Suite("Thumbnails of pictures", .patientTimeLimit(minutes: 5), .onOwnThreads)
struct PictureTests {
  private let workshop: Workshop
  private let thumbnailer: Thumbnailer

  init() throws {
    workshop = try Workshop()
    thumbnailer = try Installed.thumbnailer.get()
  }

  private func made(
    _ bytes: [UInt8], _ box: ThumbnailBox = .square(100)
  ) async throws -> Thumbnail {
    let result = await thumbnailer.make([box], of: bytes)
    #expect(result.outcome == .made, "\(result.reason)")
    return try #require(result.thumbnails.first)
  }

  /// A JPEG with four quarters: red, green, blue, white.
  private func quarters() throws -> [UInt8] {
    let parts = ["255 0 0", "0 255 0", "0 0 255", "255 255 255"]
    for (index, colour) in parts.enumerated() {
      try workshop.vips("black", "@black.v", "20", "10", "--bands", "3")
      try workshop.vips("linear", "@black.v", "@linear.v", "1 1 1", colour)
      try workshop.vips("cast", "@linear.v", "@part\(index).v", "uchar")
    }
    let paths = parts.indices.map { workshop.path("part\($0).v") }.joined(separator: " ")
    try workshop.vips("arrayjoin", paths, "@quarters.v", "--across", "2")
    try workshop.vips("copy", "@quarters.v", "@quarters.jpg[Q=95]", "--interpretation", "srgb")
    return try workshop.bytes("quarters.jpg")
  }

  /// The JPEG with an EXIF block that says how it is to be turned.
  private func turned(_ jpeg: [UInt8], orientation: UInt8, next: UInt8 = 0) -> [UInt8] {
    let directory: [UInt8] =
      [1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, next, 0, 0, 0]
    let block = Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0] + directory
    return [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(block.count + 2)] + block + jpeg.dropFirst(2)
  }

  @Test("each orientation comes out upright, in its exact size", arguments: 1...8)
  func orientation(_ orientation: UInt8) async throws {
    let made = try await made(turned(quarters(), orientation: orientation), .square(20))
    #expect(
      made.size
        == (orientation < 5 ? PictureSize(width: 20, height: 10) : .init(width: 10, height: 20)))
    // The quarter of the stored picture that is shown at the upper left.
    let corner = [0, 1, 3, 2, 0, 2, 3, 1][Int(orientation) - 1]
    let colours: [[Double]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
    let seen = try workshop.pixel(of: made.bytes, 2, 2)
    for (value, expected) in zip(seen, colours[corner]) {
      // JPEG mixes the colours of neighbours.
      #expect(abs(value - expected) < 100, "\(seen) at the upper left")
    }
  }

  @Test("a self-referencing EXIF directory does not fail the picture")
  func exifLoop() async throws {
    let made = try await made(turned(quarters(), orientation: 6, next: 8), .square(20))
    #expect(made.size == PictureSize(width: 10, height: 20))
  }

  @Test("a picture smaller than the box keeps its size")
  func small() async throws {
    let made = try await made(workshop.noise(50, 30, "small.png"))
    #expect(made.size == PictureSize(width: 50, height: 30) && made.format == .png)
  }

  @Test("the sides are fitted to the box, and are at least one pixel")
  func fitted() async throws {
    let wide = try workshop.noise(3_000, 1, "wide.png")
    #expect(try await made(wide).size == PictureSize(width: 100, height: 1))
    let photo = try workshop.noise(400, 300, "photo.jpg")
    let boxes = [ThumbnailBox.square(100), .init(maxWidth: 300, maxHeight: 10), .square(2_000)]
    let result = await thumbnailer.make(boxes, of: photo)
    let sizes = result.thumbnails.map(\.size)
    #expect(sizes.first == .init(width: 100, height: 75))
    #expect(sizes.last == .init(width: 400, height: 300))
    // 13 1/3 pixels, which a JPEG that is shrunk while it is read makes 14.
    #expect(sizes[1].height == 10 && 13...14 ~= sizes[1].width)
    #expect(result.thumbnails.map(\.box) == boxes)
  }

  @Test("each format has thumbnails in its assigned format")
  func formats() async throws {
    for (name, format) in [
      ("a.jpg", ThumbnailFormat.jpeg), ("a.png", .png), ("a.webp", .png), ("a.gif", .png),
      ("a.tif", .jpeg), ("a.tif[bigtiff]", .png),
      ("a.heic", .jpeg), ("a.avif", .jpeg),
    ] {
      let bytes = try workshop.noise(300, 200, name)
      let result = await thumbnailer.make([.square(100)], of: bytes)
      if name.hasSuffix("[bigtiff]") {
        #expect(result.outcome == .refused)
        continue
      }
      #expect(result.outcome == .made, "\(name): \(result.reason)")
      #expect(result.thumbnails.first?.format == format, "\(name)")
      #expect(result.thumbnails.first?.size == PictureSize(width: 100, height: 67), "\(name)")
    }
  }

  @Test("CMYK becomes sRGB")
  func cmyk() async throws {
    _ = try workshop.noise(300, 200, "rgb.png")
    try workshop.vips("colourspace", "@rgb.png", "@cmyk.v", "cmyk")
    try workshop.vips("copy", "@cmyk.v", "@cmyk.jpg")
    try workshop.vips("copy", "@cmyk.v", "@cmyk.tif")
    for name in ["cmyk.jpg", "cmyk.tif"] {
      let made = try await made(workshop.bytes(name))
      #expect(try workshop.pixel(of: made.bytes, 1, 1).count == 3, "\(name)")
    }
  }

  @Test("16 bits become 8")
  func sixteenBits() async throws {
    _ = try workshop.noise(300, 200, "rgb.png")
    try workshop.vips("colourspace", "@rgb.png", "@deep.png", "rgb16")
    let deep = try workshop.bytes("deep.png")
    let made = try await made(deep)
    #expect(deep[24] == 16 && made.bytes[24] == 8)
  }

  @Test("no metadata is left")
  func metadata() async throws {
    let jpeg = try turned(workshop.noise(300, 200, "m.jpg[profile=srgb]"), orientation: 1)
    let comment = Array("SECRET PLACE".utf8)
    let bytes =
      Array(jpeg[..<2]) + [0xFF, 0xFE, 0, UInt8(comment.count + 2)] + comment + jpeg[2...]
    let text = String(decoding: try await made(bytes).bytes, as: Unicode.ASCII.self)
    for trace in ["SECRET", "Exif", "ICC_PROFILE"] {
      #expect(String(decoding: bytes, as: Unicode.ASCII.self).contains(trace), "\(trace)")
      #expect(!text.contains(trace), "\(trace)")
    }
  }

  @Test("an animation of 10,000 frames shows its first one", arguments: ["gif", "webp"])
  func animation(kind: String) async throws {
    try workshop.ffmpeg(
      "-f", "lavfi", "-i", "testsrc=size=16x8:rate=100", "-frames:v",
      kind == "gif" ? "10000" : "2000",
      "-loop", "0", "@long.\(kind)")
    let made = try await made(workshop.bytes("long.\(kind)"))
    #expect(made.size == PictureSize(width: 16, height: 8) && made.format == .png)
  }

  @Test("a sequence of pictures in AVIF shows its first one")
  func sequence() async throws {
    try workshop.ffmpeg(
      "-f", "lavfi", "-i", "testsrc=size=320x160:rate=5", "-frames:v", "5", "-c:v", "libaom-av1",
      "-cpu-used", "8", "-crf", "40", "-pix_fmt", "yuv420p", "-f", "avif", "@sequence.avif")
    let bytes = try workshop.bytes("sequence.avif")
    #expect(bytes[8..<12].elementsEqual("avis".utf8))
    let made = try await made(bytes)
    #expect(made.size == PictureSize(width: 100, height: 50) && made.format == .jpeg)
  }

  @Test("a JPEG with bytes between its segments is decoded")
  func strayBytes() async throws {
    let jpeg = try workshop.noise(200, 100, "stray.jpg")
    let length = 2 + Int(jpeg[4]) << 8 + Int(jpeg[5]) + 2
    let stray = Array(jpeg[..<length]) + [0x0D, 0x0A] + jpeg[length...]
    #expect(try await made(stray).size == PictureSize(width: 100, height: 50))
  }

  @Test("data appended to a picture is not copied")
  func polyglots() async throws {
    let tail = Array("<script>alert(1)</script>PK\u{5}\u{6}".utf8)
    for name in ["p.jpg", "p.png", "p.gif"] {
      let bytes = try workshop.noise(200, 100, name) + tail
      let made = try await made(bytes)
      #expect(!String(decoding: made.bytes, as: Unicode.ASCII.self).contains("script"), "\(name)")
    }
  }

  @Test("a file on disk is read in place")
  func plainFile() async throws {
    _ = try workshop.noise(300, 200, "disk.jpg")
    let source = PlainFileSource(path: workshop.path("disk.jpg"))
    #expect(await thumbnailer.make([.square(100)], from: source).outcome == .made)
    let missing = await thumbnailer.make(
      [.square(100)], from: PlainFileSource(path: workshop.path("none")))
    #expect(missing.outcome == .failed && missing.reason.contains("No such file"))
  }
}
