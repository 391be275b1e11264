import ParleyProtocol
import Store
import Testing

@testable import Gateway

@Suite("What a user has not read, group by group")
struct UnreadLedgerTests {
  private func group(_ url: String, _ type: String = "", unread: Int64) -> CountedGroup {
    CountedGroup(url: url, customType: type, numbers: numbers(unread))
  }

  private func numbers(_ unread: Int64, in groups: Int64 = 1, invited: Int64 = 0) -> GroupNumbers {
    GroupNumbers(
      unreadMessageCount: unread, unreadMentionCount: 0, unreadChannelCount: groups,
      invitationCount: invited)
  }

  @Test("marked groups are read once, and all groups in place of single ones")
  func marks() {
    var ledger = UnreadLedger()
    #expect(ledger.takeMarked() == nil && !ledger.isMarked)
    ledger.mark(.urls(["b"]))
    ledger.mark(.urls(["a", "b"]))
    #expect(ledger.isMarked)
    #expect(ledger.takeMarked() == .urls(["a", "b"]))
    #expect(ledger.takeMarked() == nil)
    ledger.mark(.urls(["a"]))
    ledger.mark(.all)
    #expect(ledger.takeMarked() == .all)
    #expect(ledger.takeMarked() == nil)
  }

  @Test("what is read replaces what was known of these groups")
  func applies() {
    var ledger = UnreadLedger()
    ledger.apply([group("a", unread: 2), group("b", "t", unread: 3)], of: .all)
    #expect(ledger.totals == Event.Totals(numbers(5, in: 2), byCustomType: ["t": numbers(3)]))
    ledger.apply([group("a", "t", unread: 7)], of: .urls(["a", "b"]))
    #expect(ledger.totals == Event.Totals(numbers(7), byCustomType: ["t": numbers(7)]))
    ledger.apply([group("c", unread: 1)], of: .all)
    #expect(ledger.totals == Event.Totals(numbers(1), byCustomType: [:]))
    ledger.apply([], of: .urls(["c"]))
    #expect(ledger.totals == Event.Totals(.zero, byCustomType: [:]))
  }

  @Test("the twenty custom types with the most unread messages are named")
  func types() {
    var ledger = UnreadLedger()
    let groups = (Int64(1)...25).map { group("g\($0)", "t\($0)", unread: $0) }
    ledger.apply(groups, of: .all)
    let totals = ledger.totals
    #expect(totals.all == numbers(325, in: 25))
    #expect(Set(totals.byCustomType.keys) == Set((6...25).map { "t\($0)" }))
  }

  @Test("the name of an event is found in its notification")
  func names() {
    let origin = EventOrigin(channelURL: "team", seq: 1, timestamp: 2)
    let deletion = Event.messageDeleted(.init(messageID: 7)).notification(from: origin)
    #expect(EventName(of: deletion) == .messageDeleted)
    #expect(EventName(of: Array("{}".utf8)) == nil)
    #expect(EventName(of: []) == nil)
  }
}
