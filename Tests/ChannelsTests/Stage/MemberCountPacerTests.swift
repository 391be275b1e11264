import ParleyProtocol
import Testing

@testable import Channels

@Suite("The pace of the numbers of members")
struct MemberCountPacerTests {
  private func count(_ all: Int) -> Event.MemberCount { Event.MemberCount(all: all, joined: all) }

  @Test("numbers are announced at once, then once a second, and only if they differ")
  func pace() {
    var pacer = MemberCountPacer()
    #expect(pacer.due == nil && pacer.take(at: 0) == nil)
    pacer.note(count(101), at: 5)
    #expect(pacer.due == 5 && pacer.take(at: 4) == nil && pacer.take(at: 5) == count(101))
    for number in 102...150 { pacer.note(count(number), at: 6) }
    #expect(pacer.due == 1_005 && pacer.take(at: 1_004) == nil)
    #expect(pacer.take(at: 1_005) == count(150) && pacer.due == nil)
    pacer.note(count(151), at: 1_006)
    pacer.note(count(150), at: 1_007)
    #expect(pacer.take(at: 2_005) == nil && pacer.due == nil)
    pacer.note(count(151), at: 9_000)
    #expect(pacer.take(at: 9_000) == count(151))
  }

  @Test("an event about members drops older numbers")
  func superseded() {
    var pacer = MemberCountPacer()
    pacer.note(count(101), at: 0)
    #expect(pacer.take(at: 0) == count(101))
    pacer.note(count(100), at: 1)
    pacer.supersede()
    #expect(pacer.due == nil && pacer.take(at: 5_000) == nil)
    pacer.note(count(101), at: 5_001)
    #expect(pacer.take(at: 5_001) == count(101))
  }
}
