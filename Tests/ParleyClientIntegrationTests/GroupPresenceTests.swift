import ParleyClient
import TestPeers
import TestSupport
import Testing

extension ClientTests {
  @Suite("sees which members of a group are online")
  struct GroupPresenceTests {
    @Test("in a group that it reads, and in lists of members")
    func presence() async throws {
      let server = try ServerProcess(unlimited)
      let (ann, ben) = (try await server.client("ann"), try await server.client("ben"))
      let trip = try await ann.createGroupChannel(
        params: GroupChannelCreateParams(name: "Trip", userIDs: ["ben"]))
      func seen(_ userID: String) -> Member? { trip.members.first { $0.userID == userID } }
      #expect(seen("ann")?.isOnline == true && seen("ben")?.isOnline == true)
      #expect(seen("ben")?.lastSeenAt == 0)
      await ben.disconnect()
      try await Deadline.standard.wait(for: "ben's end") {
        try await trip.refresh()
        return seen("ben")?.isOnline == false && seen("ben")?.lastSeenAt ?? 0 > 0
      }
      let listed = try await trip.createMemberListQuery().loadNextPage()
      for member in [seen("ben"), listed.first { $0.userID == "ben" }] {
        #expect(member?.isOnline == false && member?.lastSeenAt ?? 0 > 0)
      }
      #expect(seen("ann")?.isOnline == true && seen("ann")?.lastSeenAt == 0)
    }
  }
}
