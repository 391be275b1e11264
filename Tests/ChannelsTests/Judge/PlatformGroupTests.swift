import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: groups over the Platform API")
struct PlatformGroupTests {
  private let rig: JudgeRig

  init() throws { rig = try .group() }

  private func platform(_ userID: String) -> Principal { .platform(onBehalfOf: User(id: userID)) }

  private func members(_ answer: GroupAnswer) -> [String] {
    (answer.members ?? []).map(\.member.user.id)
  }

  @Test(
    "a private group is shown with its last message and members, whomever the call is for",
    arguments: [nil, "away", "cat", "ann"])
  func shows(userID: String?) throws {
    let sent = try #require(try rig.perform(.send("x"), by: "ann").sent)
    let principal = userID.map(platform) ?? .platform
    let answer = try #require(try rig.perform(.viewGroup, by: principal).group)
    #expect(answer.lastMessage?.id == sent.message.id)
    #expect(Set(members(answer)) == ["ann", "ben", "boss", "cat"])
    #expect((answer.own == nil) == (userID == nil || userID == "away"))
    #expect(answer.own?.inviter?.id == (["cat", "ann"].contains(userID) ? "boss" : nil))
    let bare = try rig.perform(.group(.view(memberLimit: 0)), by: principal).group
    #expect(bare?.members?.isEmpty == true && bare?.lastMessage != nil)
  }

  @Test("reading, changing and listing members need no membership")
  func reads() throws {
    let sent = try #require(try rig.perform(.send("x"), by: "ann").sent)
    for principal in [Principal.platform, platform("away"), platform("cat")] {
      #expect(try rig.perform(.viewMessage(sent.message.id), by: principal).code == nil)
      #expect(try rig.perform(.updateGroup(ChannelFields(name: "n")), by: principal).code == nil)
      #expect(throws: Never.self) { try rig.requireListingMembers(principal) }
    }
  }

  @Test("anyone may be the inviter, and is named in the event")
  func invites() throws {
    #expect(try rig.change(.invite(["away"]), by: platform("cat")).code == nil)
    #expect(rig.summaries == ["joined away 5/4"])
    #expect(try rig.stored().members.first { $0.user.id == "away" }?.inviterID == "cat")
    let guarded = try JudgeRig.group(isPublic: true, accessCode: "sesame")
    #expect(try guarded.change(.invite(["away"]), by: platform("ann")).code == nil)
  }

  @Test("invited users accept and decline, and strangers join with the code of a public group")
  func answersInvitations() throws {
    #expect(try rig.change(.accept, by: platform("cat")).group?.own?.state == .joined)
    #expect(try rig.change(.decline, by: platform("ann")).code == .combinationNotAcceptable)
    #expect(try rig.change(.accept, by: platform("away")).code == .combinationNotAcceptable)
    #expect(try rig.change(.join(accessCode: ""), by: platform("away")).code == .notFound)
    let open = try JudgeRig.group(isPublic: true, accessCode: "sesame")
    #expect(try open.change(.join(accessCode: "guess"), by: platform("away")).code == .invalidValue)
    #expect(try open.change(.join(accessCode: "sesame"), by: platform("away")).code == nil)
    #expect(try open.change(.decline, by: platform("cat")).isDone)
    #expect(open.joinedIDs == ["ann", "away", "ben", "boss"])
  }

  @Test("messages need a joined author who is not banned, and admin messages none")
  func sends() throws {
    _ = try rig.perform(.freeze, by: "boss")
    _ = try rig.perform(.mute("ann"), by: "boss")
    #expect(try rig.perform(.send("x"), by: platform("ann")).sent != nil)
    #expect(try rig.perform(.send("x"), by: .platform).sent != nil)
    for id in ["cat", "away"] {
      #expect(try rig.perform(.send("x"), by: platform(id)).error == .notJoined("lobby"))
    }
    _ = try rig.perform(.ban("ben"), by: "boss")
    #expect(try rig.perform(.send("x"), by: platform("ben")).code == .banned)
  }

  @Test("users leave together, keep their roles, and others are skipped")
  func leave() throws {
    let change = MembershipChange.release(
      userIDs: ["boss", "away", "cat", "ann"], keepsRoles: true)
    #expect(try rig.change(change, by: .platform).isDone)
    #expect(rig.summaries == ["left boss left 3/2", "declined cat 2/2", "left ann left 1/1"])
    #expect(rig.joinedIDs == ["ben"] && rig.operatorIDs == ["boss"])
    rig.events = []
    #expect(try rig.change(change, by: .platform).isDone)
    #expect(rig.events.isEmpty)
    #expect(try rig.change(.release(userIDs: nil, keepsRoles: false), by: .platform).isDone)
    #expect(rig.joinedIDs == [] && rig.operatorIDs == ["boss"])
  }

  @Test("all leave, with their roles unless these are kept", arguments: [true, false])
  func leaveAll(keepsRoles: Bool) throws {
    let change = MembershipChange.release(userIDs: nil, keepsRoles: keepsRoles)
    #expect(try rig.change(change, by: .platform).isDone)
    #expect(try rig.stored().members.isEmpty && rig.joinedIDs == [])
    #expect(rig.operatorIDs == (keepsRoles ? ["boss"] : []))
    #expect(try rig.change(.release(userIDs: nil, keepsRoles: true), by: .platform).isDone)
  }

  @Test("users on connections do not make others leave, unless they are operators")
  func leaveRight() throws {
    let change = MembershipChange.release(userIDs: ["ben"], keepsRoles: true)
    #expect(try rig.change(change, by: "ann").code == .notAllowed)
    #expect(rig.joinedIDs == ["ann", "ben", "boss"])
  }
}
