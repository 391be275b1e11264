import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Choices about pushes in the store", .serialized, .onOwnThreads)
struct PushChoiceStoreTests {
  private static let stores = PushFixture.stores

  @Test("preferences are kept in full, and reset to the defaults", arguments: stores)
  func preferences(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    let lookup = PushPreferencesLookup(of: "ann")
    #expect(try await fixture.store.perform(lookup) == PushPreferences())
    var change = PushPreferencesChange()
    change.trigger = .mentionOnly
    change.schedules = [
      DayDoNotDisturb(day: .monday, windows: [DayWindow(start: 5, end: 90), DayWindow()]),
      DayDoNotDisturb(day: .sunday, windows: []),
    ]
    (change.timeZone, change.sound) = ("Europe/Berlin", "ping")
    (change.isSnoozeEnabled, change.snoozeStart, change.snoozeEnd) = (true, 5, 9)
    change.template = .alternative
    let changed = try await fixture.store.perform(PushPreferencesUpdate(change, of: "ann"))
    #expect(changed == change.applied(to: PushPreferences()))
    #expect(changed.schedules.count == 2)
    #expect(try await fixture.store.perform(lookup) == changed)
    var next = PushPreferencesChange()
    next.doNotDisturb = true
    (next.startHour, next.endMinute) = (22, 30)
    let last = try await fixture.store.perform(PushPreferencesUpdate(next, of: "ann"))
    #expect(last == next.applied(to: changed))
    #expect(try await fixture.store.perform(lookup) == last)
    #expect(
      try await fixture.store.perform(PushPreferencesReset(of: "ann")) == PushPreferences())
    #expect(try await fixture.store.perform(lookup) == PushPreferences())
    await #expect(throws: StoreError.noUser("none")) {
      try await fixture.store.perform(PushPreferencesUpdate(next, of: "none"))
    }
    await #expect(throws: StoreError.noUser("none")) {
      try await fixture.store.perform(PushPreferencesReset(of: "none"))
    }
    await #expect(throws: StoreError.noUser("none")) {
      try await fixture.store.perform(PushPreferencesLookup(of: "none"))
    }
  }

  @Test("members choose for their group, and begin with the default again", arguments: stores)
  func triggers(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    let den = fixture.den
    func trigger(of userID: String) async throws -> ChannelPushTriggerOption {
      try await fixture.log.member(userID, of: den).pushTrigger
    }
    func choose(_ option: ChannelPushTriggerOption, for userID: String) async -> LogResult {
      await fixture.log.changeOwn(.preferPushes(option, counting: nil), of: userID, in: den)
    }
    #expect(try await trigger(of: "bob") == .default)
    for option in ChannelPushTriggerOption.allCases.reversed() {
      #expect(await choose(option, for: "bob").own?.pushTrigger == option)
      #expect(try await trigger(of: "bob") == option)
    }
    #expect(await choose(.off, for: "bob").error == nil)
    #expect(try await trigger(of: "cy") == .default)
    for userID in ["dan", "eve"] {
      #expect(await choose(.off, for: userID).error == .missing(.member))
    }
    let left = await fixture.log.change(fixture.den, .depart(["bob"], .left))
    #expect(left.changes != nil)
    let back = await fixture.log.change(fixture.den, .invite(["bob"], by: nil))
    #expect(back.changes != nil)
    #expect(try await trigger(of: "bob") == .default)
  }
}
