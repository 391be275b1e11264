import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("The window of a user over all channels")
struct UserFloodTests {
  private let limit = RateLimit(count: 2, windowMilliseconds: 1_000)

  @Test("admits as many messages as the limit, and has room for those that are given back")
  func window() throws {
    let clock = Atomic<Int64>(0)
    let window = UserSendWindow { clock.load(ordering: .relaxed) }
    let first = try window.take(limit: limit)
    clock.store(400, ordering: .relaxed)
    let second = try window.take(limit: limit)
    do throws(ServiceError) {
      _ = try window.take(limit: limit)
      Issue.record("a third message has a place")
    } catch {
      #expect(error.code == .flood && error.data.scope == "user")
      #expect(error.data.limit == 2 && error.data.windowMilliseconds == 1_000)
      #expect(error.data.retryAfterMilliseconds == 600)
    }
    window.giveBack(second)
    #expect(try window.take(limit: limit) == 400)
    clock.store(1_000, ordering: .relaxed)
    #expect(try window.take(limit: limit) == 1_000)
    window.giveBack(first)
    #expect(throws: ServiceError.self) { try window.take(limit: limit) }
  }

  @Test("is one for all sessions of a user, and outlives them until it is empty")
  func register() throws {
    let flood = UserFlood()
    let wide = RateLimit(count: 1, windowMilliseconds: 3_600_000)
    let window = flood.join("ann", limit: wide)
    #expect(flood.join("ann", limit: wide) === window)
    #expect(flood.join("ben", limit: wide) !== window)
    _ = try window.take(limit: wide)
    window.leave()
    window.leave()
    // Others come and go, so that unused windows are dropped.
    for number in 0..<3_000 { flood.join("user-\(number)", limit: wide).leave() }
    #expect(flood.windowCount < 2_000)
    #expect(flood.join("ann", limit: wide) === window)
    let refusal = #expect(throws: ServiceError.self) { try flood.take(of: "ann", limit: wide) }
    #expect(refusal?.code == .flood)
    #expect(throws: Never.self) { try flood.take(of: "cleo", limit: wide) }
    #expect(throws: ServiceError.self) { try flood.take(of: "cleo", limit: wide) }
  }

  @Test("is shared by threads, which never exceed the limit together")
  func threads() async throws {
    let flood = UserFlood()
    let wide = RateLimit(count: 100, windowMilliseconds: 3_600_000)
    let admitted = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<100).filter { _ in (try? flood.take(of: "ann", limit: wide)) != nil }.count
        }
      }
      return await group.reduce(0, +)
    }
    #expect(admitted == 100)
  }

  @Test("keeps no place of a send that was refused or repeated, and ignores other calls")
  func sends() throws {
    let window = UserSendWindow { 5 }
    window.join()
    let sends = SessionSends(of: "ann", window, Quotas(Settings().limits.quotas) { 5 })
    let tickets = (0..<4).map { CallTicket(unit: $0, index: 0) }
    try sends.take(for: tickets[0], limit: limit)
    try sends.take(for: tickets[1], limit: limit)
    #expect(throws: ServiceError.self) { try sends.take(for: tickets[2], limit: limit) }
    sends.end(tickets[2], .failure(.overCapacity))
    #expect(throws: ServiceError.self) { try sends.take(for: tickets[3], limit: limit) }
    sends.end(tickets[0], .failure(.notInChannel("lobby")))
    try sends.take(for: tickets[2], limit: limit)
    // It may have been stored.
    sends.end(tickets[1], .failure(.outcomeIsUnknown))
    #expect(throws: ServiceError.self) { try sends.take(for: tickets[3], limit: limit) }
    sends.giveBack(tickets[2])
    sends.end(tickets[2], .empty)
    try sends.take(for: tickets[3], limit: limit)
    sends.end(tickets[3], .empty)
    #expect(throws: ServiceError.self) { try sends.take(for: tickets[0], limit: limit) }
  }
}
