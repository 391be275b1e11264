import Foundation

/// Small colour profiles (ICC.1:2001), for pictures of tests.
enum ColourProfiles {
  /// sRGB with red and blue exchanged, so that a profile that is not honoured cannot be overlooked.
  static let exchanged = make(
    "mntr", "RGB ",
    [
      ("rXYZ", xyz(0.14307, 0.06061, 0.71410)), ("gXYZ", xyz(0.38515, 0.71687, 0.09708)),
      ("bXYZ", xyz(0.43607, 0.22249, 0.01392)),
    ] + ["rTRC", "gTRC", "bTRC"].map { ($0, curve(lights)) })

  private static let lights = (0...1_023).map { linear(Double($0) / 1_023) }

  /// The same as a scanner's profile: a table for the perceptual intent alone.
  static let exchangedTable = make("scnr", "RGB ", [("A2B0", table)])

  /// Grey whose values are light to the power of 1/1.8.
  static let grey = make(
    "mntr", "GRAY", [("kTRC", curve((0...1_023).map { pow(Double($0) / 1_023, 1.8) }))])

  /// The value of a grey of sRGB under ``grey``.
  static func greyValue(_ value: Int) -> Int {
    Int((pow(linear(Double(value) / 255), 1 / 1.8) * 255).rounded())
  }

  /// The light of a value of sRGB, both from 0 to 1 (IEC 61966-2-1).
  private static func linear(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private static var table: [UInt8] {
    // The light of blue, green and red in each part of XYZ.
    let parts = [
      [0.14307, 0.38515, 0.43607], [0.06061, 0.71687, 0.22249], [0.71410, 0.09708, 0.01392],
    ]
    var bytes = Array("mft2".utf8) + [0, 0, 0, 0, 3, 3, 2, 0]
    for index in 0..<9 { bytes += number(index % 4 == 0 ? 65_536 : 0) }
    bytes += short(1_024) + short(2)
    let input = lights.flatMap { short(Int(($0 * 65_535).rounded())) }
    bytes += input + input + input
    for corner in 0..<8 {
      // The first channel varies slowest.
      let light = [corner >> 2 & 1, corner >> 1 & 1, corner & 1].map(Double.init)
      for weights in parts {
        let sum = zip(weights, light).reduce(0) { $0 + $1.0 * $1.1 }
        bytes += short(Int((sum * 32_768).rounded()))
      }
    }
    return bytes + (0..<3).flatMap { _ in short(0) + short(65_535) }
  }

  private static func make(
    _ device: String, _ model: String, _ tags: [(String, [UInt8])]
  ) -> [UInt8] {
    let text: [UInt8] = Array("desc".utf8) + [0, 0, 0, 0] + number(2) + [0x70, 0]
    let tags =
      [
        ("desc", text + [UInt8](repeating: 0, count: 78)), ("wtpt", xyz(0.9642, 1, 0.8249)),
        ("cprt", Array("text\0\0\0\0x\0".utf8)),
      ] + tags
    var (directory, content) = (number(tags.count), [UInt8]())
    for (signature, bytes) in tags {
      let offset = 128 + 4 + 12 * tags.count + content.count
      directory += Array(signature.utf8) + number(offset) + number(bytes.count)
      content += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
    var header = number(128 + directory.count + content.count) + Array("test".utf8)
    header += number(0x0210_0000) + Array((device + model + "XYZ ").utf8)
    header += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
    header += [UInt8](repeating: 0, count: 28) + number(0xF6D6) + number(0x10000) + number(0xD32D)
    return header + [UInt8](repeating: 0, count: 128 - header.count) + directory + content
  }

  private static func curve(_ values: [Double]) -> [UInt8] {
    Array("curv".utf8) + [0, 0, 0, 0] + number(values.count)
      + values.flatMap { short(Int(($0 * 65_535).rounded())) }
  }

  private static func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
    Array("XYZ ".utf8) + [0, 0, 0, 0]
      + [x, y, z].flatMap { number(Int(($0 * 65_536).rounded())) }
  }

  private static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func short(_ value: Int) -> [UInt8] { number(value).suffix(2) }
}
