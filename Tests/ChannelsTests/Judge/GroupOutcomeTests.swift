import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

/// A change of members, with what leads to it.
private struct Scenario: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var preparation: [(command: ChannelCommand, userID: String)] = []
  let command: ChannelCommand
  let userID: String
}

@Suite("The judge: interrupted changes of a group's members")
struct GroupOutcomeTests {
  private static let scenarios: [Scenario] = [
    Scenario(testDescription: "invite", command: .change(.invite(["away"])), userID: "ann"),
    Scenario(
      testDescription: "invite several", command: .change(.invite(["dan", "away", "eve", "cat"])),
      userID: "ann"),
    Scenario(
      testDescription: "invite who is asked", command: .change(.invite(["dan", "eve"])),
      userID: "ann"),
    Scenario(testDescription: "accept", command: .change(.accept), userID: "cat"),
    Scenario(testDescription: "decline", command: .change(.decline), userID: "cat"),
    Scenario(testDescription: "join", command: .change(.join(accessCode: "")), userID: "away"),
    Scenario(testDescription: "leave", command: .change(.leave), userID: "ann"),
    Scenario(
      testDescription: "remove", preparation: [(.addOperators(["ann", "cat"]), "boss")],
      command: .change(.remove(["ann", "away", "cat", "ben"])), userID: "boss"),
    Scenario(testDescription: "ban", command: .ban("ann"), userID: "boss"),
    Scenario(
      testDescription: "ban of an operator", preparation: [(.addOperators(["ann"]), "boss")],
      command: .ban("ann"), userID: "boss"),
    Scenario(testDescription: "ban of an invited user", command: .ban("cat"), userID: "boss"),
    Scenario(
      testDescription: "forget", preparation: [(.addOperators(["ann"]), "boss")],
      command: .operation(.changeMembers(.forget(userID: "ann"))), userID: "boss"),
    Scenario(
      testDescription: "update",
      command: .updateGroup(ChannelFields(name: "n", operatorIDs: ["ann"])), userID: "boss"),
  ]

  private func prepare(_ scenario: Scenario) throws -> JudgeRig {
    let rig = try JudgeRig.group(isPublic: true)
    for id in ["dan", "eve"] { rig.contents.set(User(id: id, nickname: id.uppercased())) }
    for id in ["dan", "eve"] { rig.contents.setAcceptsInvitations(false, userID: id) }
    for (command, userID) in scenario.preparation { _ = try rig.perform(command, by: userID) }
    rig.now += 5
    return rig
  }

  @Test(
    "a change that was written has the same events and answer as without the interruption",
    arguments: scenarios)
  private func written(_ scenario: Scenario) throws {
    let (rig, other) = (try prepare(scenario), try prepare(scenario))
    let call = rig.begin(scenario.command, by: .participant(scenario.userID))
    rig.failNext(.unknown(""), isWritten: true)
    #expect(rig.answers[call] == nil && !rig.isIdle)
    rig.answerAll()
    let expected = try other.perform(scenario.command, by: scenario.userID)
    #expect(rig.summaries == other.summaries && rig.events.map(\.seq) == other.events.map(\.seq))
    #expect(rig.notices.map(\.userIDs) == other.notices.map(\.userIDs))
    let answer = try #require(rig.answers[call])
    #expect(expected.error == nil && answer.error == nil)
    #expect(answer.group?.json?.raw == expected.group?.json?.raw)
    #expect(answer.isDone == expected.isDone)
    #expect(rig.joinedIDs == other.joinedIDs)
    try compareNext(rig, other)
  }

  @Test("a change that was not written changes nothing", arguments: scenarios)
  private func unwritten(_ scenario: Scenario) throws {
    let rig = try prepare(scenario)
    let (before, eventCount) = (try rig.stored(), rig.events.count)
    let call = rig.begin(scenario.command, by: .participant(scenario.userID))
    rig.failNext(.unknown(""), isWritten: false)
    rig.answerAll()
    #expect(rig.answers[call]?.code != nil && rig.events.count == eventCount && rig.isIdle)
    #expect(try rig.stored() == before && rig.notices.isEmpty)
    #expect(try rig.joinedIDs == rig.storedJoinedIDs())
    // The same call then succeeds.
    #expect(try rig.perform(scenario.command, by: scenario.userID).error == nil)
    let other = try prepare(scenario)
    _ = try other.perform(scenario.command, by: scenario.userID)
    #expect(rig.summaries == other.summaries)
    try compareNext(rig, other)
  }

  @Test(
    "a call whose outcome stays unknown is answered once, and its change is published later",
    arguments: scenarios)
  private func reported(_ scenario: Scenario) throws {
    let (rig, other) = (try prepare(scenario), try prepare(scenario))
    let call = rig.begin(scenario.command, by: .participant(scenario.userID))
    rig.failNext(.unknown(""), isWritten: true)
    rig.failNext(.unavailable(""))
    #expect(rig.answers[call]?.error?.data.outcome == "unknown")
    rig.now += Settlement.pause
    rig.handle(.deadline)
    rig.answerAll()
    _ = try other.perform(scenario.command, by: scenario.userID)
    #expect(rig.summaries == other.summaries && rig.isIdle)
    #expect(rig.joinedIDs == other.joinedIDs)
  }

  /// The next message has the same numbers on both sides, and judge and log agree.
  private func compareNext(_ rig: JudgeRig, _ other: JudgeRig) throws {
    for rig in [rig, other] {
      #expect(try rig.joinedIDs == rig.storedJoinedIDs())
      let stored = try rig.stored()
      #expect(stored.channel == rig.channel)
      #expect(
        try rig.loggedSummaries(after: 3) == rig.events.filter(\.isAboutMembers).map(\.summary))
    }
    let (sent, expected) = (
      try rig.perform(.send("x"), by: .platform), try other.perform(.send("x"), by: .platform)
    )
    #expect(sent.sent?.seq == expected.sent?.seq && sent.sent?.message.ordinal == 1)
  }

  @Test("commands wait while an outcome is unknown, and are judged by it")
  func waiting() throws {
    let rig = try JudgeRig.group()
    rig.begin(.change(.leave), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: true)
    let send = rig.begin(.send("x"), by: .participant("ann"))
    let view = rig.begin(.viewGroup, by: .participant("ann"))
    let other = rig.begin(.viewGroup, by: .participant("ben"))
    #expect(rig.answers[send] == nil && rig.requests.count == 1)
    rig.answerAll()
    for call in [send, view] {
      #expect(rig.answers[call]?.error == .notFound(.channel, "lobby"))
    }
    #expect(rig.answers[other]?.group?.info.channel.group?.joinedCount == 2)
  }
}
