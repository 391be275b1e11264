import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: the rules that hold in all groups")
struct GroupRuleTests {
  private func rules(_ change: (inout GroupRules) -> Void) -> GroupRules {
    var rules = GroupRules()
    change(&rules)
    return rules
  }

  @Test("a group has at most as many members as the rules permit")
  func memberLimit() throws {
    let rig = try JudgeRig.group(isPublic: true, rules: rules { $0.memberLimit = 5 })
    let ids = rig.addUsers(2)
    let refusal = try #require(try rig.change(.invite(ids), by: "ann").error)
    #expect(refusal.code == .tooManyItems && refusal.data.limit == 5)
    #expect(try rig.change(.invite([ids[0]]), by: "ann").code == nil)
    #expect(try rig.change(.join(accessCode: ""), by: "away").code == .tooManyItems)
  }

  @Test("a group with more members than the rules permit keeps them, and gets no others")
  func loweredLimit() throws {
    let rig = try JudgeRig.group(rules: rules { $0.memberLimit = 2 })
    #expect(try rig.change(.invite(["ann", "cat"]), by: "boss").code == nil)
    #expect(try rig.change(.accept, by: "cat").code == nil)
    #expect(try rig.change(.invite(["away"]), by: "boss").code == .tooManyItems)
    #expect(try rig.stored().members.count == 4)
  }

  @Test("where only operators invite, others are refused; the Platform API is not")
  func operatorsInvite() throws {
    let rig = try JudgeRig.group(rules: rules { $0.onlyOperatorsInvite = true })
    #expect(try rig.change(.invite(["away"]), by: "ann").code == .notAllowed)
    #expect(try rig.change(.invite(["away"]), by: "cat").code == .notInChannel)
    #expect(try rig.change(.invite(["away"]), by: "boss").code == nil)
    #expect(try rig.change(.remove(["away"]), by: "boss").code == nil)
    #expect(try rig.change(.invite(["away"]), by: .platform).code == nil)
  }

  @Test("users who have not chosen are invited, where they do not join at once")
  func asking() throws {
    let rules = rules { $0.acceptsInvitations = false }
    let rig = try JudgeRig.group(inviting: ["ann"], asking: [], rules: rules)
    rig.contents.setAcceptsInvitations(true, userID: "ben")
    let answer = try #require(try rig.change(.invite(["away", "ben"]), by: "boss").group)
    guard case .invited(let invited, let joined, _) = answer.outcome else {
      Issue.record("not the answer to an invitation")
      return
    }
    #expect(invited == ["away"] && joined == ["ben"])
    #expect(try rig.storedJoinedIDs() == ["ben", "boss"])
  }

  @Test("those who join later see the messages before, and have none of them unread")
  func pastMessages() throws {
    let rig = try JudgeRig.group(isPublic: true, rules: rules { $0.showsPastMessages = true })
    let first = try #require(try rig.perform(.send("one"), by: "boss").sent?.shown.message)
    for userID in ["boss", "ann"] {
      rig.now += 10
      _ = try rig.perform(.send("more"), by: userID)
    }
    _ = try rig.change(.invite(["away"]), by: "boss")
    _ = try rig.change(.accept, by: "cat")
    for userID in ["away", "cat"] {
      let own = try rig.own(of: userID)
      #expect(own.visibleFrom == 0 && own.unreadCount == 0 && own.readOrdinal == 3)
      #expect(try rig.perform(.viewMessage(first.id), by: userID).code == nil)
    }
    // The position may be put back to any message.
    #expect(try rig.own(.markUnread(from: first.id), by: "away").unreadCount == 3)
    // A user who wrote some of them and joins again has none unread either.
    _ = try rig.change(.leave, by: "ann")
    _ = try rig.change(.join(accessCode: ""), by: "ann")
    #expect(try rig.own(of: "ann").unreadCount == 0)
    #expect(try rig.own(.markUnread(from: first.id), by: "ann").unreadCount == 2)
  }

  @Test("a group is deleted as empty only while it has no members")
  func emptyGroups() throws {
    let rig = try JudgeRig.group()
    let kept = try rig.perform(.operation(.deleteEmpty), by: .platform)
    #expect(kept.code == nil && !rig.isDeleted)
    #expect(try rig.perform(.operation(.deleteEmpty), by: "ann").code == .notAllowed)
    _ = try rig.change(.release(userIDs: nil, keepsRoles: false), by: .platform)
    #expect(try rig.stored().members.isEmpty)
    #expect(try rig.perform(.operation(.deleteEmpty), by: .platform).code == nil)
    #expect(rig.isDeleted && rig.events.last?.method == "channel.deleted")
    #expect(try rig.perform(.operation(.deleteEmpty), by: .platform).code == .notFound)
  }

  @Test("a user who is added before an empty group is deleted keeps it")
  func deletionRace() throws {
    let rig = try JudgeRig.group()
    _ = try rig.change(.release(userIDs: nil, keepsRoles: false), by: .platform)
    let invitation = rig.begin(.change(.invite(["away"])), by: .platform)
    let deletion = rig.begin(.operation(.deleteEmpty), by: .platform)
    rig.answerAll()
    #expect(rig.answers[invitation]?.code == nil)
    #expect(rig.answers[deletion]?.code == nil)
    #expect(!rig.isDeleted)
    #expect(try rig.storedJoinedIDs() == ["away"])
  }
}
