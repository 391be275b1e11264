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
      try await patiently {
        try await ann.registerDevicePushToken((0..<32 as Range<UInt8>), deviceID: "phone")
      }
      try await patiently { try await ann.registerPushToken("one-12345678", type: .gcm) }
      let tokens = try await patiently { try await ann.pushTokens() }
      #expect(tokens.map(\.type) == [.apns, .gcm])
      #expect(tokens.map(\.tokenSuffix) == ["1c1d1e1f", "12345678"])
      #expect(tokens.map(\.deviceID) == ["phone", ""])
      #expect(tokens.allSatisfy { $0.createdAt > 0 && $0.lastSuccessAt == 0 })
      try await patiently {
        try await ann.registerPushToken("two-87654321", type: .gcm, unique: true)
      }
      #expect(
        try await patiently { try await ann.pushTokens() }.map(\.tokenSuffix) == [
          "1c1d1e1f", "87654321",
        ])
      try await patiently { try await ann.unregisterPushToken((0..<32 as Range<UInt8>)) }
      try await patiently { try await ann.unregisterPushToken("never", type: .gcm) }
      #expect(try await patiently { try await ann.pushTokens() }.map(\.type) == [.gcm])
      try await patiently {
        let error = await withCheckedContinuation { continuation in
          ann.unregisterAllPushToken { continuation.resume(returning: $0) }
        }
        if let error { throw error }
      }
      #expect(try await patiently { try await ann.pushTokens() } == [])
      await #expect(throws: ParleyError.self) {
        try await patiently { try await ann.registerPushToken("t", type: .huawei) }
      }
    }

    @Test("as it has chosen, for all groups and for one")
    func choices() async throws {
      let server = try server()
      let ann = try await server.client("ann")
      #expect(try await patiently { try await ann.getPushTriggerOption() } == .all)
      try await patiently { try await ann.setPushTriggerOption(.mentionOnly) }
      try await patiently { try await ann.setPushSound("bell") }
      try await patiently { try await ann.setPushTemplate(name: .alternative) }
      try await patiently {
        try await ann.setSnoozePeriod(enabled: true, startTimestamp: 5, endTimestamp: 9)
      }
      try await patiently {
        try await ann.setDoNotDisturb(
          enable: true, startHour: 22, startMin: 30, endHour: 6, endMin: 15,
          timezone: "Europe/Berlin")
      }
      #expect(try await patiently { try await ann.getPushTriggerOption() } == .mentionOnly)
      #expect(try await patiently { try await ann.getPushSound() } == "bell")
      let template = try await patiently {
        let result = await withCheckedContinuation { continuation in
          ann.getPushTemplate { continuation.resume(returning: ($0, $1)) }
        }
        if let error = result.1 { throw error }
        return result.0
      }
      #expect(template == .alternative)
      let snooze = try await patiently { try await ann.getSnoozePeriod() }
      #expect(snooze.isEnabled && snooze.startTimestamp == 5 && snooze.endTimestamp == 9)
      let window = try await patiently { try await ann.getDoNotDisturb() }
      #expect(window.isEnabled && window.timezone == "Europe/Berlin")
      #expect(
        [window.startHour, window.startMin, window.endHour, window.endMin] == [22, 30, 6, 15])
      do {
        try await patiently {
          try await ann.setDoNotDisturb(
            enable: true, startHour: 1, startMin: 0, endHour: 2, endMin: 0, timezone: "Mars/Base")
        }
        Issue.record("a time zone that does not exist was accepted")
      } catch ParleyError.refused(400111, _, "timezone") {
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

/// Repeats a call that was one of too many.
private func patiently<Value>(_ call: () async throws -> Value) async throws -> Value {
  while true {
    do { return try await call() } catch ParleyError.rateLimited(let wait) {
      try await Task.sleep(for: wait)
    }
  }
}
