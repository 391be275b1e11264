/// Bytes as hexadecimal digits (RFC 4648 §8), in lower case.
package enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Encodes with two digits for each byte.
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    var characters: [UInt8] = []
    characters.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      characters.append(digits[Int(byte >> 4)])
      characters.append(digits[Int(byte & 15)])
    }
    return String(decoding: characters, as: UTF8.self)
  }
}
