import ParleyProtocol
import Store

extension Account {
  /// Writes the user as the Platform API shows it: its time in seconds.
  ///
  /// - Parameter token: What was issued by this very request.
  func encode(token: IssuedSecret?, onlineIDs: Set<String>, into writer: inout JSONWriter) {
    let isOnline = onlineIDs.contains(user.id)
    writer.object {
      $0.member("user_id", user.id)
      $0.member("nickname", user.nickname)
      $0.member("profile_url", user.profileURL)
      $0.member("access_token", token?.text ?? "")
      $0.member("is_active", isActive)
      $0.member("is_online", isOnline)
      $0.member("last_seen_at", isOnline ? 0 : lastSeenAt)
      $0.member("metadata", user.metadata)
      $0.member("created_at", createdAt / 1000)
    }
  }
}

extension Account {
  /// Bytes of an answer, whether the user is online or not.
  var maximumByteCount: Int {
    let offline = JSONWriter.bytes { encode(token: nil, onlineIDs: [], into: &$0) }
    return offline.count
  }
}

extension ListPage<Account> {
  func encoded(onlineIDs: Set<String>) -> [UInt8] {
    JSONWriter.bytes(reserving: items.count * 256 + 64) { writer in
      writer.object {
        $0.member(
          "users",
          array: {
            for account in items { account.encode(token: nil, onlineIDs: onlineIDs, into: &$0) }
          })
        $0.member("next", next)
      }
    }
  }
}
