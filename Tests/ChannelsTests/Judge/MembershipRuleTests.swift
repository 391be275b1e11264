import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: members of a group")
struct MembershipRuleTests {
  private var rig: JudgeRig

  init() throws { rig = try .group() }

  @Test("a group starts with its creator and those who accept invitations joined")
  func starts() throws {
    #expect(rig.joinedIDs == ["ann", "ben", "boss"])
    #expect(try rig.stored().members.count == 4 && !rig.isJoined("cat"))
    #expect(try JudgeRig().joinedIDs == nil)
  }

  @Test("a joined member invites: some join at once, others are invited and share one event")
  func invites() throws {
    rig.contents.set(User(id: "dan"))
    rig.contents.set(User(id: "eve"))
    for id in ["dan", "eve"] { rig.contents.setAcceptsInvitations(false, userID: id) }
    _ = try rig.change(.invite(["dan", "away", "eve"]), by: "ann")
    #expect(rig.summaries == ["invited dan eve 7/4", "joined away 7/4"])
    #expect(rig.events.map(\.seq) == [4, 5] && rig.joinedIDs == ["ann", "away", "ben", "boss"])
    let inviter = rig.events[0].params?["inviter"]
    #expect(inviter?["user_id"]?.string == "ann")
    #expect(rig.events.allSatisfy { $0.author == nil })
  }

  @Test("invited users are notified one by one with the event of the group")
  func notifiesInvited() throws {
    rig.contents.setAcceptsInvitations(false, userID: "away")
    _ = try rig.change(.invite(["away"]), by: "ann")
    let notice = try #require(rig.notices.first)
    #expect(rig.notices.count == 1 && notice.userIDs == ["away"])
    #expect(notice.notification["method"]?.string == "group.invited")
    #expect(notice.notification["params"]?.raw == rig.events[0].params?.raw)
  }

  @Test("who joins is admitted to the audience by the event about it")
  func admits() throws {
    _ = try rig.change(.invite(["away"]), by: "ann")
    guard case .admission(ofUser: "away") = rig.events[0].subject else {
      return #expect(Bool(false))
    }
    _ = try rig.change(.accept, by: "cat")
    guard case .admission(ofUser: "cat") = rig.events[1].subject else {
      return #expect(Bool(false))
    }
  }

  @Test("the Platform API invites without an inviter")
  func platformInvites() throws {
    rig.contents.setAcceptsInvitations(false, userID: "away")
    #expect(try rig.change(.invite(["away"]), by: .platform).code == nil)
    #expect(rig.events[0].params?["inviter"]?.isNull == true)
    let member = try rig.stored().members.first { $0.user.id == "away" }
    #expect(member?.state == .invited && member?.inviterID == nil)
  }

  @Test("members are not invited again, whether joined or invited")
  func skips() throws {
    let outcome = try rig.change(.invite(["ann", "cat", "boss"]), by: "boss")
    #expect(outcome.group != nil && rig.events.isEmpty)
    #expect(rig.sendCheck(of: "boss", at: rig.now).changes.used == 0)
  }

  @Test("an invited user accepts, once")
  func accepts() throws {
    let calls = (0..<2).map { _ in rig.begin(.change(.accept), by: .participant("cat")) }
    rig.answerAll()
    #expect(calls.allSatisfy { rig.answers[$0]?.group?.own?.state == .joined })
    #expect(rig.summaries == ["joined cat 4/4"] && rig.isJoined("cat"))
    #expect(try rig.storedJoinedIDs() == ["ann", "ben", "boss", "cat"])
  }

  @Test("an invited user declines: members see it, and the user's connections lose the group")
  func declines() throws {
    #expect(try rig.change(.decline, by: "cat").code == nil)
    #expect(rig.summaries == ["declined cat 3/3"])
    let notice = try #require(rig.notices.first)
    #expect(notice.userIDs == ["cat"])
    #expect(notice.notification["method"]?.string == "group.lost")
    #expect(notice.notification["params"]?["reason"]?.string == "declined")
    #expect(try rig.stored().members.count == 3)
  }

  @Test("an invitation can be declined and repeated")
  func invitesAgain() throws {
    for _ in 0..<2 {
      _ = try rig.change(.decline, by: "cat")
      _ = try rig.change(.invite(["cat"]), by: "boss")
    }
    _ = try rig.change(.accept, by: "cat")
    #expect(
      rig.summaries == [
        "declined cat 3/3", "invited cat 4/3", "declined cat 3/3", "invited cat 4/3",
        "joined cat 4/4",
      ])
  }

  @Test("strangers join a public group, and invited users join it instead of accepting")
  mutating func joins() throws {
    rig = try .group(isPublic: true)
    #expect(try rig.change(.join(accessCode: "unneeded"), by: "away").code == nil)
    #expect(try rig.change(.join(accessCode: ""), by: "cat").code == nil)
    #expect(rig.summaries == ["joined away 5/4", "joined cat 5/5"])
    #expect(try rig.change(.join(accessCode: ""), by: "cat").group != nil)
    #expect(rig.events.count == 2)
  }

  @Test("the access code opens a public group; invited users accept without it")
  mutating func joinsWithCode() throws {
    rig = try .group(isPublic: true, accessCode: "sesame")
    #expect(try rig.change(.join(accessCode: "Sesame"), by: "away").code == .invalidValue)
    #expect(try rig.change(.join(accessCode: "sesame"), by: "away").code == nil)
    #expect(try rig.change(.accept, by: "cat").code == nil)
    #expect(rig.summaries == ["joined away 5/4", "joined cat 5/5"])
  }

  @Test("a joined member leaves; the group is lost to the user and others see the new numbers")
  func leaves() throws {
    #expect(try rig.change(.leave, by: "ann").code == nil)
    #expect(rig.summaries == ["left ann left 3/2"] && rig.joinedIDs == ["ben", "boss"])
    guard case .departure(ofUser: "ann", .left) = rig.events[0].subject else {
      return #expect(Bool(false))
    }
    // The stage notifies connections that heard the group.
    #expect(rig.notices.isEmpty)
  }

  @Test("the last operator and the last member may leave, and operators keep their role")
  func leavesEmpty() throws {
    for id in ["boss", "ann", "ben"] { #expect(try rig.change(.leave, by: id).code == nil) }
    #expect(rig.joinedIDs == [] && rig.operatorIDs == ["boss"])
    #expect(rig.summaries.last == "left ben left 1/0")
    #expect(try rig.change(.invite(["boss"]), by: .platform).code == nil)
    #expect(try rig.perform(.freeze, by: "boss").code == nil)
  }

  @Test("operators remove joined and invited members, with their role; strangers are skipped")
  func removes() throws {
    _ = try rig.perform(.addOperators(["ann"]), by: "boss")
    rig.events = []
    #expect(try rig.change(.remove(["ann", "away", "cat"]), by: "boss").code == nil)
    #expect(
      rig.summaries == [
        "operators_changed boss", "left ann removed 3/2", "declined cat 2/2",
      ])
    #expect(rig.events.map(\.seq) == [5, 6, 7] && rig.operatorIDs == ["boss"])
    let notice = try #require(rig.notices.first)
    #expect(rig.notices.count == 1 && notice.userIDs == ["cat"])
    #expect(notice.notification["params"]?["reason"]?.string == "removed")
  }

  @Test("removing strangers only changes nothing")
  func removesNobody() throws {
    #expect(try rig.change(.remove(["away"]), by: "boss").group != nil)
    #expect(rig.events.isEmpty)
  }

  @Test("a removed user may be invited again, and is then an ordinary member")
  func invitesRemoved() throws {
    _ = try rig.change(.remove(["ann"]), by: "boss")
    _ = try rig.change(.invite(["ann"]), by: "ben")
    #expect(rig.isJoined("ann"))
  }

  @Test("a ban is published first, and ends role and membership")
  func bans() throws {
    _ = try rig.perform(.addOperators(["ann"]), by: "boss")
    rig.events = []
    let outcome = try rig.perform(.ban("ann", seconds: 60), by: "boss")
    #expect(outcome.imposed?.user.id == "ann")
    #expect(
      rig.summaries == [
        "user_banned ann", "operators_changed boss", "left ann banned 3/2",
      ])
    guard case .expulsion(ofUser: "ann") = rig.events[0].subject else {
      return #expect(Bool(false))
    }
    #expect(rig.events.map(\.seq) == [5, 6, 7])
  }

  @Test("a ban of an invited user withdraws the invitation")
  func bansInvited() throws {
    _ = try rig.perform(.ban("cat"), by: "boss")
    #expect(rig.summaries == ["user_banned cat", "declined cat 3/3"])
    #expect(rig.notices.map(\.userIDs) == [["cat"]])
    #expect(rig.notices.first?.notification["params"]?["reason"]?.string == "banned")
  }

  @Test("a ban of a stranger changes no membership, and a mute ends none")
  func bansStranger() throws {
    _ = try rig.perform(.ban("away"), by: "boss")
    _ = try rig.perform(.mute("ann"), by: "boss")
    #expect(rig.summaries == ["user_banned away", "user_muted ann"] && rig.isJoined("ann"))
  }

  @Test("after its ban has ended or was lifted, a user may be invited")
  func afterBan() throws {
    _ = try rig.perform(.ban("ann", seconds: 1), by: "boss")
    _ = try rig.perform(.ban("ben"), by: "boss")
    #expect(try rig.change(.invite(["ann"]), by: "boss").code == .banned)
    rig.now += 1_000
    #expect(try rig.change(.invite(["ann"]), by: "boss").code == nil)
    _ = try rig.perform(.unban(userID: "ben"), by: "boss")
    #expect(try rig.change(.invite(["ben"]), by: "boss").code == nil)
  }

  @Test("a user that is deleted loses role and membership")
  func forgets() throws {
    _ = try rig.perform(.addOperators(["ann"]), by: "boss")
    rig.events = []
    let forget = ChannelCommand.operation(.changeMembers(.forget(userID: "ann")))
    #expect(try rig.perform(forget, by: .platform).code == nil)
    #expect(rig.summaries == ["operators_changed boss", "left ann deleted_user 3/2"])
    #expect(try rig.perform(forget, by: .platform).code == nil && rig.events.count == 2)
  }

  @Test("an operator who left and is deleted loses the role")
  func forgetsFormer() throws {
    _ = try rig.change(.leave, by: "boss")
    _ = try rig.perform(.operation(.changeMembers(.forget(userID: "boss"))), by: .platform)
    #expect(rig.summaries == ["left boss left 3/2", "operators_changed"])
  }

  @Test("changes of members are judged one by one, each by the result of the previous one")
  func turns() throws {
    let calls = [
      rig.begin(.change(.leave), by: .participant("ann")),
      rig.begin(.change(.leave), by: .participant("ann")),
      rig.begin(.change(.invite(["ann"])), by: .participant("ben")),
      rig.begin(.change(.remove(["ann"])), by: .participant("boss")),
      rig.begin(.change(.invite(["away"])), by: .participant("ben")),
    ]
    #expect(rig.requests.count == 1)
    rig.answerAll()
    #expect(calls.map { rig.answers[$0]?.code } == [nil, .notInChannel, nil, nil, nil])
    #expect(
      rig.summaries == [
        "left ann left 3/2", "joined ann 4/3", "left ann removed 3/2", "joined away 4/3",
      ])
  }

  @Test("freezing and muting do not keep members from inviting, accepting and leaving")
  func frozen() throws {
    _ = try rig.perform(.freeze, by: "boss")
    _ = try rig.perform(.mute("ann"), by: "boss")
    #expect(try rig.change(.invite(["away"]), by: "ann").code == nil)
    #expect(try rig.change(.accept, by: "cat").code == nil)
    #expect(try rig.change(.leave, by: "ann").code == nil)
  }

  @Test("changes of members count in the window of changes, those without effect do not")
  mutating func flood() throws {
    rig = try .group(limit: RateLimit(count: 2, windowMilliseconds: 1000))
    for _ in 0..<4 { #expect(try rig.change(.remove(["away"]), by: "boss").code == nil) }
    for _ in 0..<2 {
      #expect(try rig.change(.invite(["away"]), by: "boss").code == nil)
      #expect(try rig.change(.remove(["away"]), by: .platform).code == nil)
    }
    #expect(try rig.change(.invite(["away"]), by: "boss").code == .flood)
    rig.now += 1_000
    #expect(try rig.change(.invite(["away"]), by: "boss").code == nil)
  }

  @Test("the members are kept in the log, for the next judge")
  func restarts() throws {
    _ = try rig.change(.accept, by: "cat")
    _ = try rig.change(.leave, by: "ann")
    try rig.restart(users: [])
    #expect(rig.joinedIDs == ["ben", "boss", "cat"])
    _ = try rig.change(.invite(["ann"]), by: "cat")
    #expect(rig.summaries.last == "joined ann 4/4" && rig.events.last?.seq == 6)
  }

  @Test(
    "a group stops being distinct when its members change",
    arguments: [
      ("boss", MembershipChange.invite(["away"])), ("ann", .leave), ("cat", .decline),
      ("boss", .remove(["ben"])),
    ])
  func distinct(userID: String, change: MembershipChange) throws {
    let rig = try JudgeRig.group(isDistinct: true)
    #expect(try rig.change(change, by: userID).code == nil)
    #expect(rig.channel.group?.isDistinct == false)
    let other = try JudgeRig.group(isDistinct: true)
    #expect(try other.change(.accept, by: "cat").code == nil)
    #expect(other.channel.group?.isDistinct == true)
  }

  @Test("a deleted group ends for all, and refuses later changes")
  func deletes() throws {
    #expect(try rig.perform(.group(.delete), by: "ann").code == .notAllowed)
    #expect(try rig.perform(.group(.delete), by: "boss").isDone)
    guard case .end = rig.events[0].subject else { return #expect(Bool(false)) }
    for change in MembershipChange.samples {
      #expect(try rig.change(change, by: "ann").error == .notFound(.channel, "lobby"))
    }
  }
}
