internal import Cluster
internal import Crypto

/// HMAC-SHA-256 with the cluster's secret.
struct SecretAuthentication: FrameAuthentication {
  let secret: [UInt8]

  /// - Precondition: OpenSSL can allocate memory for a code, as for every allocation of Swift's own.
  func code(of bytes: [UInt8]) -> [UInt8] {
    guard let code = HMACSHA256.code(of: bytes, under: secret) else {
      preconditionFailure("OpenSSL has no memory for a code")
    }
    return code
  }

  func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { ConstantTime.areEqual(left, right) }
}
