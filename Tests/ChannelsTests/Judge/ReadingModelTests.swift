import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

/// Random messages and readers of a group, on a judge with a log that answers at once or late, and
/// sometimes fails.
private struct ReadGroup {
  private static let users = ["ann", "ben", "boss", "cat", "away"]

  private var random: SeededGenerator
  private let rig: JudgeRig
  private static let block = Block(by: "ben", of: "ann")
  private var model = ReadingModel(joined: ["ann", "ben", "boss", "cat"], block)
  /// Whether the log answers each call before the next.
  private let isPrompt: Bool

  init(seed: UInt64, isPrompt: Bool) throws {
    random = SeededGenerator(seed: seed)
    self.isPrompt = isPrompt
    rig = try .group(isPublic: true, limit: .off, asking: [])
    rig.contents.add(Self.block)
  }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      // A message and a joining never have the same time.
      rig.now += Int64.random(in: 1...9, using: &random)
      begin()
      if isPrompt {
        try answerAll()
      } else {
        while random.oneIn(2), !rig.requests.isEmpty { try answerNext() }
      }
      if random.oneIn(15) {
        try answerAll()
        try rig.restart(limit: .off, users: [])
      }
      if isPrompt || random.oneIn(10) { try check() }
    }
    try check()
  }

  // MARK: Steps

  private mutating func begin() {
    let userID = Self.users.randomElement(using: &random) ?? ""
    let author = Principal.participant(userID)
    switch Int.random(in: 0..<23, using: &random) {
    case 0..<5: rig.begin(send(), by: random.oneIn(6) ? .platform : author)
    case 5: rig.beginImport("x", at: rig.now, by: random.oneIn(4) ? nil : userID)
    case 6..<8: rig.begin(.deleteMessage(messageID()), by: .platform)
    case 8:
      let change = random.oneIn(2) ? MembershipChange.leave : .join(accessCode: "")
      rig.begin(.change(change), by: author)
    case 9 where random.oneIn(3): rig.begin(.change(.invite([userID])), by: .platform)
    case 10..<12: rig.begin(.updateMessage(messageID(), edit()), by: .platform)
    case _: rig.begin(.own(ownChange()), by: author)
    }
  }

  private mutating func send() -> ChannelCommand {
    let draft = MessageDraft(
      type: .user, text: "x", mentionType: random.oneIn(4) ? .channel : .users,
      mentionedUserIDs: mentionedIDs())
    return .send(MessageOrder(.success(draft), requestID: nil))
  }

  private mutating func edit() -> MessageChanges {
    MessageChanges(
      mentionType: random.oneIn(2) ? nil : random.oneIn(3) ? .channel : .users,
      mentionedUserIDs: random.oneIn(3) ? nil : mentionedIDs())
  }

  private mutating func mentionedIDs() -> [String] {
    random.oneIn(2) ? [] : Self.users.filter { _ in random.oneIn(2) }
  }

  private mutating func ownChange() -> OwnChange {
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<6: .markRead(upTo: random.oneIn(4) ? nil : messageID())
    case 6..<11: .markUnread(from: messageID())
    case 11..<13: .hide(clearing: random.oneIn(4), isArchived: random.oneIn(3))
    case 13: random.oneIn(2) ? .unhide : .resetHistory
    case _:
      .prefer(
        random.oneIn(2) ? .all : CountPreference.allCases.randomElement(using: &random) ?? .all)
    }
  }

  /// A message that was there, or none.
  private mutating func messageID() -> Int64 {
    let ids = model.messageIDs
    let recent = ids.suffix(random.oneIn(3) ? ids.count : 8)
    return random.oneIn(30) ? 1 : recent.randomElement(using: &random) ?? 1
  }

  // MARK: The log

  private mutating func answerAll() throws {
    while !rig.requests.isEmpty || !rig.isIdle {
      if rig.requests.isEmpty {
        rig.now = max(rig.now, rig.wakeTime ?? 0)
        rig.handle(.deadline)
      } else {
        try answerNext()
      }
    }
  }

  /// Lets the log carry out its oldest request, or fail.
  private mutating func answerNext() throws {
    rig.now += 1
    guard case .entry(_, .write(let operation, _))? = rig.requests.first else {
      if random.oneIn(20) { return rig.failNext(.overloaded) }
      return rig.answerNext()
    }
    if random.oneIn(15) {
      let isWritten = random.oneIn(2)
      if isWritten { try carryOut(operation) }
      rig.failNext(.unknown("by chance"), isWritten: isWritten)
    } else if random.oneIn(20) {
      rig.failNext(.overloaded)
    } else {
      try carryOut(operation)
      rig.answerNext()
    }
  }

  /// Applies to the model what the log does with an operation.
  private mutating func carryOut(_ operation: LogOperation) throws {
    var log = rig.contents
    let result = log.perform(.write(operation, rig.place))
    if case .changeOwn(let change, let userID, _) = operation {
      let refusal = model.refusal(of: change, by: userID)
      if case .failure(let error) = result {
        #expect(error == refusal, "\(change) by \(userID)")
      } else {
        #expect(refusal == nil, "\(change) by \(userID)")
      }
    }
    if case .success = result { model.apply(operation) }
  }

  // MARK: Checks

  private mutating func check() throws {
    try answerAll()
    #expect(rig.joinedIDs == model.joinedIDs)
    for userID in model.joinedIDs {
      let own = try rig.own(of: userID)
      #expect(own.unreadCount == model.unreadCount(of: userID), "\(userID)")
      #expect(own.unreadMentionCount == model.mentionCount(of: userID), "\(userID)")
      #expect(own.hiddenState == model.hiddenState(of: userID), "\(userID)")
      #expect(own.countPreference == model.preference(of: userID), "\(userID)")
    }
  }
}

@Suite("What members of a group have not read, compared with a simple model")
struct ReadingModelTests {
  @Test("counts agree after each call", arguments: UInt64(1)...12)
  func counts(seed: UInt64) throws {
    var group = try ReadGroup(seed: seed, isPrompt: true)
    try group.run(steps: 150)
  }

  @Test("counts agree with a log that answers late", arguments: UInt64(1)...40)
  func late(seed: UInt64) throws {
    var group = try ReadGroup(seed: seed, isPrompt: false)
    try group.run(steps: 300)
  }
}
