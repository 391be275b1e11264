internal import COpenSSL

/// The two forms of a P-256 signature: two numbers of 32 bytes (RFC 7518 §3.4), and the DER of OpenSSL.
enum ECDSASignature {
  private static let numberByteCount = 32

  /// Converts to DER; `nil` unless there are 64 bytes.
  static func der(_ signature: [UInt8]) -> [UInt8]? {
    guard signature.count == 2 * numberByteCount, let pair = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(pair) }
    guard let r = BN_bin2bn(Array(signature[..<numberByteCount]), 32, nil) else { return nil }
    guard let s = BN_bin2bn(Array(signature[numberByteCount...]), 32, nil) else {
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

  /// Converts from DER.
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
