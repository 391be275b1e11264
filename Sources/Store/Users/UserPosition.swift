import ParleyProtocol

/// Where a page of users ended.
///
///     created_at: 8 bytes | nickname | 0 | user id
struct UserPosition {
  let createdAt: Int64
  /// In lower case; empty when the order does not depend on it.
  let nickname: String
  let userID: String

  /// The place of a user in the order of age.
  init(byAge account: Account) {
    createdAt = account.createdAt
    nickname = ""
    userID = account.user.id
  }

  /// The place of a user in the order of nicknames.
  init(byNickname account: Account) {
    createdAt = account.createdAt
    nickname = account.user.nickname.lowercased()
    userID = account.user.id
  }

  /// - Throws: `StoreError.invalidPageToken`.
  init(bytes: [UInt8]) throws(StoreError) {
    let names = bytes.dropFirst(8)
    guard let end = names.firstIndex(of: 0) else { throw .invalidPageToken }
    createdAt = Int64(bigEndianBytes: bytes.prefix(8))
    nickname = String(decoding: names[..<end], as: UTF8.self)
    userID = String(decoding: names[(end + 1)...], as: UTF8.self)
  }

  /// Texts in the database hold no U+0000, so it can keep them apart.
  var bytes: [UInt8] {
    createdAt.bigEndianBytes + Array(nickname.utf8) + [0] + Array(userID.utf8)
  }
}
