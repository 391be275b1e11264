import Basics
import Crypto
import ParleyProtocol
package import Push

/// A device of a user, with the store's own number.
package struct StoredPushToken: Sendable, Hashable {
  package var id: Int64
  package var token: PushToken
}

extension StoredPushToken {
  /// Columns of a table or alias `t`.
  static let columns: StoreStatement = """
    t.token_id, t.type, t.name, t.public_key, t.secret, t.device_id, t.created_at, t.last_success_at
    """

  /// From `columns`; `nil` when an outer join found no token.
  ///
  /// - Parameter first: The place of the first of the columns.
  init?(row: StoreRow, from first: Int = 0) throws {
    guard let id: Int64 = row[first] else { return nil }
    guard let type = PushTokenType(stored: row[first + 1]),
      let address = PushAddress(name: row[first + 2], row[first + 3], row[first + 4])
    else { throw StoreError.damaged(path: "the table push_tokens", reason: "an unknown token") }
    self.id = id
    token = PushToken(
      type: type, address: address, deviceID: row[first + 5], createdAt: row[first + 6],
      lastSuccessAt: row[first + 7])
  }
}

extension PushTokenType {
  var stored: Int {
    switch self {
    case .web: 0
    case .apns: 1
    case .gcm: 2
    case .huawei: 3
    }
  }

  init?(stored: Int) {
    guard let type = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
    self = type
  }

  /// The key of a token in the store: names are longer than an index of PostgreSQL takes.
  func key(ofName name: String) -> String {
    TokenDigest(of: "\(rawValue)\n\(normalized(name))").hex
  }
}

extension PushAddress {
  /// - Parameters:
  ///   - publicKey: Of a browser, in base64url, as the next one; `nil` for another device.
  fileprivate init?(name: String, _ publicKey: String?, _ secret: String?) {
    guard let publicKey, let secret else {
      self = .token(name)
      return
    }
    guard let key = Base64URL.decode(publicKey.utf8), let secret = Base64URL.decode(secret.utf8)
    else { return nil }
    self = .subscription(WebPushSubscription(endpoint: name, publicKey: key, secret: secret))
  }

  /// The keys of a browser in base64url; `nil` for another device.
  var storedKeys: (publicKey: String, secret: String)? {
    switch self {
    case .token: nil
    case .subscription(let subscription):
      (Base64URL.encode(subscription.publicKey), Base64URL.encode(subscription.secret))
    }
  }
}
