import TestSupport
import Testing

@testable import Channels

@Suite("Presence pacer")
struct PresencePacerTests {
  @Test("an exit and re-entry within a second is not published")
  func settles() {
    var pacer = PresencePacer<Int>()
    #expect(pacer.change("ann", isPresent: true, 1, at: 0) == true)
    #expect(pacer.change("ann", isPresent: false, 2, at: 100) == false)
    #expect(pacer.change("ann", isPresent: true, 3, at: 200) == false)
    #expect(pacer.due == 1_000)
    #expect(pacer.take(at: 999) { _ in true }.isEmpty)
    #expect(pacer.due == 1_000)
    #expect(pacer.take(at: 1_000) { _ in true }.isEmpty)
    #expect(pacer.due == nil && pacer.userCount == 0)
  }

  @Test("a changed state is published at the end of the second, with the last change")
  func follows() {
    var pacer = PresencePacer<Int>()
    _ = pacer.change("ann", isPresent: true, 1, at: 0)
    _ = pacer.change("ann", isPresent: false, 2, at: 100)
    #expect(pacer.change("bob", isPresent: true, 3, at: 150) == true)
    let taken = pacer.take(at: 1_000) { _ in false }
    #expect(taken.map(\.subject) == [2] && taken.map(\.isPresent) == [false])
    #expect(pacer.change("ann", isPresent: true, 4, at: 1_100) == false)
    #expect(pacer.due == 2_000)
    #expect(pacer.take(at: 2_000) { _ in true }.map(\.subject) == [4])
    #expect(pacer.change("ann", isPresent: false, 5, at: 3_000) == true)
  }

  @Test("a reverted change is not published, even if the pause has already elapsed")
  func changesBackLate() {
    var pacer = PresencePacer<Int>()
    _ = pacer.change("ann", isPresent: true, 1, at: 0)
    _ = pacer.change("ann", isPresent: false, 2, at: 100)
    #expect(pacer.change("ann", isPresent: true, 3, at: 1_500) == false)
    #expect(pacer.due == nil)
    #expect(pacer.change("ann", isPresent: false, 4, at: 1_600) == true)
  }

  @Test("a full table publishes immediately, and expired pauses are removed")
  func isBounded() {
    var pacer = PresencePacer<Int>(capacity: 20)
    for number in 0..<20 { _ = pacer.change("\(number)", isPresent: true, number, at: 0) }
    for _ in 0..<3 { #expect(pacer.change("more", isPresent: true, 0, at: 10) == true) }
    #expect(pacer.userCount == 20)
    #expect(pacer.change("more", isPresent: true, 0, at: 1_000) == true)
    #expect(pacer.change("more", isPresent: false, 0, at: 1_001) == false)
    #expect(pacer.userCount == 1)
    for number in 0..<10_000 {
      _ = pacer.change("\(number)", isPresent: true, number, at: 2_000 + Int64(number) * 500)
    }
    #expect(pacer.userCount <= 20)
  }

  @Test(
    "each user is published at most once a second, and the last state is published",
    arguments: UInt64(1)...20)
  func agreesWithTheRule(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var pacer = PresencePacer<String>()
    var present: Set<String> = []
    var published: [String: (isPresent: Bool, time: Int64)] = [:]
    var now: Int64 = 0
    func publish(_ user: String, _ isPresent: Bool) {
      if let last = published[user] {
        #expect(last.isPresent != isPresent)
        #expect(now - last.time >= 1_000)
      }
      published[user] = (isPresent, now)
    }
    for _ in 0..<1_500 {
      now += Int64.random(in: 0...250, using: &generator)
      for change in pacer.take(at: now, isPresent: present.contains) {
        publish(change.subject, change.isPresent)
      }
      let user = "user-\(Int.random(in: 0..<8, using: &generator))"
      let isPresent = !present.contains(user)
      if isPresent { present.insert(user) } else { present.remove(user) }
      if pacer.change(user, isPresent: isPresent, user, at: now) { publish(user, isPresent) }
    }
    while let due = pacer.due {
      now = max(now, due)
      for change in pacer.take(at: now, isPresent: present.contains) {
        publish(change.subject, change.isPresent)
      }
    }
    for (user, last) in published { #expect(last.isPresent == present.contains(user)) }
  }
}
