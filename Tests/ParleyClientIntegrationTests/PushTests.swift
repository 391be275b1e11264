import ParleyClient
import TestPeers
import Testing

extension ClientTests {
  @Suite("is pushed to")
  struct PushTests {
    /// A server whose pushes go to a service that is not there.
    private func server() throws -> ServerProcess {
      try ServerProcess(
        unlimited + [
          "--push-url", "http://127.0.0.1:9/", "--push-url-types", "apns,gcm",
          "--push-secret", "sixteen bytes and more",
        ])
    }

    @Test("on the devices that it registered, until it removes them")
    func devices() async throws {
      let server = try server()
      let ann = try await server.client("ann")
      #expect(ann.features?.push?.types == [.apns, .gcm] && ann.features?.push?.webKey == nil)
      try await ann.registerDevicePushToken((0..<32 as Range<UInt8>), deviceID: "phone")
      try await ann.registerPushToken("one-12345678", type: .gcm)
      let tokens = try await ann.pushTokens()
      #expect(tokens.map(\.type) == [.apns, .gcm])
      #expect(tokens.map(\.tokenSuffix) == ["1c1d1e1f", "12345678"])
      #expect(tokens.map(\.deviceID) == ["phone", ""])
      #expect(tokens.allSatisfy { $0.createdAt > 0 && $0.lastSuccessAt == 0 })
      try await ann.registerPushToken("two-87654321", type: .gcm, unique: true)
      #expect(try await ann.pushTokens().map(\.tokenSuffix) == ["1c1d1e1f", "87654321"])
      try await ann.unregisterPushToken((0..<32 as Range<UInt8>))
      try await ann.unregisterPushToken("never", type: .gcm)
      #expect(try await ann.pushTokens().map(\.type) == [.gcm])
      let error = await withCheckedContinuation { continuation in
        ann.unregisterAllPushToken { continuation.resume(returning: $0) }
      }
      #expect(error == nil)
      #expect(try await ann.pushTokens() == [])
      await #expect(throws: ParleyError.self) {
        try await ann.registerPushToken("t", type: .huawei)
      }
    }

    @Test("as it has chosen, for all groups and for one")
    func choices() async throws {
      let server = try server()
      let ann = try await server.client("ann")
      #expect(try await ann.getPushTriggerOption() == .all)
      try await ann.setPushTriggerOption(.mentionOnly)
      try await ann.setPushSound("bell")
      try await ann.setPushTemplate(name: .alternative)
      try await ann.setSnoozePeriod(enabled: true, startTimestamp: 5, endTimestamp: 9)
      try await ann.setDoNotDisturb(
        enable: true, startHour: 22, startMin: 30, endHour: 6, endMin: 15,
        timezone: "Europe/Berlin")
      #expect(try await ann.getPushTriggerOption() == .mentionOnly)
      #expect(try await ann.getPushSound() == "bell")
      let template = await withCheckedContinuation { continuation in
        ann.getPushTemplate { template, _ in continuation.resume(returning: template) }
      }
      #expect(template == .alternative)
      let snooze = try await ann.getSnoozePeriod()
      #expect(snooze.isEnabled && snooze.startTimestamp == 5 && snooze.endTimestamp == 9)
      let window = try await ann.getDoNotDisturb()
      #expect(window.isEnabled && window.timezone == "Europe/Berlin")
      #expect(
        [window.startHour, window.startMin, window.endHour, window.endMin] == [22, 30, 6, 15])
      do {
        try await ann.setDoNotDisturb(
          enable: true, startHour: 1, startMin: 0, endHour: 2, endMin: 0, timezone: "Mars/Base")
        Issue.record("a time zone that does not exist was accepted")
      } catch {
        guard case .refused(400111, _, "timezone") = error else { throw error }
      }
      let group = try await ann.createGroupChannel(
        params: GroupChannelCreateParams(name: "One", userIDs: []))
      #expect(group.myPushTriggerOption == .default)
      try await group.setMyPushTriggerOption(.off)
      #expect(group.myPushTriggerOption == .off && group.myCountPreference == .all)
    }

    @Test("while its application is in the background")
    func background() async throws {
      let ann = try await server().client("ann")
      try await ann.setBackground(true)
      let error = await withCheckedContinuation { continuation in
        ann.setBackground(false) { continuation.resume(returning: $0) }
      }
      #expect(error == nil)
    }
  }
}
