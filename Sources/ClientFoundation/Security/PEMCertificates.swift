internal import Foundation

/// Certificates in PEM (RFC 7468 §5).
enum PEMCertificates {
  private static let begin = "-----BEGIN CERTIFICATE-----"
  private static let end = "-----END CERTIFICATE-----"

  /// Returns the certificates of a text in DER, in order; `nil` if it has none, or a broken one.
  ///
  /// Text around the certificates is ignored.
  static func parse(_ text: String) -> [Data]? {
    var certificates: [Data] = []
    var rest = text[...]
    while let start = rest.range(of: begin) {
      guard let stop = rest.range(of: end, range: start.upperBound..<rest.endIndex) else {
        return nil
      }
      let base64 = rest[start.upperBound..<stop.lowerBound].filter { !$0.isWhitespace }
      guard let certificate = Data(base64Encoded: String(base64)), !certificate.isEmpty else {
        return nil
      }
      certificates.append(certificate)
      rest = rest[stop.upperBound...]
    }
    return certificates.isEmpty ? nil : certificates
  }
}
