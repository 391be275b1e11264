import ParleyClient
import TestPeers
import TestSupport
import Testing

extension ClientTests {
  @Suite("chooses for all groups")
  struct PreferenceTests {
    @Test("whether the user joins as soon as it is invited")
    func invitations() async throws {
      let server = try ServerProcess(unlimited)
      let (ann, ben) = (try await server.client("ann"), try await server.client("ben"))
      #expect(try await ann.getChannelInvitationPreference())
      try await ann.setChannelInvitationPreference(autoAccept: false)
      #expect(try await !ann.getChannelInvitationPreference())
      let group = try await ben.createGroupChannel(
        params: GroupChannelCreateParams(name: "Two", userIDs: ["ann"]))
      #expect(group.joinedMemberCount == 1 && group.memberCount == 2)
      let accepts = await withCheckedContinuation { continuation in
        ann.setChannelInvitationPreference(autoAccept: true) { error in
          #expect(error == nil)
          ann.getChannelInvitationPreference { accepts, _ in continuation.resume(returning: accepts)
          }
        }
      }
      #expect(accepts == true)
    }

    @Test("whether the user sends read receipts, where the server permits it")
    func receipts() async throws {
      let ordinary = try ServerProcess(unlimited)
      let strict = try await ordinary.client("ann")
      #expect(try await strict.getReadReceiptPreference())
      do {
        try await strict.setReadReceiptPreference(sendsReceipts: false)
        Issue.record("private reads were permitted")
      } catch {
        guard case .refused(400111, _, let field) = error else { throw error }
        #expect(field == "send_read_receipts")
      }
      let server = try ServerProcess(unlimited + ["--groups-private-reads", "true"])
      let ann = try await server.client("ann")
      try await ann.setReadReceiptPreference(sendsReceipts: false)
      #expect(try await !ann.getReadReceiptPreference())
      let sends = await withCheckedContinuation { continuation in
        ann.setReadReceiptPreference(sendsReceipts: true) { error in
          #expect(error == nil)
          ann.getReadReceiptPreference { sends, _ in continuation.resume(returning: sends) }
        }
      }
      #expect(sends == true)
    }
  }
}
