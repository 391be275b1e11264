internal import Basics

/// A provider's public keys as published at its URL: a JWK Set (RFC 7517 §5).
///
/// A key that cannot be used is left out, as §5 asks, so that a provider may add new kinds of key.
package struct KeySet: Sendable {
  /// The largest document, in bytes.
  package static let byteLimit = 262_144
  /// The maximum number of keys, including those that cannot be used.
  package static let keyLimit = 100
  /// The longest `kid`, of a key and of a token, in bytes.
  package static let keyIDByteLimit = 256
  private static let limits = JSONLimits(byteCount: byteLimit, depth: 12, nodeCount: 10_000)

  /// A key of the set that is not used.
  package struct Ignored: Sendable, Hashable {
    /// The position in `keys`, from 0.
    package let index: Int
    package let keyID: String?
    package let reason: String

    package init(index: Int, keyID: String?, reason: String) {
      self.index = index
      self.keyID = keyID
      self.reason = reason
    }
  }

  /// The keys with their positions in the document.
  package private(set) var keys: [(index: Int, key: JSONWebKey)] = []
  package private(set) var ignored: [Ignored] = []

  /// Parses a document from the network.
  package init(_ bytes: [UInt8]) throws(KeySetError) {
    guard bytes.count <= Self.byteLimit else { throw .tooLarge }
    let root: JSONNode
    do {
      root = try JSONDocument(bytes, limits: Self.limits).root
    } catch {
      throw .notJSON("\(error)")
    }
    guard let list = root["keys"], list.kind == .array else { throw .noList }
    let nodes = Array(list.elements)
    guard nodes.count <= Self.keyLimit else { throw .tooManyKeys(nodes.count) }
    for (index, node) in nodes.enumerated() {
      do throws(JSONWebKey.Fault) {
        keys.append((index, try JSONWebKey(node)))
      } catch {
        let id = try? JSONWebKey.keyID(of: node)
        ignored.append(Ignored(index: index, keyID: id, reason: error.reason))
      }
    }
  }
}

/// The reason why a whole key set is not used.
package enum KeySetError: Error, Sendable, Hashable {
  /// Larger than ``KeySet/byteLimit``.
  case tooLarge
  case notJSON(String)
  /// Not an object with the array `keys`.
  case noList
  /// More than ``KeySet/keyLimit``.
  case tooManyKeys(Int)
  /// No key of the set can be used, for the given reason of the first.
  case noUsableKey(String?)
}

extension KeySetError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooLarge: "the key set is larger than \(KeySet.byteLimit) bytes"
    case .notJSON(let reason): "the key set is not acceptable as JSON: \(reason)"
    case .noList: "the key set is not an object with an array 'keys'"
    case .tooManyKeys(let count):
      "the key set has \(count) keys, more than \(KeySet.keyLimit)"
    case .noUsableKey(nil): "the key set has no keys"
    case .noUsableKey(let reason?): "no key of the set can be used; the first: \(reason)"
    }
  }
}
