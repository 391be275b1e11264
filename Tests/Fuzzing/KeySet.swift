import Basics
import Crypto
@testable import ParleyProtocol

/// Reads any text as a key set, and makes its keys.
///
/// Keys that are made fit the algorithms of their issuer, verify no foreign signature, and together with
/// those that are left out they are all of the set.
enum KeySetHarness: Harness {
  private static let issuer = TokenIssuer(
    "https://id.example.com", algorithms: SignatureAlgorithm.allCases)

  static func run(_ input: [UInt8]) {
    guard let set = try? KeySet(input) else { return }
    precondition(set.keys.count + set.ignored.count <= KeySet.keyLimit)
    for (_, key) in set.keys {
      precondition(!key.algorithms.isEmpty)
      precondition((key.keyID?.utf8.count ?? 0) <= KeySet.keyIDByteLimit)
    }
    guard let (keys, ignored) = try? IssuerKeys.make(set, for: issuer) else { return }
    let indices = set.keys.map(\.index) + set.ignored.map(\.index)
    precondition(Set(indices).count == indices.count, "a key is read twice")
    precondition(keys.count + ignored.count == indices.count, "a key is neither used nor left out")
    for (_, key) in set.keys.prefix(3) {
      for algorithm in key.algorithms { verify(keys, key.keyID, algorithm) }
    }
  }

  /// Verifies a token that no key has signed.
  private static func verify(_ keys: IssuerKeys, _ id: String?, _ algorithm: SignatureAlgorithm) {
    let header = JSONWriter.bytes {
      $0.object {
        $0.member("alg", algorithm.rawValue)
        $0.member("kid", ifKnown: id)
      }
    }
    let claims = #"{"iss":"https://id.example.com","sub":"jeff","exp":200}"#
    let signature = [UInt8](repeating: 1, count: algorithm == .es384 ? 96 : 64)
    let text = [header, Array(claims.utf8), signature].map { Base64URL.encode($0) }
      .joined(separator: ".")
    guard let token = try? CompactToken(text) else { preconditionFailure("no token") }
    precondition(
      (try? keys.verify(token, user: "jeff", now: 100)) == nil, "a token without a signature")
  }
}
