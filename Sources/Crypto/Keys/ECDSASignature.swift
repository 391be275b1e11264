internal import COpenSSL

/// The two forms of an ECDSA signature: two numbers of the curve's size (RFC 7518 §3.4), and the DER of
/// OpenSSL.
enum ECDSASignature {
  /// The size of a number of P-256.
  private static let numberByteCount = 32

  /// Converts to DER; `nil` unless there are two numbers of `size` bytes.
  static func der(_ signature: [UInt8], size: Int) -> [UInt8]? {
    guard signature.count == 2 * size, let pair = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(pair) }
    guard let r = BN_bin2bn(Array(signature[..<size]), Int32(size), nil) else { return nil }
    guard let s = BN_bin2bn(Array(signature[size...]), Int32(size), nil) else {
      BN_free(r)
      return nil
    }
    guard ECDSA_SIG_set0(pair, r, s) == 1 else {
      BN_free(r)
      BN_free(s)
      return nil
    }
    var der: UnsafeMutablePointer<UInt8>?
    let count = i2d_ECDSA_SIG(pair, &der)
    guard count > 0, let der else { return nil }
    defer { CRYPTO_free(der, nil, 0) }
    return Array(UnsafeBufferPointer(start: der, count: Int(count)))
  }

  /// Converts a signature of P-256 from DER.
  static func numbers(der: [UInt8]) -> [UInt8]? {
    let pair: OpaquePointer? = der.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return d2i_ECDSA_SIG(nil, &start, bytes.count)
    }
    guard let pair else { return nil }
    defer { ECDSA_SIG_free(pair) }
    var numbers = [UInt8](repeating: 0, count: 2 * numberByteCount)
    let isWritten = numbers.withUnsafeMutableBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return false }
      return BN_bn2binpad(ECDSA_SIG_get0_r(pair), start, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(pair), start + numberByteCount, 32) == 32
    }
    return isWritten ? numbers : nil
  }
}
