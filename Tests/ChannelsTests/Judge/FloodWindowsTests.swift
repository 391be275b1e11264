import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Flood windows of a channel")
struct FloodWindowsTests {
  private var windows = FloodWindows(limit: RateLimit(count: 2, windowMilliseconds: 1_000))

  private mutating func refusal(
    _ activity: FloodActivity, bytes: Int = 0, at now: Int64
  ) -> ServiceError? {
    do throws(ServiceError) {
      _ = try windows.takePlace(of: "ann", activity, bytes: bytes, at: now)
      return nil
    } catch { return error }
  }

  @Test("sends and changes have separate windows and separate errors")
  mutating func activities() throws {
    for time in [Int64(0), 100] { #expect(refusal(.send, at: time) == nil) }
    let sends = try #require(refusal(.send, at: 300))
    #expect(sends == .flood(retryAfter: 700, limit: 2, window: 1_000))
    for time in [Int64(300), 400] { #expect(refusal(.change, at: time) == nil) }
    let changes = try #require(refusal(.change, at: 400))
    #expect(changes == .changeFlood(retryAfter: 900, limit: 2, window: 1_000))
    #expect(sends.data.scope == "user_channel")
  }

  @Test("a released window entry is free again; releasing none changes nothing")
  mutating func givesBack() throws {
    let place = try windows.takePlace(of: "ann", .send, bytes: 0, at: 0)
    #expect(refusal(.send, at: 0) == nil)
    #expect(refusal(.send, at: 0) != nil)
    windows.giveBack(nil)
    #expect(windows.usage(of: "ann", .send, at: 0).used == 2)
    windows.giveBack(place)
    #expect(windows.usage(of: "ann", .send, at: 0).used == 1)
  }

  @Test("bytes beyond the budget are refused, with the byte rate as the limit")
  mutating func bytes() throws {
    #expect(refusal(.send, bytes: 130_000, at: 0) == nil)
    let error = try #require(refusal(.change, bytes: 10_000, at: 0))
    #expect(error.code == .flood && error.data.limit == 65_536)
    #expect(error.data.windowMilliseconds == 1_000)
  }

  @Test("an event larger than estimated is charged, beyond a tolerance")
  mutating func settles() throws {
    let place = try #require(try windows.takePlace(of: "ann", .send, bytes: 0, at: 0))
    windows.settle(place, bytes: place.bytes + 1_024, at: 0)
    #expect(refusal(.send, bytes: 128_000, at: 0) == nil)
    let other = try windows.takePlace(of: "ben", .send, bytes: 0, at: 0)
    windows.settle(other, bytes: 130_000, at: 0)
    #expect(throws: ServiceError.self) {
      try windows.takePlace(of: "ben", .send, bytes: 10_000, at: 0)
    }
    windows.settle(nil, bytes: 1_000_000, at: 0)
  }

  @Test("a bytes-only reservation counts in no window, and can be settled and released")
  mutating func bytesAlone() throws {
    let place = try #require(try windows.takeBytes(of: "ann", at: 0))
    for activity in FloodActivity.allCases {
      #expect(windows.usage(of: "ann", activity, at: 0).used == 0)
    }
    #expect(windows.wait(toMove: place, at: 5_000) == nil)
    windows.settle(place, bytes: 140_000, at: 0)
    #expect(throws: ServiceError.self) { try windows.takeBytes(of: "ann", at: 0) }
    // In no window there is a place to give back: only the bytes are.
    for _ in 0..<2 { #expect(refusal(.send, at: 10_000) == nil) }
    windows.giveBack(place)
    #expect(windows.usage(of: "ann", .send, at: 10_000).used == 2)
    windows.limit = RateLimit(count: 0, windowMilliseconds: 1_000)
    let none = try windows.takeBytes(of: "ann", at: 0)
    #expect(none == nil)
  }

  @Test("sends of an earlier epoch count, in their order")
  mutating func restores() {
    windows.restore("ann", at: 100)
    windows.restore("ann", at: 200)
    #expect(windows.usage(of: "ann", .send, at: 900).used == 2)
    #expect(refusal(.send, at: 1_099) != nil)
    #expect(refusal(.send, at: 1_100) == nil)
  }

  @Test("a disabled limit lets everything through; an enabled one applies immediately")
  mutating func limits() {
    windows.limit = RateLimit(count: 0, windowMilliseconds: 1_000)
    for _ in 0..<99 { #expect(refusal(.send, bytes: 60_000, at: 0) == nil) }
    windows.limit = RateLimit(count: 1, windowMilliseconds: 1_000)
    #expect(refusal(.send, at: 0) == nil)
    #expect(refusal(.send, at: 0) != nil)
  }

  @Test("the size of a draft includes everything that its sender provides")
  func sizes() {
    let draft = MessageDraft(
      text: "täg", data: "1234", customType: "ab", mentionedUserIDs: ["x"],
      metaArrays: [MetaArray(key: "k", values: ["vv", "w"])])
    #expect(draft.byteCount == 4 + 4 + 2 + 256 + 1 + 5 + 4)
    #expect(MessageChanges(text: "ab", data: "c").byteCount == 3)
  }
}
