import TestSupport
import Testing
import Uploads

@testable import Gateway
@testable import Store

@Suite("Uploads at server start", .onOwnThreads)
struct UploadStartTests {
  @Test("claims of the previous process have expired before the first request")
  func claims() throws {
    let driven = try DrivenShard()
    let id = String(repeating: "a", count: 32)
    try driven.write { transaction in
      try transaction.connection.execute(
        """
        INSERT INTO uploads (file_id, secret_hash, user_id, stage, name, type, size, created_at,
          expires_at, claimed_until, base)
        VALUES (?, X'01', 'ann', 'open', '', '', 9, 1, 99, 98, '')
        """, [id])
    }
    let services = driven.shard.services
    let held = try services.store.performNow(UploadLookup(id))
    #expect(held?.claimedUntil == 98)
    services.uploads.start(isAlone: true)
    let free = try services.store.performNow(UploadLookup(id))
    #expect(free?.claimedUntil == 0)
  }
}
