import Testing

@testable import ParleyClient

@Suite("A group in an answer")
struct GroupReadingTests {
  private let core = ClientCore(bufferedEvents: 10)

  @Test("has its properties, its members and those of the current user")
  func all() throws {
    let group = try core.knownGroup()
    #expect(group.url == "trip" && group.name == "Trip" && group.creator?.userID == "jeff")
    #expect(group.memberCount == 3 && group.joinedMemberCount == 2)
    #expect(group.isPublic && group.isAccessCodeRequired && !group.isDistinct)
    #expect(!group.isEphemeral && !group.isFrozen && group.maxMessageLength == 5000)
    #expect(group.lastMessage?.messageID == 20)
    #expect(group.members.map(\.userID) == ["jeff", "ann", "kim"])
    #expect(group.members.map(\.role) == [.operator, .none, .none])
    #expect(group.members.map(\.state) == [.joined, .joined, .invited])
    #expect(group.members.map(\.joinedAt) == [8, 8, 0])
    #expect(group.myMemberState == .joined && group.myRole == .none)
    #expect(group.inviter?.userID == "jeff" && group.invitedAt == 7 && group.joinedAt == 8)
    #expect(group.messageOffsetTimestamp == 8 && group.myMutedState == .unmuted)
    #expect(group.unreadMessageCount == 1 && group.myLastRead == 100)
    #expect(group.hiddenState == .unhidden && !group.isHidden && group.myCountPreference == .all)
  }

  @Test("has neither members nor a membership for others")
  func stranger() throws {
    let group = try core.knownGroup(Sample.group(my: nil))
    #expect(group.members == [] && group.myMemberState == .none && group.inviter == nil)
    #expect(group.memberCount == 3)
    #expect(!core.channels.isEntered("trip"))
  }

  @Test(
    "is an error when it lacks a member",
    arguments: [
      "epoch", "seq", "state", "joined_at", "visible_from", "member_count", "last_ordinal",
      "unread_message_count", "unread_mention_count", "read_ordinal", "hidden_state",
    ])
  func malformed(name: String) throws {
    let json = Sample.group().replacing("\"\(name)\":", with: "\"other\":")
    #expect(throws: ParleyError.self) { try core.groupProperties(json) }
  }

  @Test("is an error when a member has an unknown state")
  func unknownState() throws {
    let json = Sample.group().replacing(#""state":"invited""#, with: #""state":"gone""#)
    #expect(throws: ParleyError.self) { try core.groupProperties(json) }
  }

  @Test("is written as the parameters say, without those that are not set")
  func written() {
    let group = GroupChannelCreateParams(userIDs: ["ben"])
    group.users = [User(userID: "cleo")]
    #expect(
      params(core.groupCalls.create(group.values))
        == #"{"user_ids":["ben","cleo"]}"#)
    group.name = "Trip"
    group.channelURL = "trip"
    group.coverURL = "https://a.b/c"
    group.data = "d"
    group.customType = "c"
    group.operatorUserIDs = ["ben"]
    group.isDistinct = true
    group.isPublic = true
    group.accessCode = "x"
    group.isEphemeral = true
    #expect(
      params(core.groupCalls.create(group.values))
        == #"{"user_ids":["ben","cleo"],"name":"Trip","channel_url":"trip","cover_url":"https://a.b/c","#
        + #""data":"d","custom_type":"c","operator_ids":["ben"],"is_distinct":true,"is_public":true,"#
        + #""access_code":"x","is_ephemeral":true}"#)
    let changes = GroupChannelUpdateParams(name: "Hall")
    changes.isPublic = false
    changes.accessCode = ""
    #expect(
      params(core.groupCalls.update("trip", changes.values))
        == #"{"channel_url":"trip","name":"Hall","is_public":false,"access_code":""}"#)
    let members = MemberListQueryParams()
    members.memberStateFilter = .invited
    #expect(
      params(GroupCalls.members("trip", members.values, "t"))
        == #"{"channel_url":"trip","member_state":"invited","limit":20,"token":"t"}"#)
  }
}
