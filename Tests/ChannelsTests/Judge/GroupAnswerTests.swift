import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: answers with a group")
struct GroupAnswerTests {
  private var rig: JudgeRig

  init() throws { rig = try .group() }

  private func view(_ userID: String, limit: Int = 100) throws -> JSONNode {
    let outcome = try rig.perform(.group(.view(memberLimit: limit)), by: userID)
    return try #require(outcome.group?.json)
  }

  private func ids(_ list: JSONNode?) -> [String]? {
    list.map { $0.elements.compactMap { $0["user_id"]?.string ?? $0.string } }
  }

  // MARK: The group

  @Test("a member sees the group, its own state and members")
  func member() throws {
    let channel = try #require(try view("ann")["channel"])
    #expect(channel["channel_url"]?.string == "lobby")
    #expect(channel["channel_type"]?.string == "group_channels")
    #expect(channel["member_count"]?.integer == 4)
    #expect(channel["joined_member_count"]?.integer == 3)
    #expect(channel["created_by"]?["nickname"]?.string == "BOSS")
    #expect(channel["last_message"]?.isNull == true)
    #expect(channel["last_ordinal"]?.integer == 0)
    #expect(channel["epoch"]?.string == "e" && channel["seq"]?.integer == 3)
    #expect(channel["participant_count"] == nil)
    let own = try #require(channel["my"])
    #expect(own["state"]?.string == "joined" && own["role"]?.string == "none")
    #expect(own["inviter"]?["nickname"]?.string == "BOSS")
    #expect(own["invited_at"]?.integer == rig.now && own["joined_at"]?.integer == rig.now)
    #expect(own["visible_from"]?.integer == 0)
    #expect(own["is_muted"]?.bool == false && own["muted_until"]?.integer == 0)
  }

  @Test("members are listed with operators first, then those who joined last")
  func members() throws {
    rig.now += 5
    _ = try rig.change(.accept, by: "cat")
    _ = try rig.perform(.mute("ben"), by: "boss")
    let members = try #require(try view("ann")["channel"]?["members"])
    #expect(ids(members) == ["boss", "cat", "ann", "ben"])
    let roles = members.elements.map { $0["role"]?.string }
    #expect(roles == ["operator", "none", "none", "none"])
    #expect(members.elements.map { $0["is_muted"]?.bool } == [false, false, false, true])
    #expect(members.elements.map { $0["nickname"]?.string } == ["BOSS", "CAT", "ANN", "BEN"])
    #expect(Array(members.elements)[1]["joined_at"]?.integer == rig.now)
    #expect(ids(try view("ann", limit: 2)["channel"]?["members"]) == ["boss", "cat"])
    #expect(ids(try view("ann", limit: 0)["channel"]?["members"]) == [])
  }

  @Test("an invited user sees itself as invited, and no message")
  func invited() throws {
    _ = try rig.perform(.send("x"), by: "ann")
    let channel = try #require(try view("cat")["channel"])
    #expect(channel["my"]?["state"]?.string == "invited")
    #expect(channel["my"]?["inviter"]?["user_id"]?.string == "boss")
    #expect(channel["my"]?["joined_at"]?.integer == 0)
    #expect(channel["last_message"]?.isNull == true && channel["last_ordinal"]?.integer == 1)
    #expect(ids(channel["members"])?.count == 4)
  }

  @Test("a stranger of a public group sees neither members nor messages")
  mutating func stranger() throws {
    rig = try .group(isPublic: true, accessCode: "sesame")
    _ = try rig.perform(.send("x"), by: "ann")
    let channel = try #require(try view("away")["channel"])
    #expect(channel["my"] == nil && channel["members"] == nil)
    #expect(channel["last_message"]?.isNull == true && channel["member_count"]?.integer == 4)
    #expect(channel["is_public"]?.bool == true)
    #expect(channel["is_access_code_required"]?.bool == true)
    #expect(!String(decoding: channel.raw, as: UTF8.self).contains("sesame"))
    // The code is shown to nobody.
    #expect(!String(decoding: try view("boss").raw, as: UTF8.self).contains("sesame"))
  }

  @Test("the last message is the newest one that the member may read")
  func lastMessage() throws {
    _ = try rig.perform(.send("x"), by: "ann")
    rig.now += 1
    _ = try rig.change(.invite(["away"]), by: "ann")
    #expect(try view("ann")["channel"]?["last_message"]?["message"]?.string == "x")
    #expect(try view("away")["channel"]?["last_message"]?.isNull == true)
    _ = try rig.perform(.send("y"), by: "ben")
    for id in ["ann", "away"] {
      let channel = try view(id)["channel"]
      #expect(channel?["last_message"]?["message"]?.string == "y")
      #expect(channel?["last_message"]?["ordinal"]?.integer == 2)
      #expect(channel?["last_ordinal"]?.integer == 2)
    }
  }

  @Test("an operator sees its role, a muted member the end of the mute")
  func roles() throws {
    _ = try rig.perform(.mute("ann", seconds: 60), by: "boss")
    #expect(try view("boss")["channel"]?["my"]?["role"]?.string == "operator")
    #expect(try view("boss")["channel"]?["my"]?["inviter"]?.isNull == true)
    let own = try view("ann")["channel"]?["my"]
    #expect(own?["is_muted"]?.bool == true)
    #expect(own?["muted_until"]?.integer == rig.now + 60_000)
  }

  @Test("an answer with the outcome of group.create")
  func created() throws {
    for isNew in [true, false] {
      let outcome = try rig.perform(.group(.view(memberLimit: 0, created: isNew)), by: "boss")
      #expect(outcome.group?.json?["created"]?.bool == isNew)
    }
    #expect(try view("boss")["created"] == nil)
  }

  @Test("a view is refused when the caller has lost the group meanwhile, or it was deleted")
  func lost() throws {
    let leave = rig.begin(.change(.leave), by: .participant("ann"))
    let view = rig.begin(.viewGroup, by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[leave]?.code == nil)
    #expect(rig.answers[view]?.error == .notFound(.channel, "lobby"))
    rig.begin(.group(.delete), by: .participant("boss"))
    let last = rig.begin(.viewGroup, by: .participant("boss"))
    rig.answerAll()
    #expect(rig.answers[last]?.error == .notFound(.channel, "lobby") && rig.isIdle)
  }

  @Test("a view that the log cannot answer fails, and the judge is not idle before")
  func failure() throws {
    let call = rig.begin(.viewGroup, by: .participant("ann"))
    #expect(!rig.isIdle)
    rig.failNext(.overloaded)
    #expect(rig.answers[call]?.code == .internalError && rig.isIdle)
  }

  // MARK: Changes

  @Test("an invitation is answered with who was invited, who joined and who was skipped")
  func invitation() throws {
    rig.contents.set(User(id: "dan"))
    rig.contents.setAcceptsInvitations(false, userID: "dan")
    let outcome = try rig.change(.invite(["ann", "away", "dan", "cat"]), by: "ben")
    let json = try #require(outcome.group?.json)
    #expect(ids(json["invited"]) == ["dan"] && ids(json["joined"]) == ["away"])
    #expect(ids(json["skipped"]) == ["ann", "cat"])
    #expect(json["channel"]?["member_count"]?.integer == 6)
    #expect(json["channel"]?["seq"]?.integer == 5)
    let skipped = try #require(try rig.change(.invite(["ann"]), by: "ben").group?.json)
    #expect(ids(skipped["invited"]) == [] && ids(skipped["joined"]) == [])
    #expect(ids(skipped["skipped"]) == ["ann"])
  }

  @Test("accepting, joining and removing are answered with the group after the change")
  mutating func changes() throws {
    rig = try .group(isPublic: true)
    let changes: [(MembershipChange, String, Int64)] = [
      (.accept, "cat", 4), (.join(accessCode: ""), "away", 5),
      (.remove(["ann", "ben"]), "boss", 3),
    ]
    for (change, userID, count) in changes {
      let json = try #require(try rig.change(change, by: userID).group?.json)
      #expect(json["channel"]?["joined_member_count"]?.integer == count)
      #expect(json["channel"]?["my"]?["state"]?.string == "joined")
      #expect(json["created"] == nil && json["invited"] == nil)
    }
  }

  @Test("an operator who removes itself gets what strangers see: nothing of a private group")
  mutating func removesItself() throws {
    #expect(try rig.change(.remove(["ann", "boss"]), by: "boss").isDone)
    #expect(rig.joinedIDs == ["ben"])
    rig = try .group(isPublic: true)
    let json = try #require(try rig.change(.remove(["ann", "boss"]), by: "boss").group?.json)
    #expect(json["channel"]?["joined_member_count"]?.integer == 1)
    #expect(json["channel"]?["my"] == nil && json["channel"]?["members"] == nil)
  }

  @Test("who accepts sees who invited it, and from when it may read")
  func accepts() throws {
    _ = try rig.perform(.send("x"), by: "ann")
    rig.now += 7
    let json = try #require(try rig.change(.accept, by: "cat").group?.json)
    let own = json["channel"]?["my"]
    #expect(own?["inviter"]?["user_id"]?.string == "boss")
    #expect(own?["invited_at"]?.integer == rig.now - 7)
    #expect(own?["joined_at"]?.integer == rig.now && own?["visible_from"]?.integer == rig.now)
    #expect(json["channel"]?["last_message"]?.isNull == true)
  }

  @Test("declining, leaving and forgetting are answered with nothing")
  func nothing() throws {
    #expect(try rig.change(.decline, by: "cat").isDone)
    #expect(try rig.change(.leave, by: "ann").isDone)
    let forget = ChannelCommand.operation(.changeMembers(.forget(userID: "ben")))
    for _ in 0..<2 { #expect(try rig.perform(forget, by: .platform).isDone) }
  }

  @Test("each call that changed a group is answered once, whatever comes between")
  func interleaved() throws {
    let calls = [
      rig.begin(.change(.accept), by: .participant("cat")),
      rig.begin(.viewGroup, by: .participant("ann")),
      rig.begin(.change(.invite(["away"])), by: .participant("ben")),
      rig.begin(.send("x"), by: .participant("ann")),
      rig.begin(.updateGroup(ChannelFields(name: "n")), by: .participant("boss")),
    ]
    rig.answerAll()
    #expect(calls.allSatisfy { rig.answers[$0]?.error == nil && rig.answers[$0] != nil })
    #expect(rig.isIdle)
  }

  // MARK: Settings

  @Test("with operators, only they change a group's settings")
  func updates() throws {
    let fields = ChannelFields(name: "Tea", data: "d")
    for id in ["ann", "cat"] {
      #expect(try rig.perform(.updateGroup(fields), by: id).code == .notAllowed)
    }
    let json = try #require(try rig.perform(.updateGroup(fields), by: "boss").group?.json)
    #expect(json["channel"]?["name"]?.string == "Tea" && rig.channel.data == "d")
    #expect(json["channel"]?["my"]?["role"]?.string == "operator")
    let event = try #require(rig.events.first)
    #expect(event.method == "channel.changed" && event.seq == 4)
    #expect(event.params?["channel"]?["name"]?.string == "Tea")
    #expect(event.params?["channel"]?["member_count"]?.integer == 4)
    #expect(event.params?["channel"]?["my"] == nil)
    #expect(event.params?["channel"]?["members"] == nil)
    #expect(try rig.perform(.updateGroup(fields), by: .platform).code == nil)
  }

  @Test("without operators, any joined member changes settings, and no one operates")
  mutating func updatesWithoutOperators() throws {
    rig = try .group(isPublic: true, operators: [])
    let fields = ChannelFields(name: "Tea")
    for id in ["cat", "away"] {
      #expect(try rig.perform(.updateGroup(fields), by: id).code == .notAllowed)
    }
    #expect(try rig.perform(.updateGroup(fields), by: "ann").group != nil)
    for command in [ChannelCommand.freeze, .mute("ben"), .group(.delete)] {
      #expect(try rig.perform(command, by: "ann").code == .notAllowed)
    }
    _ = try rig.change(.leave, by: "ann")
    #expect(try rig.perform(.updateGroup(fields), by: "ann").code == .notAllowed)
    // A member that makes itself the operator ends this right of the others.
    let operating = ChannelFields(operatorIDs: ["ben"])
    #expect(try rig.perform(.updateGroup(operating), by: "ben").code == nil)
    #expect(try rig.perform(.updateGroup(fields), by: "boss").code == .notAllowed)
  }

  @Test("any joined member changes settings while no operator takes part")
  func updatesWithoutPresentOperators() throws {
    let fields = ChannelFields(name: "Tea")
    _ = try rig.change(.leave, by: "boss")
    #expect(try rig.perform(.updateGroup(fields), by: "ann").group?.info.channel.name == "Tea")
    #expect(try rig.perform(.freeze, by: "ann").code == .notAllowed)
    _ = try rig.change(.invite(["boss"]), by: "ann")
    #expect(try rig.perform(.updateGroup(fields), by: "ann").code == .notAllowed)
    #expect(try rig.perform(.updateGroup(fields), by: "boss").code == nil)
  }

  @Test("an update without effect is answered with the group, and publishes nothing")
  func sameFields() throws {
    let fields = ChannelFields(name: "", isPublic: false, accessCode: "")
    #expect(try rig.perform(.updateGroup(fields), by: "boss").group?.info.channel.name == "")
    #expect(rig.events.isEmpty)
    #expect(rig.sendCheck(of: "boss", at: rig.now).changes.used == 0)
  }

  @Test("a group becomes public, gets an access code, and loses both")
  func openness() throws {
    let steps: [(ChannelFields, Bool, Bool)] = [
      (ChannelFields(isPublic: true), true, false),
      (ChannelFields(accessCode: "sesame"), true, true),
      (ChannelFields(isPublic: false), false, true),
      (ChannelFields(isPublic: true, accessCode: ""), true, false),
    ]
    for (fields, isPublic, hasCode) in steps {
      let json = try #require(try rig.perform(.updateGroup(fields), by: "boss").group?.json)
      let event = rig.events.last?.params
      for channel in [json["channel"], event?["channel"]] {
        #expect(channel?["is_public"]?.bool == isPublic)
        #expect(channel?["is_access_code_required"]?.bool == hasCode)
      }
    }
    #expect(!rig.events.contains { String(decoding: $0.payload, as: UTF8.self).contains("sesame") })
  }

  @Test("only members become operators, joined or invited")
  func operators() throws {
    for command in [
      ChannelCommand.addOperators(["ann", "away"]),
      .updateGroup(ChannelFields(operatorIDs: ["ann", "away"])),
    ] {
      let error = try #require(try rig.perform(command, by: "boss").error)
      #expect(error.code == .invalidValue && error.data.field == "operator_ids")
    }
    #expect(try rig.perform(.addOperators(["cat"]), by: "boss").code == nil)
    #expect(try rig.perform(.addOperators(["away"]), by: .platform).code == .invalidValue)
    #expect(rig.operatorIDs == ["boss", "cat"])
    // An operator who has left keeps its role when it is named again.
    _ = try rig.change(.leave, by: "boss")
    let fields = ChannelFields(operatorIDs: ["boss", "cat", "ann"])
    #expect(try rig.perform(.updateGroup(fields), by: .platform).code == nil)
    #expect(rig.operatorIDs == ["ann", "boss", "cat"])
  }

  // MARK: The first events

  @Test("a new group's first events are about its members, as the log has recorded them")
  func firstEvents() throws {
    rig.handle(.created(try rig.stored().members))
    #expect(rig.summaries == ["invited cat 4/3", "joined ann 3/2", "joined ben 4/3"])
    #expect(try rig.loggedSummaries() == rig.summaries)
    #expect(rig.events.map(\.seq) == [1, 2, 3])
    #expect(Set(rig.events.map(\.timestamp)) == [rig.channel.createdAt])
    #expect(rig.notices.map(\.userIDs) == [["cat"]])
    #expect(rig.notices.first?.notification["params"]?["inviter"]?["user_id"]?.string == "boss")
    #expect(rig.joinedIDs == ["ann", "ben", "boss"])
    #expect(try rig.perform(.send("x"), by: "ann").sent?.seq == 4)
  }

  @Test("only those who join, or only those who are asked, take the first number")
  mutating func firstNumbers() throws {
    rig = try .group(asking: [])
    rig.handle(.created(try rig.stored().members))
    #expect(rig.summaries == ["joined ann 2/2", "joined ben 3/3", "joined cat 4/4"])
    #expect(rig.events.map(\.seq) == [1, 2, 3] && rig.notices.isEmpty)
    rig = try .group(asking: ["ann", "ben", "cat"])
    rig.handle(.created(try rig.stored().members))
    #expect(rig.summaries == ["invited ann ben cat 4/1"] && rig.events.map(\.seq) == [1])
    #expect(rig.notices.map(\.userIDs) == [["ann", "ben", "cat"]])
  }

  @Test("a group of its creator alone has no first event")
  mutating func alone() throws {
    rig = try .group(inviting: [], asking: [])
    rig.handle(.created(try rig.stored().members))
    #expect(rig.events.isEmpty && rig.notices.isEmpty && rig.joinedIDs == ["boss"])
    #expect(try rig.perform(.send("x"), by: "boss").sent?.seq == 1)
  }

  @Test("the first events of a group that keeps no messages are numbered from 1 too")
  mutating func ephemeral() throws {
    rig = try .group(ephemeral: true)
    rig.handle(.created(try rig.stored().members))
    #expect(rig.events.map(\.seq) == [1, 2, 3])
    #expect(try rig.perform(.send("x"), by: "ann").sent?.seq == 4)
  }
}
