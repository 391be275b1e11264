import Basics

/// Tells what to do with content, and under which name to keep it (RFC 6266).
package enum ContentDisposition: String, Sendable {
  /// Shown where it is.
  case inline
  /// Saved.
  case attachment

  /// The field's value.
  ///
  /// - Parameter fileName: In any script; whoever can't read the encoded form gets an ASCII one.
  package func field(fileName: String) -> String {
    let plain = String(
      decoding: fileName.unicodeScalars.map(Self.asciiByte), as: UTF8.self)
    let encoded = PercentEncoding.encode(fileName)
    return "\(rawValue); filename=\"\(plain)\"; filename*=UTF-8''\(encoded)"
  }

  private static func asciiByte(_ scalar: Unicode.Scalar) -> UInt8 {
    switch scalar {
    case "\"", "\\", "%": UInt8(ascii: "_")
    case " "..."~": UInt8(truncatingIfNeeded: scalar.value)
    default: UInt8(ascii: "_")
    }
  }
}
