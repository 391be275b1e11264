import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: groups that report only numbers of members")
struct SuperGroupTests {
  private func superGroup(_ change: (inout GroupRules) -> Void = { _ in }) throws -> JudgeRig {
    var rules = GroupRules()
    change(&rules)
    let rig = try JudgeRig.group(isPublic: true, isSuper: true, rules: rules)
    rig.events = []
    return rig
  }

  private func subjects(of rig: JudgeRig) -> [String] {
    rig.events.map { event in
      switch event.subject {
      case .quietAdmission(let id): "+\(id)"
      case .quietDeparture(let id, let reason): "-\(id) \(reason.rawValue)"
      case .message: "message \(event.seq)"
      case .update, .mentionChange, .deletion, .record, .operators, .expulsion, .invitation,
        .admission, .departure, .end, .announcement:
        event.method ?? ""
      }
    }
  }

  private func counts(of rig: JudgeRig) -> [String] {
    rig.reportedCounts.map { "\($0.all)/\($0.joined)" }
  }

  @Test("joining, inviting, declining and leaving take no number, and their events reach one user")
  func quietChanges() throws {
    let rig = try superGroup()
    rig.contents.set(User(id: "dan"))
    rig.contents.setAcceptsInvitations(false, userID: "dan")
    _ = try rig.perform(.send("one"), by: "ann")
    _ = try rig.change(.join(accessCode: ""), by: "away")
    _ = try rig.change(.invite(["dan"]), by: "ann")
    _ = try rig.change(.accept, by: "cat")
    _ = try rig.change(.decline, by: "dan")
    _ = try rig.change(.leave, by: "ben")
    _ = try rig.change(.remove(["away"]), by: "boss")
    _ = try rig.perform(.send("two"), by: "ann")
    #expect(
      subjects(of: rig) == [
        "message 1", "+away", "+cat", "-ben left", "-away removed", "message 2",
      ])
    #expect(
      rig.events.filter(\.isAboutMembers).allSatisfy { $0.params?["seq"] == nil && $0.seq == 1 })
    #expect(counts(of: rig) == ["5/4", "6/4", "6/5", "5/5", "4/4", "3/3"])
    #expect(try rig.stored().lastSeq == 2 && rig.stored().channel.group?.memberCount == 3)
    let invitation = try #require(rig.notices.first)
    #expect(invitation.userIDs == ["dan"] && invitation.notification["params"]?["seq"] == nil)
    #expect(invitation.notification["method"]?.string == "group.invited")
  }

  @Test("a ban is announced to all, and then the user is removed quietly")
  func ban() throws {
    let rig = try superGroup()
    _ = try rig.perform(.ban("ann"), by: "boss")
    #expect(subjects(of: rig) == ["channel.user_banned", "-ann banned"])
    #expect(rig.events[0].seq == 1 && rig.events[1].seq == 1 && counts(of: rig) == ["3/2"])
    _ = try rig.perform(.send("x"), by: "ben")
    #expect(rig.events.last?.seq == 2)
  }

  @Test("a super group has its own limit, and is answered without members")
  func answers() throws {
    let rig = try superGroup { ($0.memberLimit, $0.superMemberLimit) = (2, 5) }
    let answer = try #require(try rig.change(.join(accessCode: ""), by: "away").group?.json)
    #expect(answer["channel"]?["is_super"]?.bool == true)
    #expect(answer["channel"]?["member_count"]?.integer == 5)
    #expect(answer["channel"]?["my"] != nil && answer["channel"]?["members"] == nil)
    let refusal = try rig.change(.invite(rig.addUsers(1)), by: "boss").error
    #expect(refusal?.code == .tooManyItems && refusal?.data.limit == 5)
    let view = try rig.perform(.viewGroup, by: .platform)
    #expect(view.group?.members == nil)
  }

  @Test("a group is quiet while it has more than 100 members before or after a change")
  func threshold() throws {
    var rules = GroupRules()
    rules.memberLimit = 200
    let rig = try JudgeRig.group(rules: rules)
    let ids = rig.addUsers(97)
    _ = try rig.change(.invite(Array(ids.prefix(95))), by: "boss")
    rig.events = []
    _ = try rig.change(.invite([ids[95]]), by: "boss")
    #expect(rig.summaries == ["joined u95 100/99"] && counts(of: rig) == [])
    _ = try rig.change(.invite([ids[96]]), by: "boss")
    #expect(subjects(of: rig).last == "+u96" && counts(of: rig) == ["101/100"])
    _ = try rig.change(.leave, by: "u0")
    #expect(subjects(of: rig).last == "-u0 left" && counts(of: rig) == ["101/100", "100/99"])
    let seq = try #require(rig.events.last).seq
    _ = try rig.change(.leave, by: "u1")
    #expect(rig.summaries.last == "left u1 left 99/98" && rig.events.last?.seq == seq + 1)
    #expect(counts(of: rig).count == 2)
  }

  @Test("the first members of a super group are reported quietly")
  func creation() throws {
    let rig = try JudgeRig.group(isSuper: true)
    let stored = try rig.stored()
    #expect(stored.lastSeq == 0)
    rig.handle(.created(stored.members))
    #expect(subjects(of: rig) == ["+ann", "+ben"])
    #expect(rig.notices.map(\.userIDs) == [["cat"]])
    #expect(rig.reportedCounts.last == Event.MemberCount(all: 4, joined: 3))
  }

  @Test(
    "a quiet change of unknown outcome is settled as without the interruption",
    arguments: [
      (MembershipChange.invite(["away", "dan"]), "boss"), (.accept, "cat"), (.decline, "cat"),
      (.join(accessCode: ""), "away"), (.leave, "ann"), (.remove(["ann", "cat"]), "boss"),
    ])
  func settling(_ change: MembershipChange, _ userID: String) throws {
    func prepared() throws -> JudgeRig {
      let rig = try superGroup()
      rig.contents.set(User(id: "dan"))
      rig.contents.setAcceptsInvitations(false, userID: "dan")
      return rig
    }
    let (rig, other) = (try prepared(), try prepared())
    let call = rig.begin(.change(change), by: .participant(userID))
    rig.failNext(.unknown(""), isWritten: true)
    rig.answerAll()
    let expected = try other.change(change, by: userID)
    #expect(rig.answers[call]?.error == nil && expected.error == nil)
    #expect(subjects(of: rig) == subjects(of: other) && counts(of: rig) == counts(of: other))
    #expect(rig.notices.map(\.userIDs) == other.notices.map(\.userIDs))
    #expect(try rig.joinedIDs == rig.storedJoinedIDs())
    #expect(try rig.perform(.send("x"), by: .platform).sent?.seq == 1)
  }
}
