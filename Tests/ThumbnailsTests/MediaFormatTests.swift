import Testing

@testable import Thumbnails

@Suite("Formats of pictures and films")
struct MediaFormatTests {
  @Test("the first bytes determine the format")
  func beginnings() {
    #expect(MediaFormat(beginning: [0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
    #expect(MediaFormat(beginning: Array("GIF89a".utf8)) == .gif)
    #expect(MediaFormat(beginning: Array("RIFF____WEBP".utf8)) == .webP)
    #expect(MediaFormat(beginning: Array("RIFF____AVI ".utf8)) == .avi)
    #expect(MediaFormat(beginning: Array("II*\0".utf8)) == .tiff)
    #expect(MediaFormat(beginning: Array("____ftypheic".utf8)) == .heif)
    #expect(MediaFormat(beginning: Array("____ftypavif".utf8)) == .heif)
    #expect(MediaFormat(beginning: Array("____ftypavis".utf8)) == .heif)
    #expect(MediaFormat(beginning: Array("____ftyphevc".utf8)) == .heif)
    #expect(MediaFormat(beginning: Array("____ftypisom".utf8)) == .mov)
    #expect(MediaFormat(beginning: Array("____moov".utf8)) == .mov)
    #expect(MediaFormat(beginning: [0x1A, 0x45, 0xDF, 0xA3]) == .matroska)
    #expect(MediaFormat(beginning: Array("OggS".utf8)) == .ogg)
  }

  @Test(
    "text, documents, playlists and sound are refused",
    arguments: [
      "", "<svg xmlns='http://www.w3.org/2000/svg'/>", "<?xml version='1.0'?><svg/>", "%PDF-1.7",
      "#EXTM3U\n#EXT-X-VERSION:3", "ffconcat version 1.0\nfile /etc/passwd", "concat:/etc/passwd|x",
      "[Script Info]\n", "1\n00:00:00,000 --> 00:00:01,000\n", "P6 1 1 255\n", "v/1\u{1}\u{2}",
      "____ftypM4A ", "RIFF____WAVE", "BM______", "push graphic-context",
      "id=ImageMagick",
      "\u{FEFF}#EXTM3U", "\u{0}\u{0}\u{0}\u{C}JXL \r\n", "<MPD xmlns='urn:mpeg'/>",
    ])
  func others(text: String) {
    #expect(MediaFormat(beginning: Array(text.utf8)) == nil)
  }

  @Test("a sequence of pictures is read as a still picture")
  func sequences() {
    for brand in ["avis", "hevc", "hevx", "msf1"] {
      #expect(MediaFormat.stillBrand(beginning: Array("____ftyp\(brand)".utf8)) != nil)
    }
    for brand in ["avif", "heic", "mif1", "isom"] {
      #expect(MediaFormat.stillBrand(beginning: Array("____ftyp\(brand)".utf8)) == nil)
    }
  }

  @Test("photographs become JPEG, formats with transparency become PNG")
  func results() {
    #expect(MediaFormat.allCases.filter { $0.thumbnailFormat == .png } == [.png, .gif, .webP])
  }
}
