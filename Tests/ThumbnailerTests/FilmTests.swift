import TestSupport
import Testing
import Thumbnailer
import Thumbnails

@Suite("Thumbnails of films", .patientTimeLimit(minutes: 5), .onOwnThreads)
struct FilmTests {
  private let workshop: Workshop
  private let thumbnailer: Thumbnailer

  init() throws {
    workshop = try Workshop()
    thumbnailer = try Installed.thumbnailer.get()
  }

  private func film(
    _ name: String, size: String = "320x180", _ options: String...
  ) throws -> [UInt8] {
    try workshop.run(
      "ffmpeg",
      ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=\(size):rate=25:duration=2"]
        + options + ["@" + name])
    return try workshop.bytes(name)
  }

  @Test(
    "a frame is extracted from each kind of film",
    arguments: [
      ("a.mp4", ["-c:v", "libx264", "-pix_fmt", "yuv420p"]), ("a.mov", ["-c:v", "mpeg4"]),
      ("a.webm", ["-c:v", "libvpx"]), ("a.mkv", ["-c:v", "libx264"]), ("a.avi", ["-c:v", "mpeg4"]),
      ("a.ogv", ["-c:v", "libtheora"]),
    ])
  func kinds(name: String, options: [String]) async throws {
    try workshop.run(
      "ffmpeg",
      ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=25:duration=2"]
        + options + ["@" + name])
    let result = await thumbnailer.make(
      [.square(160), .square(1_000)], of: try workshop.bytes(name))
    #expect(result.outcome == .made, "\(result.reason)")
    #expect(result.thumbnails.map(\.format) == [.jpeg, .jpeg])
    #expect(
      result.thumbnails.map(\.size) == [
        .init(width: 160, height: 90), .init(width: 320, height: 180),
      ])
  }

  @Test("a film of less than a second shows its beginning")
  func short() async throws {
    let result = await thumbnailer.make(
      [.square(100)], of: try film("short.mp4", "-t", "0.2"))
    #expect(result.outcome == .made, "\(result.reason)")
  }

  @Test("a film recorded upright is shown upright")
  func turned() async throws {
    _ = try film("flat.mp4")
    try workshop.ffmpeg(
      "-i", "@flat.mp4", "-c", "copy", "-metadata:s:v", "rotate=90", "@turned.mp4")
    let result = await thumbnailer.make([.square(90)], of: try workshop.bytes("turned.mp4"))
    #expect(result.thumbnails.first?.size == PictureSize(width: 51, height: 90))
  }

  @Test("non-square pixels become square, and none are added")
  func aspect() async throws {
    let bytes = try film("wide.mp4", size: "64x64", "-vf", "setsar=2/1")
    let result = await thumbnailer.make([.square(100)], of: bytes)
    #expect(result.thumbnails.first?.size == PictureSize(width: 64, height: 32))
  }

  @Test("a film without a frame fails")
  func soundOnly() async throws {
    try workshop.ffmpeg("-f", "lavfi", "-i", "sine=duration=1", "@sound.mp4")
    let result = await thumbnailer.make([.square(100)], of: try workshop.bytes("sound.mp4"))
    #expect(result.outcome == .failed && result.thumbnails.isEmpty)
  }

  @Test("a film of a million frames a second terminates in time")
  func fast() async throws {
    try workshop.ffmpeg(
      "-f", "lavfi", "-i", "testsrc=size=64x64:rate=1000000", "-frames:v", "500",
      "-video_track_timescale", "1000000", "@fast.mp4")
    let result = await thumbnailer.make([.square(100)], of: try workshop.bytes("fast.mp4"))
    #expect(result.outcome == .made, "\(result.reason)")
  }

  @Test("a film with too many pixels is not decoded")
  func large() async throws {
    var configuration = Installed.configuration
    configuration.limits.maxPixels = 320 * 180 - 1
    let strict = try Thumbnailer(configuration)
    let bytes = try film("large.mp4")
    let result = await strict.make([.square(100)], of: bytes)
    #expect(result.outcome == .failed && result.thumbnails.isEmpty)
    strict.shutdown()
  }

  @Test("subtitles that name files have no effect")
  func subtitles() async throws {
    try workshop.write(
      Array(
        "1\n00:00:00,000 --> 00:00:02,000\nfile:///etc/passwd {\\an8}concat:/etc/passwd|\n".utf8),
      "lines.srt")
    _ = try film("silent.mp4")
    try workshop.ffmpeg("-i", "@silent.mp4", "-i", "@lines.srt", "-c:v", "copy", "@spoken.mkv")
    let result = await thumbnailer.make([.square(100)], of: try workshop.bytes("spoken.mkv"))
    #expect(result.outcome == .made, "\(result.reason)")
  }

  @Test("QuickTime references to other files are not followed")
  func reference() async throws {
    var bytes = try film("self.mov")
    let marker = Array("url ".utf8)
    let place = try #require(
      bytes.indices.dropLast(8).first { Array(bytes[$0..<$0 + 4]) == marker })
    // The flag that says "in this file" goes; what follows would be an address.
    bytes[place + 7] = 0
    let result = await thumbnailer.make([.square(100)], of: bytes)
    #expect([.made, .failed].contains(result.outcome))
  }
}
