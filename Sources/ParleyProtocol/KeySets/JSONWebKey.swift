internal import Basics

/// A public key of a key set, and the algorithms that it fits (RFC 7517 §4).
///
/// Whether a point is on its curve is found when the key is made from its numbers.
package struct JSONWebKey: Sendable, Hashable {
  /// The numbers of a key, big-endian.
  package enum Material: Sendable, Hashable {
    /// RFC 7518 §6.3.1, without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// RFC 7518 §6.2.1; each coordinate has the size of the curve's field.
    case point(EllipticCurve, x: [UInt8], y: [UInt8])
    /// RFC 8037 §2, 32 bytes.
    case ed25519([UInt8])
  }

  package enum EllipticCurve: String, Sendable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"

    /// The size of a coordinate in bytes.
    package var byteCount: Int {
      switch self {
      case .p256: 32
      case .p384: 48
      }
    }
  }

  /// The reason why a key of a set is not used.
  package struct Fault: Error, Sendable, Hashable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
  }

  /// The bits of a modulus that is accepted (RFC 7518 §3.3; more cost too much to verify with).
  package static let modulusBits = 2_048...8_192
  /// The longest exponent that is accepted, in bytes; OpenSSL's own limit for large keys.
  private static let exponentByteLimit = 8

  /// The name of the key in its set (`kid`).
  package let keyID: String?
  package let material: Material
  /// The algorithms that `kty`, `crv` and `alg` allow.
  package let algorithms: [SignatureAlgorithm]

  /// Reads a member of `keys`.
  init(_ node: JSONNode) throws(Fault) {
    guard node.kind == .object else { throw Fault("it is not an object") }
    keyID = try Self.keyID(of: node)
    guard let type = try Self.text("kty", of: node) else { throw Fault("kty is missing") }
    if node["d"] != nil { throw Fault("it is a private key, which must not be published") }
    try Self.checkUse(of: node)
    let fitting: [SignatureAlgorithm]
    (material, fitting) = try Self.material(of: node, type: type)
    guard let algorithm = try Self.text("alg", of: node) else {
      algorithms = fitting
      return
    }
    algorithms = fitting.filter { $0.rawValue == algorithm }
    guard !algorithms.isEmpty else {
      throw Fault("alg is \(DisplayText.excerpt(algorithm)), which is not of this kind of key")
    }
  }

  /// Reads `kid` alone, for reports about keys that cannot be used.
  static func keyID(of node: JSONNode) throws(Fault) -> String? {
    guard let text = try text("kid", of: node) else { return nil }
    guard text.utf8.count <= KeySet.keyIDByteLimit else {
      throw Fault("kid is longer than \(KeySet.keyIDByteLimit) bytes")
    }
    return text
  }

  private static func text(_ name: String, of node: JSONNode) throws(Fault) -> String? {
    guard let member = node[name] else { return nil }
    guard let text = member.string else { throw Fault("\(name) is not a text") }
    return text
  }

  /// Checks that the key is for signatures (RFC 7517 §4.2, §4.3).
  private static func checkUse(of node: JSONNode) throws(Fault) {
    if let use = try text("use", of: node), use != "sig" { throw Fault("use is not sig") }
    guard let operations = node["key_ops"] else { return }
    guard operations.kind == .array,
      operations.elements.contains(where: { $0.string == "verify" })
    else { throw Fault("key_ops does not contain verify") }
  }

  private static func material(
    of node: JSONNode, type: String
  ) throws(Fault) -> (Material, [SignatureAlgorithm]) {
    switch type {
    case "RSA": return (try modulus(of: node), [.rs256, .rs384, .rs512, .ps256])
    case "EC":
      let name = try text("crv", of: node) ?? ""
      guard let curve = EllipticCurve(rawValue: name) else {
        throw Fault("crv is \(DisplayText.excerpt(name)), not P-256 or P-384")
      }
      let x = try bytes("x", of: node, count: curve.byteCount)
      let y = try bytes("y", of: node, count: curve.byteCount)
      return (.point(curve, x: x, y: y), curve == .p256 ? [.es256] : [.es384])
    case "OKP":
      let name = try text("crv", of: node) ?? ""
      guard name == "Ed25519" else {
        throw Fault("crv is \(DisplayText.excerpt(name)), not Ed25519")
      }
      return (.ed25519(try bytes("x", of: node, count: 32)), [.edDSA])
    default: throw Fault("kty is \(DisplayText.excerpt(type)), not RSA, EC or OKP")
    }
  }

  private static func modulus(of node: JSONNode) throws(Fault) -> Material {
    let modulus = try number("n", of: node)
    let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
    guard modulusBits.contains(bits) else {
      throw Fault(
        "n has \(bits) bits, not \(modulusBits.lowerBound) to \(modulusBits.upperBound)")
    }
    guard let last = modulus.last, last & 1 == 1 else { throw Fault("n is an even number") }
    let exponent = try number("e", of: node)
    // With an exponent of 1 a text would be its own signature.
    guard exponent.count <= exponentByteLimit, let end = exponent.last, end & 1 == 1,
      exponent.count > 1 || end >= 3
    else { throw Fault("e is not an odd number from 3 to 2^64") }
    return .rsa(modulus: modulus, exponent: exponent)
  }

  /// Reads a Base64urlUInt (RFC 7518 §2); leading zeros, which some providers write, are removed.
  private static func number(_ name: String, of node: JSONNode) throws(Fault) -> [UInt8] {
    Array(try bytes(name, of: node).drop { $0 == 0 })
  }

  private static func bytes(
    _ name: String, of node: JSONNode, count: Int
  ) throws(Fault) -> [UInt8] {
    let bytes = try bytes(name, of: node)
    guard bytes.count == count else {
      throw Fault("\(name) has \(bytes.count) bytes, not \(count)")
    }
    return bytes
  }

  private static func bytes(_ name: String, of node: JSONNode) throws(Fault) -> [UInt8] {
    guard let text = try text(name, of: node) else { throw Fault("\(name) is missing") }
    guard let bytes = Base64URL.decode(text.utf8) else { throw Fault("\(name) is not base64url") }
    return bytes
  }
}
