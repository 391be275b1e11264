import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: who sees a group")
struct GroupVisibilityTests {
  private let missing = ServiceError.notFound(.channel, "lobby")

  private func error(_ body: () throws(ServiceError) -> Void) -> ServiceError? {
    do throws(ServiceError) { try body() } catch { return error }
    return nil
  }

  @Test(
    "a stranger of a private group gets the error of a missing channel, and nothing is read",
    arguments: ChannelCommand.samples(messageID: 10_000_000_000))
  func stranger(command: ChannelCommand) throws {
    let rig = try JudgeRig.group()
    let sent = try #require(try rig.perform(.send("x"), by: "ann").sent)
    #expect(sent.message.id == 10_000_000_000)
    rig.events = []
    for principal in [
      Principal.participant("away"), .background(User(id: "away")),
    ] {
      let call = rig.begin(command, by: principal)
      #expect(rig.answers[call]?.error == missing)
    }
    #expect(rig.requests.isEmpty && rig.events.isEmpty && rig.others.isEmpty && rig.isIdle)
    let check = rig.sendCheck(of: "away", at: rig.now)
    #expect(check.sends.used == 0 && check.changes.used == 0)
  }

  @Test(
    "a former member, a banned one and an operator who left are strangers",
    arguments: ChannelCommand.samples())
  func formerMembers(command: ChannelCommand) throws {
    let rig = try JudgeRig.group()
    _ = try rig.perform(.ban("ann"), by: "boss")
    _ = try rig.change(.leave, by: "ben")
    _ = try rig.change(.leave, by: "boss")
    for id in ["ann", "ben", "boss"] {
      let call = rig.begin(command, by: .participant(id))
      #expect(rig.answers[call]?.error == missing)
    }
    #expect(rig.requests.isEmpty)
  }

  @Test("a stranger of a private group neither enters nor reads it, nor lists its members")
  func strangerReads() throws {
    let rig = try JudgeRig.group()
    #expect(
      error { () throws(ServiceError) in try rig.requireEntering("away", at: 0) } == missing)
    #expect(
      error { () throws(ServiceError) in _ = try rig.requireReading("away") } == missing)
    #expect(
      error { () throws(ServiceError) in try rig.requireListingMembers("away") } == missing)
  }

  @Test("the same commands meet their own rules for a stranger of a public group")
  func publicStranger() throws {
    let rig = try JudgeRig.group(isPublic: true)
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let edit = MessageChanges(text: "y")
    let expected: [(ChannelCommand, ErrorCode?)] = [
      (.send("x"), .notInChannel), (.updateMessage(id, edit), .notInChannel),
      (.changeMetaArrays(ofMessage: id, .createKeys(["k"])), .notInChannel),
      (.deleteMessage(id), .notAllowed), (.viewMessage(id), .notAllowed),
      (.translateMessage(id, into: ["de"]), .notAllowed), (.freeze, .notAllowed),
      (.view, .combinationNotAcceptable), (.viewGroup, nil),
      (.updateGroup(ChannelFields(name: "n")), .notAllowed), (.group(.delete), .notAllowed),
    ]
    for (command, code) in expected {
      #expect(try rig.perform(command, by: "away").code == code, "\(command)")
    }
  }

  @Test("invited users see the group, but neither messages nor a place to write")
  func invited() throws {
    let rig = try JudgeRig.group()
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let expected: [(ChannelCommand, ErrorCode?)] = [
      (.send("x"), .notInChannel), (.updateMessage(id, MessageChanges(text: "y")), .notInChannel),
      (.deleteMessage(id), .notAllowed), (.viewMessage(id), .notAllowed),
      (.translateMessage(id, into: ["de"]), .notAllowed), (.viewGroup, nil),
      (.change(.leave), .notInChannel),
    ]
    for (command, code) in expected {
      #expect(try rig.perform(command, by: "cat").code == code, "\(command)")
    }
    #expect(
      error { () throws(ServiceError) in _ = try rig.requireReading("cat") }?.code == .notAllowed)
    #expect(error { () throws(ServiceError) in try rig.requireListingMembers("cat") } == nil)
  }

  @Test("strangers of a public group neither read it nor list its members")
  func publicReads() throws {
    let rig = try JudgeRig.group(isPublic: true)
    #expect(
      error { () throws(ServiceError) in _ = try rig.requireReading("away") }?.code == .notAllowed)
    #expect(
      error { () throws(ServiceError) in try rig.requireListingMembers("away") }?.code
        == .notAllowed)
    #expect(error { () throws(ServiceError) in try rig.requireListingMembers("ann") } == nil)
  }

  @Test("a background upload is sent only for a joined member")
  func background() throws {
    func code(_ userID: String, in rig: JudgeRig) throws -> ErrorCode? {
      try rig.perform(.send("x"), by: .background(User(id: userID))).code
    }
    let (closed, open) = (try JudgeRig.group(), try JudgeRig.group(isPublic: true))
    #expect(try code("away", in: closed) == .notFound && code("away", in: open) == .notInChannel)
    for rig in [closed, open] {
      #expect(try code("cat", in: rig) == .notInChannel && code("ann", in: rig) == nil)
      _ = try rig.change(.leave, by: "ann")
    }
    #expect(try code("ann", in: closed) == .notFound && code("ann", in: open) == .notInChannel)
    // In an open channel, the upload outlives the stay.
    let channel = try JudgeRig()
    #expect(try code("away", in: channel) == nil)
  }

  @Test("making a group private hides it from strangers at once, and keeps its members")
  func hides() throws {
    let rig = try JudgeRig.group(isPublic: true)
    #expect(try rig.perform(.viewGroup, by: "away").code == nil)
    _ = try rig.perform(.updateGroup(ChannelFields(isPublic: false)), by: "boss")
    #expect(try rig.perform(.viewGroup, by: "away").error == missing)
    #expect(rig.joinedIDs == ["ann", "ben", "boss"])
  }

  // MARK: Kinds

  @Test(
    "commands for groups are refused by an open channel", arguments: ChannelCommand.groupSamples)
  func groupCommands(command: ChannelCommand) throws {
    let rig = try JudgeRig()
    for principal in [Principal.participant("boss"), .participant("away"), .platform] {
      let call = rig.begin(command, by: principal)
      let error = try #require(rig.answers[call]?.error)
      #expect(error == .wrongKind("lobby", .open))
      #expect(error.code == .combinationNotAcceptable && error.data.field == "channel_url")
    }
    #expect(rig.requests.isEmpty && rig.sendCheck(of: "boss", at: rig.now).changes.used == 0)
    _ = try rig.perform(.delete, by: "boss")
    #expect(try rig.perform(command, by: "boss").error == missing)
  }

  @Test("a change of members given as an operation is refused by an open channel")
  func memberOperations() throws {
    let rig = try JudgeRig()
    for change in MembershipChange.samples {
      let outcome = try rig.perform(.operation(.changeMembers(change)), by: .platform)
      #expect(outcome.error == .wrongKind("lobby", .open))
    }
    #expect(rig.events.isEmpty && rig.requests.isEmpty)
  }

  @Test("calls for open channels are refused by a group")
  func openCommands() throws {
    let rig = try JudgeRig.group(isPublic: true)
    for command in [ChannelCommand.view, .update(ChannelFields(name: "n")), .delete] {
      for id in ["boss", "cat", "away"] {
        #expect(try rig.perform(command, by: id).error == .wrongKind("lobby", .group))
      }
    }
    for id in ["boss", "cat", "away"] {
      #expect(
        error { () throws(ServiceError) in try rig.requireEntering(id, at: 0) }
          == .wrongKind("lobby", .group))
    }
    #expect(rig.requests.isEmpty)
  }

  @Test("operating calls of open channels work in a group")
  func sharedCommands() throws {
    let rig = try JudgeRig.group()
    let commands: [ChannelCommand] = [
      .freeze, .unfreeze, .mute("ben"), .unmute(userID: "ben"), .addOperators(["ben"]),
      .removeOperators(["ben"]), .ban("ben"), .unban(userID: "ben"),
    ]
    for command in commands {
      #expect(try rig.perform(command, by: "ann").code == .notAllowed)
      #expect(try rig.perform(command, by: "boss").code == nil)
    }
  }
}
