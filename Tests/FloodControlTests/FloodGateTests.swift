import Testing

@testable import FloodControl
import TestSupport

@Suite("Flood gate")
struct FloodGateTests {
  private let limit = RateLimit(count: 2, windowMilliseconds: 1000)

  @Test("every user has its own window")
  func separateUsers() {
    var gate = FloodGate<String>()
    for user in ["ann", "bob"] {
      #expect(gate.admit(user, at: 0, limit: limit) == nil)
      #expect(gate.admit(user, at: 0, limit: limit) == nil)
      #expect(gate.admit(user, at: 400, limit: limit)?.wait == 600)
    }
  }

  @Test("a message that was not sent is not counted")
  func retraction() {
    var gate = FloodGate<String>()
    _ = gate.admit("ann", at: 0, limit: limit)
    _ = gate.admit("ann", at: 10, limit: limit)
    gate.retract("ann", at: 10)
    gate.retract("bob", at: 10)
    #expect(gate.admit("ann", at: 20, limit: limit) == nil)
    #expect(gate.admit("ann", at: 20, limit: limit)?.wait == 980)
  }

  @Test("empty windows are removed eventually")
  func idleWindows() {
    var gate = FloodGate<Int>()
    for user in 0..<10_000 { _ = gate.admit(user, at: Int64(user) * 100, limit: limit) }
    #expect(gate.windowCount <= 64)
  }

  @Test("a full table refuses new users, serves existing ones, and accepts new users later")
  func capacity() {
    var gate = FloodGate<Int>(capacity: 4)
    for user in 0..<4 { #expect(gate.admit(user, at: 0, limit: limit) == nil) }
    #expect(gate.admit(4, at: 10, limit: limit)?.wait == 1000)
    #expect(gate.admit(3, at: 10, limit: limit) == nil)
    #expect(gate.windowCount == 4)
    #expect(gate.admit(4, at: 1010, limit: limit) == nil)
    #expect(gate.windowCount <= 4)
  }

  @Test("querying the usage returns what a message would get, and counts nothing")
  func usage() {
    var gate = FloodGate<Int>(capacity: 2)
    #expect(gate.usage(of: 1, at: 0, limit: limit) == WindowUsage())
    #expect(gate.windowCount == 0)
    _ = gate.admit(1, at: 0, limit: limit)
    #expect(gate.usage(of: 1, at: 5, limit: limit) == WindowUsage(used: 1))
    _ = gate.admit(1, at: 10, limit: limit)
    #expect(gate.usage(of: 1, at: 400, limit: limit) == WindowUsage(used: 2, wait: 600))
    #expect(gate.usage(of: 1, at: 1000, limit: limit) == WindowUsage(used: 1))
    _ = gate.admit(2, at: 400, limit: limit)
    #expect(gate.usage(of: 3, at: 500, limit: limit) == WindowUsage(wait: 1000))
    #expect(gate.admit(3, at: 500, limit: limit)?.wait == 1000)
    #expect(gate.usage(of: 3, at: 2000, limit: limit) == WindowUsage())
    let off = RateLimit(count: 0, windowMilliseconds: 1000)
    #expect(gate.usage(of: 1, at: 500, limit: off) == WindowUsage())
  }

  @Test("a disabled limit keeps no windows")
  func off() {
    var gate = FloodGate<Int>()
    let off = RateLimit(count: 0, windowMilliseconds: 1000)
    for user in 0..<100 { #expect(gate.admit(user, at: 0, limit: off) == nil) }
    #expect(gate.windowCount == 0)
  }

  @Test("sends and changes have separate windows, and share the byte budget")
  func activities() {
    var gate = FloodGate<String>()
    let rate = ByteRate(bytesPerSecond: 1_000, burst: 3_000)
    func admit(_ activity: FloodActivity, _ bytes: Int, at now: Int64) -> FloodRefusal? {
      gate.admit("ann", activity, bytes: bytes, at: now, limit: limit, rate: rate)
    }
    #expect(admit(.send, 500, at: 0) == nil)
    #expect(admit(.change, 500, at: 0) == nil)
    #expect(admit(.change, 500, at: 0) == nil)
    #expect(admit(.change, 0, at: 0) == FloodRefusal(.window(.change), wait: 1_000))
    #expect(admit(.send, 1_600, at: 0) == FloodRefusal(.bytes, wait: 100))
    #expect(admit(.send, 1_600, at: 100) == nil)
    #expect(gate.usage(of: "ann", .send, at: 100, limit: limit).used == 2)
    #expect(gate.usage(of: "ann", .change, at: 100, limit: limit).used == 2)
    gate.retract("ann", .send, bytes: 1_600, at: 100)
    #expect(admit(.send, 1_600, at: 100) == nil)
    gate.charge("ann", bytes: 1_000, at: 100, limit: limit, rate: rate)
    #expect(admit(.change, 0, at: 1_000) == FloodRefusal(.bytes, wait: 100))
    #expect(admit(.change, 0, at: 1_100) == nil)
  }

  @Test("bytes that count in no window are taken, returned, and refused when exhausted")
  func bytesAlone() {
    var gate = FloodGate<String>()
    let rate = ByteRate(bytesPerSecond: 1_000, burst: 3_000)
    func admit(_ bytes: Int, at now: Int64) -> FloodRefusal? {
      gate.admitBytes(bytes, of: "ann", at: now, limit: limit, rate: rate)
    }
    for _ in 0..<6 { #expect(admit(500, at: 0) == nil) }
    #expect(admit(500, at: 0) == FloodRefusal(.bytes, wait: 500))
    gate.putBack(500, of: "ann")
    gate.putBack(500, of: "bob")
    #expect(admit(500, at: 0) == nil)
    #expect(gate.usage(of: "ann", .send, at: 0, limit: limit).used == 0)
    #expect(gate.usage(of: "ann", .change, at: 0, limit: limit).used == 0)
  }

  @Test("a charge counts even if the user's entry was removed since the admission")
  func lateCharges() {
    var gate = FloodGate<String>()
    let rate = ByteRate(bytesPerSecond: 1_000, burst: 3_000)
    #expect(gate.admitBytes(500, of: "ann", at: 0, limit: limit, rate: rate) == nil)
    for user in 0..<40 {
      _ = gate.admit("\(user)", bytes: 1, at: 10_000, limit: limit, rate: rate)
    }
    gate.charge("ann", bytes: 4_000, at: 10_000, limit: limit, rate: rate)
    #expect(
      gate.admitBytes(0, of: "ann", at: 10_000, limit: limit, rate: rate)
        == FloodRefusal(.bytes, wait: 1_000))
  }

  @Test("a restored send counts, but takes no bytes")
  func restoration() {
    var gate = FloodGate<String>()
    gate.restore("ann", at: 100, limit: limit)
    gate.restore("ann", at: 300, limit: limit)
    #expect(gate.admit("ann", at: 400, limit: limit)?.wait == 700)
    #expect(gate.admit("ann", .change, at: 400, limit: limit) == nil)
    #expect(gate.admit("ann", at: 1_100, limit: limit) == nil)
  }

  @Test("removing windows changes no result", arguments: 1...5)
  func againstRule(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var gate = FloodGate<Int>()
    var naive: [Int: NaiveWindow] = [:]
    var now: Int64 = 0
    var mismatches = 0
    for _ in 0..<3000 {
      now += Int64.random(in: 0...40, using: &random)
      let user = Int.random(in: 0..<60, using: &random)
      let expected = naive[user, default: NaiveWindow()].wait(at: now, limit)
      if expected == nil { naive[user, default: NaiveWindow()].record(at: now, limit) }
      mismatches += gate.admit(user, at: now, limit: limit)?.wait == expected ? 0 : 1
    }
    #expect(mismatches == 0, "seed \(seed)")
  }
}
