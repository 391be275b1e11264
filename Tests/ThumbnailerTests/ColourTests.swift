import TestSupport
import Testing
import Thumbnailer
import Thumbnails

/// Thumbnails of pictures with stripes of known colours.
@Suite("Colours of thumbnails", .patientTimeLimit(minutes: 5), .onOwnThreads)
struct ColourTests {
  private static let stripeWidth = 128
  private static let height = 64

  private static let colours = [
    [0, 0, 255], [255, 0, 0], [0, 255, 0], [20, 29, 40], [128, 128, 128], [8, 8, 8],
    [250, 200, 30], [255, 255, 255],
  ]
  private static let greys = [0, 8, 20, 29, 40, 90, 128, 250].map { [$0] }

  private let workshop: Workshop
  private let thumbnailer: Thumbnailer

  init() throws {
    workshop = try Workshop()
    thumbnailer = try Installed.thumbnailer.get()
  }

  /// Writes a picture with a stripe for each value.
  private func picture(
    _ name: String, _ stripes: [[Int]], alpha: Int? = nil, isDeep: Bool = false,
    profile: [UInt8]? = nil
  ) throws -> [UInt8] {
    let values = stripes.map { $0 + (alpha.map { [$0] } ?? []) }
    let row = values.flatMap { value in
      (0..<Self.stripeWidth).flatMap { _ in
        value.flatMap { isDeep ? [UInt8($0), UInt8($0)] : [UInt8($0)] }
      }
    }
    try workshop.write((0..<Self.height).flatMap { _ in row }, "raw")
    let isGrey = stripes[0].count == 1
    try workshop.vips(
      "rawload", "@raw", "@stripes.v", "\(Self.stripeWidth * stripes.count)", "\(Self.height)",
      "\(values[0].count)", "--format", isDeep ? "ushort" : "uchar", "--interpretation",
      isGrey ? isDeep ? "grey16" : "b-w" : isDeep ? "rgb16" : "srgb")
    var options: [String] = []
    if name.hasSuffix(".jpg") {
      options = ["Q=95", "subsample-mode=off"]
    } else {
      if [".webp", ".avif", ".heic"].contains(where: name.hasSuffix) { options = ["lossless"] }
      if let profile {
        try workshop.write(profile, "profile.icc")
        options.append("profile=\(workshop.path("profile.icc"))")
      }
      if name.hasSuffix(".avif"), profile != nil {
        // The encoder takes a profile from its source alone.
        try workshop.vips("copy", "@stripes.v", "@tagged.png[\(options.removeLast())]")
        try workshop.vips("copy", "@tagged.png", "@stripes.v")
      }
    }
    try workshop.vips("copy", "@stripes.v", "@\(name)[\(options.joined(separator: ","))]")
    let bytes = try workshop.bytes(name)
    guard let profile, name.hasSuffix(".jpg") else { return bytes }
    let part = Array("ICC_PROFILE\0\u{1}\u{1}".utf8) + profile
    let count = part.count + 2
    return bytes.prefix(2) + [0xFF, 0xE2, UInt8(count >> 8), UInt8(count & 0xFF)] + part
      + bytes.dropFirst(2)
  }

  /// Makes a thumbnail of half the size, and compares the middle of each stripe.
  private func expect(
    _ bytes: [UInt8], shows colours: [[Int]], alpha: Int? = nil,
    location: SourceLocation = #_sourceLocation
  ) async throws {
    let width = Self.stripeWidth * colours.count / 2
    let result = await thumbnailer.make([.square(width)], of: bytes)
    #expect(result.outcome == .made, "\(result.reason)", sourceLocation: location)
    let made = try #require(result.thumbnails.first, sourceLocation: location)
    try workshop.write(made.bytes, "seen")
    try workshop.vips("copy", "@seen", "@seen.raw")
    let pixels = try workshop.bytes("seen.raw")
    let bands = pixels.count / (made.size.width * made.size.height)
    for (index, colour) in colours.enumerated() {
      let column = (2 * index + 1) * Self.stripeWidth / 4
      let offset = (made.size.height / 2 * made.size.width + column) * bands
      let pixel = pixels[offset..<offset + bands].map(Int.init)
      let seen = bands < 3 ? [pixel[0], pixel[0], pixel[0]] : Array(pixel.prefix(3))
      let expected = colour.count == 1 ? [colour[0], colour[0], colour[0]] : colour
      let isClose = zip(seen, expected).allSatisfy { abs($0 - $1) <= 3 }
      #expect(isClose, "\(seen) for \(expected)", sourceLocation: location)
      if let alpha { #expect(abs(pixel[bands - 1] - alpha) <= 1, sourceLocation: location) }
    }
  }

  @Test(
    "RGB without a profile keeps its colours",
    arguments: ["a.png", "a.jpg", "a.webp", "a.gif", "a.tif", "a.avif", "a.heic"])
  func plain(name: String) async throws {
    try await expect(try picture(name, Self.colours), shows: Self.colours)
  }

  @Test("a palette keeps its colours")
  func palette() async throws {
    _ = try picture("a.png", Self.colours)
    try workshop.vips("copy", "@a.png", "@b.png[palette,dither=0]")
    try await expect(try workshop.bytes("b.png"), shows: Self.colours)
  }

  @Test("16 bits keep their colours", arguments: ["a.png", "a.tif"])
  func deep(name: String) async throws {
    try await expect(try picture(name, Self.colours, isDeep: true), shows: Self.colours)
    try await expect(try picture(name, Self.greys, isDeep: true), shows: Self.greys)
  }

  @Test("grey without a profile keeps its values", arguments: ["a.png", "a.jpg", "a.tif"])
  func grey(name: String) async throws {
    try await expect(try picture(name, Self.greys), shows: Self.greys)
  }

  @Test("transparent colours keep their values and their transparency")
  func transparent() async throws {
    for name in ["a.png", "a.webp"] {
      try await expect(
        try picture(name, Self.colours, alpha: 200), shows: Self.colours, alpha: 200)
    }
    try await expect(try picture("a.png", Self.greys, alpha: 200), shows: Self.greys, alpha: 200)
  }

  @Test(
    "a profile that differs from sRGB is applied",
    arguments: ["a.png", "a.jpg", "a.webp", "a.tif", "a.avif"])
  func profiles(name: String) async throws {
    let stored = Self.colours.map { Array($0.reversed()) }
    try await expect(
      try picture(name, stored, profile: ColourProfiles.exchanged), shows: Self.colours)
    if name == "a.png" {
      try await expect(
        try picture(name, stored, isDeep: true, profile: ColourProfiles.exchanged),
        shows: Self.colours)
      try await expect(
        try picture(name, stored, alpha: 90, profile: ColourProfiles.exchanged),
        shows: Self.colours, alpha: 90)
    }
  }

  @Test("a scanner's profile, which has a table for one intent, is applied")
  func scanner() async throws {
    let stored = Self.colours.map { Array($0.reversed()) }
    try await expect(
      try picture("a.jpg", stored, profile: ColourProfiles.exchangedTable), shows: Self.colours)
  }

  @Test("a greyscale profile is applied", arguments: ["a.png", "a.jpg", "a.tif"])
  func greyProfiles(name: String) async throws {
    let stored = Self.greys.map { $0.map(ColourProfiles.greyValue) }
    try await expect(
      try picture(name, stored, profile: ColourProfiles.grey), shows: Self.greys)
    if name == "a.png" {
      try await expect(
        try picture(name, stored, alpha: 90, profile: ColourProfiles.grey), shows: Self.greys,
        alpha: 90)
    }
  }

  @Test("a profile for other pixels, or a broken one, changes nothing")
  func misfits() async throws {
    let broken = [UInt8](repeating: 0x78, count: 300)
    let brokenGrey =
      [UInt8](repeating: 0, count: 16) + Array("GRAY".utf8) + [UInt8](repeating: 0, count: 280)
    for profile in [ColourProfiles.exchanged, broken, brokenGrey] {
      try await expect(try picture("a.jpg", Self.greys, profile: profile), shows: Self.greys)
    }
    for profile in [ColourProfiles.grey, broken, brokenGrey] {
      try await expect(try picture("a.jpg", Self.colours, profile: profile), shows: Self.colours)
    }
    for name in ["a.tif", "a.webp"] {
      let bytes = try picture(name, Self.colours, profile: ColourProfiles.grey)
      try await expect(bytes, shows: Self.colours)
    }
  }

  @Test(
    "a frame keeps its colours",
    arguments: [
      ("a.mp4", "libx264", "yuv420p"), ("a.mp4", "libx264", "yuv444p"),
      ("a.mp4", "libx264", "yuv420p10le"), ("a.avi", "mjpeg", "yuvj420p"),
      ("a.mov", "png", "rgb24"), ("a.webm", "libvpx-vp9", "yuv420p"),
    ])
  func frames(name: String, codec: String, format: String) async throws {
    _ = try picture("a.png", Self.colours)
    try workshop.ffmpeg(
      "-loop", "1", "-i", "@a.png", "-t", "1", "-r", "2", "-c:v", codec, "-pix_fmt", format,
      "-qmin", "1", "-qmax", "4", "-q:v", "1", "-b:v", "8M", "@" + name)
    try await expect(try workshop.bytes(name), shows: Self.colours)
  }

  @Test("a high-definition frame keeps its colours")
  func highDefinition() async throws {
    _ = try picture("a.png", Self.colours)
    try workshop.ffmpeg(
      "-loop", "1", "-i", "@a.png", "-t", "1", "-r", "2", "-vf",
      "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-c:v", "libx264", "-qp", "4",
      "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "@a.mp4")
    try await expect(try workshop.bytes("a.mp4"), shows: Self.colours)
  }
}
