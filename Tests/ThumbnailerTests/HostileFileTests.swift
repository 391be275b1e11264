import TestSupport
import Testing
import Thumbnailer
import Thumbnails

@Suite("Hostile files", .serialized, .patientTimeLimit(minutes: 10), .onOwnThreads)
struct HostileFileTests {
  private let workshop: Workshop
  private let thumbnailer: Thumbnailer

  init() throws {
    workshop = try Workshop()
    thumbnailer = try Installed.thumbnailer.get()
  }

  @Test(
    "files other than pictures and films are refused, whatever their names",
    arguments: [
      "<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
      "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\nfile:///etc/passwd\n",
      "ffconcat version 1.0\nfile '/etc/passwd'\n", "concat:/etc/passwd|/etc/group",
      "%PDF-1.4\n", "%!PS-Adobe-3.0\n", "push graphic-context\nimage over 0,0 0,0 'url(|id)'\n",
      "P6 30000 30000 255\n", "<?xml version='1.0'?><MPD/>", "",
    ])
  func refused(text: String) async {
    let result = await thumbnailer.make([.square(100)], of: Array(text.utf8))
    #expect(result.outcome == .refused && result.thumbnails.isEmpty)
  }

  @Test("other content after a format's signature is not a picture")
  func wrongBody() async {
    let signatures: [[UInt8]] = [
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF], Array("GIF89a".utf8),
      Array("RIFF\0\0\0\0WEBP".utf8), Array("II*\0".utf8), Array("\0\0\0\u{18}ftypheic".utf8),
      Array("\0\0\0\u{18}ftypisom".utf8), [0x1A, 0x45, 0xDF, 0xA3], Array("OggS".utf8),
      Array("RIFF\0\0\0\0AVI ".utf8),
    ]
    let bodies = ["<svg width='10' height='10'/>", "#EXTM3U\nfile:///etc/passwd\n", "%PDF-1.7\n"]
    for signature in signatures {
      for body in bodies {
        let result = await thumbnailer.make([.square(100)], of: signature + Array(body.utf8))
        #expect(result.thumbnails.isEmpty && [.refused, .failed].contains(result.outcome))
      }
    }
  }

  @Test("a picture with too many pixels is refused by its header")
  func declaredBombs() async throws {
    var png = try workshop.noise(10, 10, "bomb.png")
    png.replaceSubrange(16..<24, with: [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x40])
    var gif = try workshop.noise(10, 10, "bomb.gif")
    gif.replaceSubrange(6..<10, with: [0xFF, 0xFF, 0xFF, 0xFF])
    var jpeg = try workshop.noise(10, 10, "bomb.jpg")
    let frame = try #require(
      jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
    jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
    for bytes in [png, gif, jpeg] {
      let result = await thumbnailer.make([.square(100)], of: bytes)
      #expect(result.outcome == .refused && result.reason.contains("too many"), "\(result.reason)")
    }
  }

  @Test("the largest accepted pictures are decoded within the limits")
  func fullBombs() async throws {
    for (name, width, height) in [
      ("a.png", 10_000, 10_000), ("b.png", 32_767, 3_000), ("c.gif", 10_000, 10_000),
      ("d.webp", 10_000, 10_000), ("e.tif[compression=deflate]", 10_000, 10_000),
      ("f.jpg[interlace]", 10_000, 10_000), ("g.png[interlace]", 10_000, 10_000),
    ] {
      try workshop.vips("black", "@" + name, "\(width)", "\(height)", "--bands", "3")
      let bytes = try workshop.bytes(name.split(separator: "[").map(String.init)[0])
      let result = await thumbnailer.make([.square(100)], of: bytes)
      #expect(result.outcome != .refused, "\(name): \(result.reason)")
    }
  }

  @Test("a JPEG of thousands of scans is decoded within the limits")
  func scans() async throws {
    let jpeg = try workshop.noise(2_000, 2_000, "scans.jpg[interlace,Q=50]")
    let last = try #require(
      jpeg.indices.dropLast().last { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA })
    let scan = jpeg[last..<jpeg.count - 2]
    var bytes = Array(jpeg.dropLast(2))
    while bytes.count < 20 << 20 { bytes += scan }
    let result = await thumbnailer.make([.square(100)], of: bytes + [0xFF, 0xD9])
    #expect([.made, .failed, .timedOut, .killed].contains(result.outcome))
  }

  @Test(
    "a file truncated anywhere yields a picture or none",
    arguments: ["jpg", "png", "gif", "webp", "tif", "mp4", "webm"])
  func cutOff(kind: String) async throws {
    var bytes: [UInt8]
    if kind == "mp4" || kind == "webm" {
      try workshop.ffmpeg(
        "-f", "lavfi", "-i", "testsrc=size=160x90:rate=10:duration=2", "@cut.\(kind)")
      bytes = try workshop.bytes("cut.\(kind)")
    } else {
      bytes = try workshop.noise(80, 50, "cut." + kind)
    }
    bytes = Array(bytes.prefix(16 << 10))
    for count in stride(from: 0, to: bytes.count, by: 1_024) {
      let result = await thumbnailer.make([.square(40)], of: Array(bytes.prefix(count)))
      #expect(
        result.outcome == .made
          ? result.thumbnails.count == 1
          : result.thumbnails.isEmpty && [.refused, .failed].contains(result.outcome),
        "\(count) bytes: \(result.outcome) \(result.reason)")
    }
  }

  @Test("a thousand bombs in a row leave nothing behind")
  func manyBombs() async throws {
    var bomb = try workshop.noise(10, 10, "bomb.png")
    bomb.replaceSubrange(16..<24, with: [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x40])
    let hollow = try workshop.noise(10, 10, "hollow.png").prefix(40)
    let descriptors = Traces.descriptorCount
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<1_000 {
        group.addTask { [bomb, hollow, thumbnailer] in
          let result = await thumbnailer.make(
            [.square(100)], of: index.isMultiple(of: 20) ? Array(hollow) : bomb)
          #expect([.refused, .failed].contains(result.outcome), "\(result)")
        }
      }
    }
    // Tests beside this one open files too, some tens at a time.
    #expect(Traces.descriptorCount <= descriptors + 500)
    #expect(await Traces.vanish("parley-thumbnai"))
  }
}
