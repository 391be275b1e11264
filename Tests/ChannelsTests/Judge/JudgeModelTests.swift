import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

/// Random inputs, limits that change, answers of the log in random distance and random failures of
/// it, and judges that follow one another.
private struct RandomChannel {
  private var random: SeededGenerator
  private var rig: JudgeRig
  private var model = JudgeModel()
  private var appliedCount = 0
  /// The user and the `req_id` of the sends whose fate is open.
  private var openSends: [UInt64: (userID: String, time: Int64)] = [:]
  private var callCount: UInt64 = 0
  private var isInDoubt = false
  private var lastReload: Int64 = 0
  private let allowsDoubt: Bool
  private var accepted: [String: [(time: Int64, messageID: Int64)]] = [:]
  /// Users whose flood windows are not known exactly, until this time: they sent while an outcome
  /// was unknown.
  private var uncertainUntil: [String: Int64] = [:]

  init(seed: UInt64, allowsDoubt: Bool) throws {
    random = SeededGenerator(seed: seed)
    rig = try JudgeRig()
    self.allowsDoubt = allowsDoubt
  }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      rig.now += random.oneIn(3) ? Int64.random(in: 0...300, using: &random) : 0
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<4: try send()
      case 4..<6: try change()
      case 6: try operate()
      case 7: moveUser()
      case 8 where random.oneIn(3): failOne()
      case 8 where random.oneIn(6): changeLimit()
      case 9 where random.oneIn(12): try reload()
      case 8 where random.oneIn(40): try command(.delete, by: "boss", expecting: nil)
      default: if !rig.requests.isEmpty { rig.answerNext() }
      }
      try follow()
    }
    try finish()
  }

  // MARK: Steps

  private mutating func send() throws {
    let userID = user()
    // Names are repeated now and then.
    let name = random.oneIn(4) ? "r\(Int.random(in: 0..<6, using: &random))" : nil
    let expected = model.refusalOfSend(by: userID, at: rig.now)
    let submitted = rig.requests.count
    let call = rig.begin(.send("text", name), by: .participant(userID))
    callCount += 1
    guard !isInDoubt else {
      uncertainUntil[userID] = .max
      return
    }
    if case .entry(.send, _)? = rig.requests.last, rig.requests.count > submitted {
      #expect(expected == nil, "a send of \(userID) was let through")
      model.didAccept(call, by: userID, at: rig.now)
      openSends[call] = (userID, rig.now)
    } else if name == nil, uncertainUntil[userID, default: 0] <= rig.now {
      #expect(rig.answers[call]?.code == expected && expected != nil)
    }
  }

  private mutating func change() throws {
    let userID = user()
    guard let id = model.texts.keys.sorted().randomElement(using: &random) else { return }
    let isEdit = random.oneIn(2)
    let change = ChannelCommand.updateMessage(id, MessageChanges(text: "edit \(callCount)"))
    try command(
      isEdit ? change : .deleteMessage(id), by: userID,
      expecting: isEdit ? model.refusalOfEdit(by: userID, at: rig.now) : nil)
  }

  private mutating func operate() throws {
    let (userID, other) = (user(), user())
    let seconds = Int64.random(in: 1...2, using: &random)
    let commands: [ChannelCommand] = [
      .freeze, .unfreeze, .unfreeze, .mute(other, seconds: seconds), .ban(other, seconds: seconds),
      .unmute(userID: other), .unban(userID: other), .addOperators([other]),
      .removeOperators([other]), .update(ChannelFields(name: "\(callCount % 3)")),
      .update(ChannelFields(operatorIDs: [userID, "boss", other].withoutDoubles)),
    ]
    guard let chosen = commands.randomElement(using: &random) else { return }
    try command(chosen, by: userID, expecting: model.refusalOfOperation(by: userID))
  }

  private mutating func command(
    _ command: ChannelCommand, by userID: String, expecting code: ErrorCode?
  ) throws {
    let call = rig.begin(command, by: .participant(userID))
    callCount += 1
    guard !isInDoubt, let code else { return }
    #expect(rig.answers[call]?.code == code)
  }

  private mutating func moveUser() {
    let (userID, isPresent) = (user(), random.oneIn(2))
    // While an outcome is unknown, the judge looks at this later.
    guard !isInDoubt else { return }
    rig.handle(isPresent ? .entered(userID: userID) : .left(userID: userID))
    model.setPresent(userID, isPresent)
  }

  private mutating func failOne() {
    guard let request = rig.requests.first else { return }
    if case .entry = request, allowsDoubt, random.oneIn(2) {
      rig.failNext(.unknown("by chance"), isWritten: random.oneIn(2))
      isInDoubt = true
    } else {
      let errors: [LogError] = [.unavailable("by chance"), .overloaded, .closed]
      rig.failNext(errors.randomElement(using: &random) ?? .overloaded)
    }
  }

  private mutating func changeLimit() {
    // While an outcome is unknown, the judge looks at this later. Of sends before it was loaded it
    // knows no more than the limit of then.
    guard !isInDoubt, rig.now >= lastReload + 1_000 else { return }
    model.limit = Int.random(in: 1...5, using: &random)
    rig.handle(.floodLimitChanged(RateLimit(count: model.limit, windowMilliseconds: 1000)))
  }

  /// Puts another judge in place of one that may be forgotten.
  private mutating func reload() throws {
    guard rig.isIdle, !isInDoubt, !model.isDeleted else { return }
    try rig.restart(
      limit: RateLimit(count: model.limit, windowMilliseconds: 1000),
      users: model.present.sorted())
    model.didReload()
    lastReload = rig.now
    let texts = model.texts
    for userID in accepted.keys {
      accepted[userID]?.removeAll { texts[$0.messageID] == nil }
    }
  }

  // MARK: Checks

  /// Applies what was published, and looks at what was answered.
  private mutating func follow() throws {
    for event in rig.events[appliedCount...] { try model.apply(event) }
    appliedCount = rig.events.count
    for (call, send) in openSends {
      guard let outcome = rig.answers[call] else { continue }
      openSends[call] = nil
      if let sent = outcome.sent, sent.arrival == .sent {
        accepted[send.userID, default: []].append((send.time, sent.message.id))
        model.didSend(call, sent.message.id)
      } else {
        if outcome.error?.data.outcome != nil { uncertainUntil[send.userID] = .max }
        model.didFail(call)
      }
    }
    // The look at the outcome stands behind all that was submitted before; one that failed is
    // repeated.
    if isInDoubt, rig.requests.isEmpty {
      guard rig.isIdle else { return rig.handle(.deadline) }
      isInDoubt = false
      for userID in uncertainUntil.keys { uncertainUntil[userID] = rig.now + 1_000 }
    }
  }

  private mutating func finish() throws {
    while !rig.requests.isEmpty || isInDoubt {
      if !rig.requests.isEmpty { rig.answerNext() }
      try follow()
    }
    #expect(rig.isIdle)
    #expect(rig.answers.count == Int(callCount), "each call is answered once")
    try compareWithLog()
    for (userID, sends) in accepted {
      for time in sends.map(\.time) {
        let count = sends.count { (time..<time + 1000).contains($0.time) }
        #expect(count <= 5, "\(userID) got \(count) messages through in a second")
      }
    }
  }

  /// The judge's memory, its events and the log tell the same.
  private func compareWithLog() throws {
    guard case .success(.read(.channel(let found))) = rig.contents.answer(.channel(url: "lobby"))
    else {
      Issue.record("the log does not answer")
      return
    }
    guard let state = found else {
      #expect(model.isDeleted)
      return
    }
    #expect(!model.isDeleted && state.lastSeq == model.lastSeq)
    #expect(state.channel == rig.channel)
    #expect(state.channel.isFrozen == model.isFrozen && state.channel.name == model.name)
    #expect(Set(state.channel.operators.map(\.id)) == model.operators)
    for userID in Self.users {
      for (kind, stored) in [(RestrictionKind.ban, state.bans), (.mute, state.mutes)] {
        let holding = stored[userID].flatMap { $0.endsAt > rig.now ? $0 : nil }
        #expect(rig.restriction(kind, of: userID, at: rig.now) == holding)
      }
    }
    for (id, text) in model.texts {
      guard
        case .success(.read(.message(let message?))) = rig.contents.answer(
          .message(id, channelID: rig.place.id))
      else {
        Issue.record("the log has no message \(id)")
        continue
      }
      #expect(message.message.text == text)
    }
  }

  private static let users = ["ann", "ben", "cat", "boss"]

  private mutating func user() -> String { Self.users.randomElement(using: &random) ?? "ann" }
}

extension [String] {
  fileprivate var withoutDoubles: [String] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

@Suite("The judge compared with a simple model")
struct JudgeModelTests {
  @Test("with a log that answers late and sometimes fails", arguments: UInt64(1)...30)
  func agrees(seed: UInt64) throws {
    var channel = try RandomChannel(seed: seed, allowsDoubt: false)
    try channel.run(steps: 300)
  }

  @Test("with a log whose commits are interrupted", arguments: UInt64(1)...30)
  func agreesInDoubt(seed: UInt64) throws {
    var channel = try RandomChannel(seed: seed, allowsDoubt: true)
    try channel.run(steps: 300)
  }
}
