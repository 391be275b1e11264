import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

/// Random changes of members and messages, on a judge with a log that answers at once or late, and
/// sometimes fails.
private struct RandomGroup {
  private static let users = ["ann", "ben", "boss", "cat", "away"]
  private static let asked = ["away", "cat"]

  private var random: SeededGenerator
  private let rig: JudgeRig
  private var model: GroupModel
  private var appliedCount = 0
  private var callCount = 0
  /// Whether the log answers each call before the next.
  private let isPrompt: Bool
  private var isInDoubt = false

  init(seed: UInt64, isPrompt: Bool) throws {
    random = SeededGenerator(seed: seed)
    self.isPrompt = isPrompt
    rig = try .group(limit: .off, asking: Self.asked)
    model = GroupModel(
      joined: ["ann", "ben", "boss"], invited: ["cat"], operators: ["boss"], asked: Self.asked,
      lastSeq: 3)
  }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      // Two messages, or a message and a joining, never have the same time.
      rig.now += Int64.random(in: 1...300, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<10: try changeMembers()
      case 10..<14: try send()
      case 14: try operate()
      case 15..<18: try readOrDelete()
      case 18 where random.oneIn(4): try restart()
      default: try failOne()
      }
      if !isPrompt, random.oneIn(2), !rig.requests.isEmpty { rig.answerNext() }
      try follow()
    }
    try finish()
  }

  // MARK: Steps

  private mutating func changeMembers() throws {
    let userID = user()
    let others = Self.users.shuffled(using: &random)
    let changes: [MembershipChange] = [
      .invite(Array(others.prefix(Int.random(in: 1...3, using: &random)))), .accept, .decline,
      .join(accessCode: ""), .leave, .remove(Array(others.prefix(2))),
    ]
    let change = changes.randomElement(using: &random) ?? .leave
    try perform(
      .change(change), by: userID, expecting: model.refusal(of: change, by: userID))
  }

  private mutating func send() throws {
    let userID = user()
    try perform(.send("x"), by: userID, expecting: model.refusalOfSend(by: userID))
  }

  private mutating func operate() throws {
    let (userID, other) = (user(), user())
    let refusal = model.refusalOfOperation(by: userID)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try perform(.ban(other), by: userID, expecting: refusal)
    case 1: try perform(.unban(userID: other), by: userID, expecting: refusal)
    case 2:
      let fields = ChannelFields(isPublic: random.oneIn(2))
      let isLed = model.operators.contains(where: model.leads)
      let expected = !isLed && model.joined[userID] != nil ? nil : refusal
      try perform(.updateGroup(fields), by: userID, expecting: expected)
    // The group always gets an operator again.
    case _:
      let heirs = Self.users.filter { model.joined[$0] != nil }
      guard let heir = heirs.randomElement(using: &random) else { return }
      _ = rig.begin(.addOperators([heir]), by: .platform)
      callCount += 1
      if isPrompt { rig.answerAll() }
    }
  }

  private mutating func readOrDelete() throws {
    let userID = user()
    guard let message = model.messages.randomElement(using: &random) else { return }
    if random.oneIn(4) {
      try perform(
        .deleteMessage(message.id), by: userID,
        expecting: model.refusal(ofDeleting: message, by: userID))
    } else {
      try perform(
        .viewMessage(message.id), by: userID,
        expecting: model.refusal(ofReading: message, by: userID))
    }
  }

  private mutating func perform(
    _ command: ChannelCommand, by userID: String, expecting code: ErrorCode?
  ) throws {
    let call = rig.begin(command, by: .participant(userID))
    callCount += 1
    guard isPrompt else { return }
    rig.answerAll()
    let outcome = try #require(rig.answers[call])
    #expect(outcome.code == code, "\(command) by \(userID)")
  }

  /// A call that fails, or whose commit is interrupted.
  private mutating func failOne() throws {
    if isPrompt { rig.begin(.change(.invite(Self.users)), by: .platform) }
    if isPrompt { callCount += 1 }
    guard case .entry? = rig.requests.first else { return rig.answerAll() }
    if random.oneIn(2) {
      rig.failNext(.unknown("by chance"), isWritten: random.oneIn(2))
      isInDoubt = true
    } else {
      rig.failNext(.overloaded)
    }
    if isPrompt { rig.answerAll() }
  }

  private mutating func restart() throws {
    guard rig.isIdle else { return }
    try rig.restart(limit: .off, users: [])
  }

  // MARK: Checks

  private mutating func follow() throws {
    for event in rig.events[appliedCount...] { try model.apply(event) }
    appliedCount = rig.events.count
    // A read of an outcome that failed is repeated.
    if isInDoubt, rig.requests.isEmpty {
      guard rig.isIdle else { return rig.handle(.deadline) }
      isInDoubt = false
    }
    guard isPrompt, !isInDoubt else { return }
    #expect(rig.joinedIDs == model.joined.keys.sorted())
    for (userID, time) in model.joined where time > 0 {
      #expect((try? rig.requireReading(userID)) == time)
    }
  }

  /// Judge, log and events agree.
  private mutating func finish() throws {
    while !rig.requests.isEmpty || isInDoubt {
      rig.answerAll()
      try follow()
    }
    #expect(rig.isIdle && rig.answers.count == callCount, "each call is answered once")
    let stored = try rig.stored()
    #expect(stored.lastSeq == model.lastSeq && stored.lastOrdinal == model.lastOrdinal)
    #expect(stored.channel == rig.channel)
    #expect(rig.joinedIDs == model.joined.keys.sorted())
    #expect(try rig.storedJoinedIDs() == model.joined.keys.sorted())
    #expect(
      Set(stored.members.filter { $0.state == .invited }.map(\.user.id)) == model.invited)
    #expect(Set(stored.channel.operators.map(\.id)) == model.operators)
    #expect(stored.channel.group?.isPublic == model.isPublic)
    #expect(stored.channel.group?.memberCount == model.joined.count + model.invited.count)
    #expect(stored.channel.group?.joinedCount == model.joined.count)
    let first = max(stored.lastSeq - 250, 3)
    #expect(
      try rig.loggedSummaries(after: first)
        == rig.events.filter { $0.seq > first && $0.isAboutMembers }.map(\.summary))
  }

  private mutating func user() -> String { Self.users.randomElement(using: &random) ?? "ann" }
}

@Suite("The judge of a group compared with a simple model")
struct GroupModelTests {
  @Test("each call is decided as the model decides it", arguments: UInt64(1)...20)
  func decides(seed: UInt64) throws {
    var group = try RandomGroup(seed: seed, isPrompt: true)
    try group.run(steps: 400)
  }

  @Test(
    "with a log that answers late and sometimes fails, events, members and ordinals agree",
    arguments: UInt64(1)...20)
  func agrees(seed: UInt64) throws {
    var group = try RandomGroup(seed: seed, isPrompt: false)
    try group.run(steps: 400)
  }
}
