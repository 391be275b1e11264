@testable import Cluster
import Testing

@Suite("A link")
struct LinkTests {
  private static let limits: LinkLimits = {
    var limits = LinkLimits(frameBytes: 200)
    limits.keptBytes = 4_000
    return limits
  }()

  @Test("opens with greetings, and sends nothing when idle")
  func opening() {
    var pair = LinkPair(Self.limits)
    pair.pass(until: 100)
    #expect(pair.a.isOpen && pair.b.isOpen && pair.a.version == LinkVersions.current.highest)
    #expect(pair.frameCount <= 6)
    let count = pair.frameCount
    pair.pass(until: 20_000)
    #expect(pair.frameCount == count)
    #expect(pair.a.deadline == nil && pair.b.deadline == nil)
    #expect(pair.resets == 0)
  }

  @Test("combines the messages of a turn into a frame, and splits oversized ones")
  func gathering() {
    var pair = LinkPair(Self.limits)
    pair.pass(until: 100)
    let count = pair.frameCount
    for number in 0..<10 { pair.send([UInt8(number)]) }
    pair.pass(until: 105)
    #expect(pair.atB == (0..<10).map { [$0] })
    #expect(pair.frameCount == count + 1)
    let long = (0..<1_500).map { UInt8(truncatingIfNeeded: $0) }
    for message in [long, [], [1]] { pair.send(message) }
    pair.pass(until: 110)
    #expect(pair.atB.suffix(3) == [long, [], [1]])
    #expect(pair.longestFrame <= 200)
  }

  @Test("confirms after a pause, with one frame, and then keeps no sent bytes")
  func confirmation() {
    var pair = LinkPair(Self.limits)
    pair.pass(until: 100)
    let count = pair.frameCount
    pair.send([1])
    pair.pass(until: 140)
    #expect(pair.a.keptByteCount > 0 && pair.frameCount == count + 1)
    pair.pass(until: 200)
    #expect(pair.a.keptByteCount == 0 && pair.frameCount == count + 2)
  }

  @Test("confirms large amounts immediately, so that the send buffer does not block a fast sender")
  func earlyConfirmation() {
    var limits = Self.limits
    limits.confirmationBytes = 500
    var pair = LinkPair(limits)
    pair.pass(until: 100)
    for _ in 0..<100 {
      for _ in 0..<5 { pair.send([UInt8](repeating: 1, count: 100)) }
      pair.pass(until: pair.now + 4)
    }
    #expect(pair.atB.count == 500 && pair.resets == 0)
  }

  @Test("fills a gap as soon as a later frame reports it, in one round trip")
  func gap() {
    var pair = LinkPair(Self.limits)
    pair.pass(until: 100)
    pair.lose = 1
    for _ in 0..<3 {
      pair.send([UInt8](repeating: 1, count: 120))
    }
    pair.pass(until: 104)
    #expect(pair.atB.count == 3)
    #expect(pair.a.counters.refills == 1 && pair.b.counters.gaps == 1)
  }

  @Test("requests confirmation of a last frame that is unconfirmed")
  func tail() {
    var pair = LinkPair(Self.limits)
    pair.pass(until: 100)
    pair.lose = 1
    pair.send([1])
    pair.pass(until: 199)
    #expect(pair.atB == [])
    pair.pass(until: 220)
    #expect(pair.atB == [[1]])
    #expect(pair.resets == 0)
  }

  @Test("is reset at both ends when the send buffer overflows, and then continues")
  func overflow() {
    var pair = LinkPair(Self.limits)
    pair.pass(until: 100)
    pair.send([1])
    pair.pass(until: 105)
    pair.isCut = true
    for _ in 0..<30 { pair.send([UInt8](repeating: 9, count: 100)) }
    #expect(pair.resets == 1 && pair.a.keptByteCount < 4_000)
    pair.isCut = false
    pair.send([2])
    pair.pass(until: 1_000)
    // What was sent after the reset and fits is there, and nothing from before.
    #expect(pair.resets == 2 && pair.atB.first == [1] && pair.atB.last == [2])
  }

  @Test("is reset when the peer is silent for too long, but not when nothing waits")
  func silence() {
    var pair = LinkPair(Self.limits)
    pair.pass(until: 100)
    pair.isCut = true
    pair.pass(until: 60_000)
    #expect(pair.resets == 0)
    pair.send([1])
    pair.pass(until: 69_990)
    #expect(pair.resets == 0)
    pair.pass(until: 70_100)
    #expect(pair.resets == 1)
    pair.isCut = false
    pair.pass(until: 71_000)
    #expect(pair.resets == 2 && pair.a.isOpen && pair.b.isOpen && pair.atB == [])
  }

  @Test("ignores duplicate frames and old greetings")
  func replay() {
    var pair = LinkPair(Self.limits)
    pair.pass(until: 100)
    for number in 0..<20 {
      pair.send([UInt8(number)])
      pair.pass(until: pair.now + 60)
    }
    let recorded = pair.recorded
    for frame in recorded + recorded.reversed() { pair.inject(frame) }
    pair.pass(until: pair.now + 1_000)
    #expect(pair.atB == (0..<20).map { [UInt8($0)] })
    #expect(pair.resets == 0 && pair.a.isOpen && pair.b.isOpen)
  }

  @Test(
    "uses the highest version that both ends support",
    arguments: [(1, 2, 2), (1, 1, 1), (2, 3, nil)])
  func versions(lowest: UInt8, highest: UInt8, common: UInt8?) {
    let theirs = LinkVersions(lowest: lowest, highest: highest)
    var pair = LinkPair(
      Self.limits, LinkVersions(lowest: 1, highest: common == nil ? 1 : 2), theirs)
    pair.send([1])
    pair.pass(until: 2_000)
    #expect(pair.a.version == common && pair.b.version == common)
    #expect(pair.atB == (common == nil ? [] : [[1]]))
    #expect((pair.a.counters.otherVersions > 0) == (common == nil))
    #expect(pair.versionsSeen == (common.map { [$0] } ?? []))
  }

  @Test("drops inconsistent frames, and is reset by an invalid payload")
  func hostile() {
    var pair = LinkPair(Self.limits)
    pair.pass(until: 100)
    let numbers = LinkNumbers(sender: 1, receiver: 1)
    let senseless: [LinkData] = [
      LinkData(sent: 0, confirmed: 5),
      LinkData(sequence: .max, sent: .max, confirmed: 0, payload: [0, 0, 0, 0, 0]),
      LinkData(sent: 1 << 40, confirmed: 0),
    ]
    for data in senseless {
      pair.inject((to: .b, .data(numbers, version: LinkVersions.current.highest, data)))
    }
    #expect(pair.b.counters.invalid == 3)
    pair.inject((to: .b, .data(numbers, version: 1, LinkData(sent: 0, confirmed: 0))))
    pair.inject(
      (
        to: .b,
        .data(
          numbers, version: LinkVersions.current.highest,
          LinkData(sent: 0, confirmed: 0, gaps: [1...(.max)]))
      ))
    pair.inject((to: .b, .greeting(LinkNumbers(sender: 1, receiver: 9), .current)))
    #expect(pair.b.counters.invalid == 5 && pair.resets == 0)
    for payload: [UInt8] in [[7, 0, 0, 0, 0], [0, 255, 255, 255, 255], [0]] {
      var pair = LinkPair(Self.limits)
      pair.pass(until: 100)
      pair.inject(
        (
          to: .b,
          .data(
            numbers, version: LinkVersions.current.highest,
            LinkData(sequence: 1, sent: 1, confirmed: 0, payload: payload))
        ))
      pair.pass(until: 1_000)
      #expect(pair.resets == 2 && pair.a.isOpen && pair.b.isOpen)
    }
  }

  @Test("does not buffer an endless message of a peer")
  func endlessMessage() {
    var pair = LinkPair(Self.limits)
    pair.pass(until: 100)
    let piece: [UInt8] = [1, 100, 0, 0, 0] + [UInt8](repeating: 0, count: 100)
    for number in 1...60 {
      pair.inject(
        (
          to: .b,
          .data(
            LinkNumbers(sender: 1, receiver: 1), version: LinkVersions.current.highest,
            LinkData(
              sequence: UInt64(number), sent: UInt64(number), confirmed: 0, payload: piece))
        ))
    }
    #expect(pair.b.counters.resets == 1 && pair.atB == [])
  }
}
