internal import COpenSSL
internal import ParleyProtocol

/// A point of the curve P-256 (FIPS 186-5), which is the public key of a browser or a message.
package struct P256Point: Sendable, Hashable {
  /// The uncompressed form, 65 bytes.
  package let bytes: [UInt8]

  /// Creates a point from its uncompressed form; `nil` unless it is on the curve.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == WebPushSubscription.publicKeyByteCount, bytes.first == 4,
      P256.withPoint(bytes, { _ in true }) != nil
    else { return nil }
    self.bytes = bytes
  }

  fileprivate init(ofCurve bytes: [UInt8]) { self.bytes = bytes }
}

/// A secret number below the order of the curve P-256, with its public key.
package struct P256Secret: Sendable {
  package static let byteCount = 32

  private let bytes: [UInt8]
  package let publicKey: P256Point

  /// Creates a secret from 32 random bytes; `nil` for zero and for numbers from the order on, which
  /// random bytes are once in 2^32 times.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, let point = P256.generatorMultiple(bytes) else {
      return nil
    }
    self.bytes = bytes
    publicKey = P256Point(ofCurve: point)
  }

  /// The secret shared with the owner of a public key (RFC 6090 §4, the x coordinate), 32 bytes.
  ///
  /// - Precondition: Memory is available, as for every allocation of Swift itself.
  package func agreed(with point: P256Point) -> [UInt8] {
    guard let secret = P256.sharedX(bytes, point.bytes) else {
      preconditionFailure("OpenSSL has no memory for a point")
    }
    return secret
  }
}

extension P256Secret: CustomStringConvertible, CustomDebugStringConvertible {
  /// Does not reveal the secret.
  package var description: String { "a P-256 secret" }
  package var debugDescription: String { description }
}

/// The arithmetic of the curve.
private enum P256 {
  /// Never modified once it is made, so that threads share it.
  nonisolated(unsafe) private static let group: OpaquePointer = {
    guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
      preconditionFailure("OpenSSL has no curve P-256")
    }
    return group
  }()

  /// Works with a point; `nil` unless the bytes are the form of one.
  static func withPoint<Value>(_ bytes: [UInt8], _ use: (OpaquePointer) -> Value?) -> Value? {
    guard let point = EC_POINT_new(group) else { return nil }
    defer {
      EC_POINT_free(point)
      ERR_clear_error()
    }
    // Fails for coordinates that are not on the curve.
    guard EC_POINT_oct2point(group, point, bytes, bytes.count, nil) == 1 else { return nil }
    return use(point)
  }

  /// The public key of a secret number in uncompressed form; `nil` for a number out of range.
  static func generatorMultiple(_ secret: [UInt8]) -> [UInt8]? {
    withNumber(secret) { number in
      guard let point = EC_POINT_new(group) else { return nil }
      defer { EC_POINT_free(point) }
      guard EC_POINT_mul(group, point, number, nil, nil, nil) == 1 else { return nil }
      var bytes = [UInt8](repeating: 0, count: WebPushSubscription.publicKeyByteCount)
      let count = EC_POINT_point2oct(
        group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
      return count == bytes.count ? bytes : nil
    }
  }

  /// The x coordinate of a point multiplied by a secret number.
  static func sharedX(_ secret: [UInt8], _ bytes: [UInt8]) -> [UInt8]? {
    withPoint(bytes) { point in
      withNumber(secret) { number in
        guard let product = EC_POINT_new(group), let x = BN_new() else { return nil }
        defer {
          EC_POINT_clear_free(product)
          BN_clear_free(x)
        }
        var shared = [UInt8](repeating: 0, count: P256Secret.byteCount)
        guard EC_POINT_mul(group, product, nil, point, number, nil) == 1,
          EC_POINT_get_affine_coordinates(group, product, x, nil, nil) == 1,
          BN_bn2binpad(x, &shared, Int32(shared.count)) == Int32(shared.count)
        else { return nil }
        return shared
      }
    }
  }

  /// Works with a number from 1 to the order of the curve, less one.
  private static func withNumber<Value>(
    _ bytes: [UInt8], _ use: (OpaquePointer) -> Value?
  ) -> Value? {
    guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { return nil }
    defer { BN_clear_free(number) }
    BN_set_flags(number, BN_FLG_CONSTTIME)
    guard BN_is_zero(number) == 0, let order = EC_GROUP_get0_order(group),
      BN_cmp(number, order) < 0
    else { return nil }
    return use(number)
  }
}
