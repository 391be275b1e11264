import Basics

/// Where a page of users ended.
///
///     created_at: 8 bytes | nickname | 0 | user id
struct UserPosition: PagePosition {
  let createdAt: Int64
  /// Case-folded; empty when the order does not depend on it.
  let nickname: String
  let userID: String

  init(createdAt: Int64, nickname: String, userID: String) {
    self.createdAt = createdAt
    self.nickname = nickname
    self.userID = userID
  }

  init?(positionBytes bytes: [UInt8]) {
    let names = bytes.dropFirst(8)
    guard let createdAt = Int64(bigEndianBytes: bytes.prefix(8)),
      let end = names.firstIndex(of: 0)
    else { return nil }
    self.createdAt = createdAt
    nickname = String(decoding: names[..<end], as: UTF8.self)
    userID = String(decoding: names[(end + 1)...], as: UTF8.self)
  }

  /// Texts in the database hold no U+0000, so it can keep them apart.
  var positionBytes: [UInt8] {
    createdAt.bigEndianBytes + Array(nickname.utf8) + [0] + Array(userID.utf8)
  }
}
