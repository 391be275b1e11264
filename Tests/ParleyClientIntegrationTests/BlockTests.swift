import ParleyClient
import TestPeers
import TestSupport
import Testing

extension ClientTests {
  @Suite("blocks users")
  struct BlockTests {
    @Test("and lists them page by page")
    func list() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      for name in ["ben", "cleo", "dan"] { _ = try await server.client(name) }
      for name in ["dan", "ben", "cleo", "ben"] { try await ann.blockUser(userID: name) }
      let query = ann.createBlockedUserListQuery(limit: 2)
      #expect(try await query.loadNextPage().map(\.userID) == ["ben", "cleo"])
      #expect(query.hasNext)
      #expect(try await query.loadNextPage().map(\.userID) == ["dan"])
      #expect(!query.hasNext)
      for _ in 0..<2 { try await ann.unblockUser(userID: "ben") }
      let rest = try await ann.createBlockedUserListQuery().loadNextPage()
      #expect(rest.map(\.userID) == ["cleo", "dan"])
      for name in ["ann", "ghost"] {
        await #expect(throws: ParleyError.self) { try await ann.blockUser(userID: name) }
      }
      await withCheckedContinuation { continuation in
        ann.unblockUser(userID: "cleo") { error in
          #expect(error == nil)
          ann.blockUser(userID: "cleo") { error in
            #expect(error == nil)
            continuation.resume()
          }
        }
      }
    }

    @Test("whose messages in a group of two are not unread")
    func groups() async throws {
      let server = try ServerProcess(unlimited)
      let (ann, ben) = (try await server.client("ann"), try await server.client("ben"))
      let ofBen = try await ben.createGroupChannel(
        params: GroupChannelCreateParams(name: "Two", userIDs: ["ann"]))
      let ofAnn = try await ann.groupChannel(url: ofBen.url)
      try await ann.blockUser(userID: "ben")
      try await ofBen.sendUserMessage("one")
      try await Deadline.standard.wait(for: "the message") {
        ofAnn.lastMessage?.message == "one" && ofAnn.unreadMessageCount == 0
      }
      let members = try await ofAnn.createMemberListQuery().loadNextPage()
      #expect(members.filter(\.isBlockedByMe).map(\.userID) == ["ben"])
      let seen = try await ofBen.createMemberListQuery().loadNextPage()
      #expect(seen.filter(\.isBlockedByMe).isEmpty)
      try await ann.unblockUser(userID: "ben")
      try await ofBen.sendUserMessage("two")
      try await Deadline.standard.wait(for: "an unread message") {
        ofAnn.unreadMessageCount == 1
      }
    }
  }
}
