internal import COpenSSL
package import ParleyProtocol

extension IssuerKeys {
  /// Makes the keys of a set for the algorithms of its issuer.
  ///
  /// - Returns: The keys, and those of the set that cannot be used, with the reasons.
  /// - Throws: ``KeySetError/noUsableKey(_:)``.
  package static func make(
    _ set: KeySet, for issuer: TokenIssuer
  ) throws(KeySetError) -> (keys: IssuerKeys, ignored: [KeySet.Ignored]) {
    var entries: [Entry] = []
    var ignored = set.ignored
    var taken: Set<Role> = []
    for (index, key) in set.keys {
      do throws(JSONWebKey.Fault) {
        let handle = try KeyHandle(key.material)
        let algorithms = key.algorithms.filter { issuer.algorithms.contains($0) }
        guard !algorithms.isEmpty else {
          throw JSONWebKey.Fault("it is for no algorithm of the issuer")
        }
        // A token names a key by kid and alg together, so these must lead to one key.
        let free = algorithms.filter { algorithm in
          guard let id = key.keyID else { return true }
          return taken.insert(Role(keyID: Array(id.utf8), algorithm: algorithm)).inserted
        }
        guard !free.isEmpty else {
          throw JSONWebKey.Fault("an earlier key has the same kid and algorithm")
        }
        entries += free.map {
          Entry(keyID: key.keyID, index: index, key: PublicKey(handle, for: $0), of: issuer)
        }
      } catch {
        ignored.append(KeySet.Ignored(index: index, keyID: key.keyID, reason: error.reason))
      }
    }
    ignored.sort { $0.index < $1.index }
    guard !entries.isEmpty else { throw .noUsableKey(ignored.first?.reason) }
    return (IssuerKeys(issuer, entries), ignored)
  }

  private struct Role: Hashable {
    /// Compared byte by byte, as the `kid` of a token is.
    let keyID: [UInt8]
    let algorithm: SignatureAlgorithm
  }
}

extension KeyHandle {
  /// Makes a key from its numbers.
  convenience init(_ material: JSONWebKey.Material) throws(JSONWebKey.Fault) {
    defer { ERR_clear_error() }
    switch material {
    case .rsa(let modulus, let exponent):
      guard let key = copenssl_make_rsa(modulus, modulus.count, exponent, exponent.count) else {
        throw JSONWebKey.Fault("OpenSSL does not accept n and e")
      }
      self.init(owning: key)
    case .point(let curve, let x, let y):
      let point = [4] + x + y
      guard let key = copenssl_make_point(curve.groupName, point, point.count) else {
        throw JSONWebKey.Fault("x and y are not a point of \(curve.rawValue)")
      }
      self.init(owning: key)
    case .ed25519(let bytes):
      guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else {
        throw JSONWebKey.Fault("OpenSSL does not accept x")
      }
      self.init(owning: key)
    }
  }
}

extension JSONWebKey.EllipticCurve {
  /// OpenSSL's name of the curve.
  fileprivate var groupName: String {
    switch self {
    case .p256: "prime256v1"
    case .p384: "secp384r1"
    }
  }
}
