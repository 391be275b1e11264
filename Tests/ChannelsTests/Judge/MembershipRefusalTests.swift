import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: refused changes of a group's members")
struct MembershipRefusalTests {
  /// The refusal that a change gets in some group, by a user.
  private func code(
    _ change: MembershipChange, by userID: String, in rig: JudgeRig
  ) throws -> ErrorCode? {
    try rig.change(change, by: userID).code
  }

  /// A public group, which strangers see.
  private func publicGroup(_ accessCode: String = "") throws -> JudgeRig {
    try .group(isPublic: true, accessCode: accessCode)
  }

  @Test("only joined members invite; with an access code only operators do")
  func inviting() throws {
    for rig in try [publicGroup(), .group()] {
      #expect(try code(.invite(["away"]), by: "cat", in: rig) == .notInChannel)
      #expect(try code(.invite(["away"]), by: "ann", in: rig) == nil)
    }
    #expect(try code(.invite(["away"]), by: "away", in: publicGroup()) == .notInChannel)
    let coded = try publicGroup("sesame")
    #expect(try code(.invite(["away"]), by: "away", in: coded) == .notInChannel)
    #expect(try code(.invite(["away"]), by: "ann", in: coded) == .notAllowed)
    #expect(try code(.invite(["away"]), by: "boss", in: coded) == nil)
  }

  @Test("in a private group with an access code, any joined member invites")
  func privateWithCode() throws {
    let rig = try JudgeRig.group(accessCode: "sesame")
    #expect(try code(.invite(["away"]), by: "ann", in: rig) == nil)
  }

  @Test("nobody is invited when one user is unknown, deactivated or banned")
  func allOrNone() throws {
    let rig = try JudgeRig.group()
    rig.contents.set(User(id: "dan"))
    for id in ["out", "off"] { rig.contents.set(User(id: id)) }
    rig.contents.setActive(false, userID: "off")
    _ = try rig.perform(.ban("out"), by: "boss")
    rig.events = []
    let unknown = try rig.change(.invite(["dan", "nobody"]), by: "ann")
    #expect(unknown.code == .notFound && unknown.error?.data.field == "user_id")
    #expect(try rig.change(.invite(["dan", "off"]), by: "ann").error == .deactivated("off"))
    #expect(try rig.change(.invite(["dan", "out"]), by: "ann").error == .banned("lobby"))
    #expect(try rig.change(.invite(["dan", "out"]), by: .platform).error == .banned("lobby"))
    #expect(rig.events.isEmpty && rig.notices.isEmpty)
    #expect(try rig.stored().members.count == 4)
    #expect(rig.sendCheck(of: "ann", at: rig.now).changes.used == 0)
  }

  @Test("a group has at most 100 members, joined and invited")
  func mostInvited() throws {
    let rig = try JudgeRig.group()
    let ids = rig.addUsers(97)
    let refusal = try #require(try rig.change(.invite(ids), by: "ann").error)
    #expect(refusal.code == .tooManyItems && refusal.data.limit == 100)
    #expect(refusal.data.field == "user_ids" && refusal.data.scope == "channel")
    #expect(try rig.change(.invite(Array(ids.dropLast())), by: "ann").code == nil)
    #expect(try rig.change(.invite([ids[96]]), by: .platform).code == .tooManyItems)
    // Those who are members already take no room.
    #expect(try rig.change(.invite(ids.dropLast() + ["ann", "cat"]), by: "ann").code == nil)
    #expect(try rig.change(.accept, by: "cat").code == nil)
    #expect(try rig.change(.remove(["cat"]), by: "boss").code == nil)
    #expect(try rig.change(.invite([ids[96]]), by: "ann").code == nil)
  }

  @Test("a full group is joined by invited users only")
  func mostJoining() throws {
    let rig = try publicGroup()
    _ = try rig.change(.invite(rig.addUsers(96)), by: "boss")
    #expect(try code(.join(accessCode: ""), by: "away", in: rig) == .tooManyItems)
    #expect(try code(.join(accessCode: ""), by: "cat", in: rig) == nil)
    #expect(try code(.join(accessCode: ""), by: "ann", in: rig) == nil)
  }

  @Test("accepting and declining need an open invitation")
  func withoutInvitation() throws {
    let rig = try publicGroup()
    #expect(try code(.accept, by: "away", in: rig) == .combinationNotAcceptable)
    for id in ["away", "ann"] {
      let error = try #require(try rig.change(.decline, by: id).error)
      #expect(error.code == .combinationNotAcceptable && error.data.field == "channel_url")
    }
    _ = try rig.change(.remove(["cat"]), by: "boss")
    #expect(try code(.accept, by: "cat", in: rig) == .combinationNotAcceptable)
    for change in [MembershipChange.accept, .decline] {
      #expect(try rig.change(change, by: .platform).code == .combinationNotAcceptable)
    }
  }

  @Test("nobody joins a private group, with its access code or without")
  func joiningPrivate() throws {
    let rig = try JudgeRig.group(accessCode: "sesame")
    for id in ["away", "cat"] {
      let outcome = try rig.change(.join(accessCode: "sesame"), by: id)
      #expect(outcome.error == .notFound(.channel, "lobby"))
    }
    _ = try rig.perform(.updateGroup(ChannelFields(isPublic: true)), by: "boss")
    #expect(try code(.join(accessCode: "sesame"), by: "away", in: rig) == nil)
  }

  @Test("banned users do not join, until the ban ends")
  func joiningBanned() throws {
    let rig = try publicGroup()
    for id in ["away", "ann", "cat"] { _ = try rig.perform(.ban(id, seconds: 1), by: "boss") }
    for id in ["away", "ann", "cat"] {
      #expect(try rig.change(.join(accessCode: ""), by: id).error == .banned("lobby"))
    }
    rig.now += 1_000
    for id in ["away", "ann", "cat"] {
      #expect(try code(.join(accessCode: ""), by: id, in: rig) == nil)
    }
  }

  @Test("a wrong access code names its field")
  func wrongCode() throws {
    let rig = try publicGroup("sesame")
    for text in ["", "sesam", "SESAME"] {
      let error = try #require(try rig.change(.join(accessCode: text), by: "away").error)
      #expect(error.code == .invalidValue && error.data.field == "access_code")
    }
    #expect(rig.joinedIDs == ["ann", "ben", "boss"] && rig.events.isEmpty)
  }

  @Test("after five wrong access codes in a minute, each code is refused, the right one too")
  func guessing() throws {
    let rig = try publicGroup("sesame")
    for _ in 0..<5 {
      #expect(try code(.join(accessCode: "guess"), by: "away", in: rig) == .invalidValue)
      rig.now += 1_000
    }
    for text in ["guess", "sesame"] {
      let error = try #require(try rig.change(.join(accessCode: text), by: "away").error)
      #expect(error.code == .rateLimited && error.data.retryAfterMilliseconds == 55_000)
      #expect(error.data.limit == 5 && error.data.windowMilliseconds == 60_000)
    }
    rig.now += 54_999
    #expect(try code(.join(accessCode: "sesame"), by: "away", in: rig) == .rateLimited)
    rig.now += 1
    #expect(try code(.join(accessCode: "sesame"), by: "away", in: rig) == nil)
  }

  @Test("wrong access codes count for each user on its own, and right ones do not")
  func guessingAlone() throws {
    let rig = try publicGroup("sesame")
    for _ in 0..<9 { _ = try rig.change(.join(accessCode: "guess"), by: "away") }
    for _ in 0..<9 { #expect(try code(.join(accessCode: "sesame"), by: "cat", in: rig) == nil) }
    #expect(try code(.join(accessCode: "guess"), by: "cat", in: rig) == nil)
    // A group without a code has none to guess.
    _ = try rig.perform(.updateGroup(ChannelFields(accessCode: "")), by: "boss")
    #expect(try code(.join(accessCode: ""), by: "away", in: rig) == nil)
  }

  @Test("only joined members leave")
  func leaving() throws {
    let rig = try publicGroup()
    for id in ["cat", "away"] {
      #expect(try code(.leave, by: id, in: rig) == .notInChannel)
    }
    #expect(try rig.change(.leave, by: .platform).code == .notInChannel)
    #expect(rig.events.isEmpty)
  }

  @Test("only operators and the Platform API remove members")
  func removing() throws {
    let rig = try publicGroup()
    for id in ["ann", "cat", "away"] {
      #expect(try code(.remove(["ben"]), by: id, in: rig) == .notAllowed)
    }
    #expect(try rig.change(.remove(["ben"]), by: .platform).code == nil)
    // An operator who has left, or has not joined, has the role without the rights.
    _ = try rig.perform(.addOperators(["cat"]), by: "boss")
    _ = try rig.change(.leave, by: "boss")
    for id in ["boss", "cat"] {
      #expect(try code(.remove(["ann"]), by: id, in: rig) == .notAllowed)
      #expect(try rig.perform(.freeze, by: id).code == .notAllowed)
    }
    _ = try rig.change(.accept, by: "cat")
    #expect(try code(.remove(["ann"]), by: "cat", in: rig) == nil)
    let ownerless = try JudgeRig.group(operators: [])
    #expect(try code(.remove(["ben"]), by: "ann", in: ownerless) == .notAllowed)
  }

  @Test("a log that fails leaves the members as they were")
  func failure() throws {
    let rig = try JudgeRig.group()
    let changes: [(String, MembershipChange)] = [
      ("ann", .invite(["away"])), ("cat", .accept), ("cat", .decline), ("ann", .leave),
      ("boss", .remove(["ben"])),
    ]
    for (userID, change) in changes {
      let call = rig.begin(.change(change), by: .participant(userID))
      rig.failNext(.overloaded)
      #expect(rig.answers[call]?.code == .internalError)
      #expect(rig.sendCheck(of: userID, at: rig.now).changes.used == 0)
    }
    #expect(rig.events.isEmpty && rig.joinedIDs == ["ann", "ben", "boss"])
    #expect(rig.notices.isEmpty && rig.isIdle)
  }
}
