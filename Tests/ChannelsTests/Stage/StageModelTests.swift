import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

@Suite("A stage compared with a model")
struct StageModelTests {
  @Test(
    "random events, connections and pauses leave all connections in the same state",
    arguments: UInt64(1)...12)
  func agrees(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var comparison = StageComparison(crowd: 0, using: &generator)
    for _ in 0..<600 { comparison.step(using: &generator) }
    comparison.finish()
  }

  @Test(
    "the same holds near the size from which only the count is published", arguments: UInt64(1)...4)
  func agreesWithACrowd(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var comparison = StageComparison(crowd: 97, using: &generator)
    for _ in 0..<250 { comparison.step(using: &generator) }
    comparison.finish()
  }
}

/// A stage and its model, given the same.
private struct StageComparison {
  private static let users = (0..<6).map { "u\($0)" }

  private let rig: StageRig
  private var model: StageModel
  private var log = StageLog()
  private var lastMessage: Int64 = 0
  private var lowestCount: Int
  /// The steps so far, for tracing a failure back.
  private var trace: [String] = []

  init(crowd: Int, using generator: inout SeededGenerator) {
    let limit = RateLimit(
      count: Int.random(in: 1...4, using: &generator), windowMilliseconds: 1_000)
    rig = StageRig(limit: limit, operators: ["u0"])
    model = StageModel(limit: limit, operators: ["u0"])
    lowestCount = limit.count
    for number in 0..<crowd {
      let session = SessionAddress.sample(1_000 + number, shard: number % 3)
      rig.enter(session, "crowd\(number)")
      model.enter(session, "crowd\(number)", recover: nil)
    }
    wait(5_000)
  }

  mutating func step(using generator: inout SeededGenerator) {
    let user = Self.users.randomElement(using: &generator) ?? ""
    let session = session(of: user, using: &generator)
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<30: send(by: generator.oneIn(8) ? nil : user, session, using: &generator)
    case 30..<45: update(session, using: &generator)
    case 45..<48: delete(using: &generator)
    case 48..<51: announce(using: &generator)
    case 51..<53: ban(user)
    case 53..<66: enter(session, user, using: &generator)
    case 66..<76: leave(session, user)
    case 76..<80: answer(session)
    case 80..<84: answerRead()
    case 84: generator.oneIn(3) ? failRead() : changeLimit(using: &generator)
    default: wait(Int64.random(in: 0...(generator.oneIn(6) ? 1_500 : 150), using: &generator))
    }
    compare()
  }

  mutating func finish() {
    while !rig.reads.isEmpty { answerRead() }
    wait(5_000)
    compare()
    #expect(rig.deadline == nil)
    #expect(rig.participantCount == model.members.count)
    #expect(Set(rig.present) == Set(model.members.map(\.user)))
    #expect(rig.subscribers == Set(model.members.flatMap(\.sessions)))
  }

  private mutating func compare() {
    let (actual, expected) = (rig.takeAll(), model.takeAll())
    guard actual != expected else { return }
    let sessions = Set(actual.keys).union(expected.keys)
    let differing = sessions.filter { actual[$0] != expected[$0] }
      .map { "\($0.connection): \(actual[$0] ?? []), expected \(expected[$0] ?? [])" }
    Issue.record("\(differing.prefix(3)) after \(trace.suffix(12))")
  }

  // MARK: Steps

  private func session(
    of user: String, using generator: inout SeededGenerator
  ) -> SessionAddress {
    let number = (Self.users.firstIndex(of: user) ?? 0) * 3
    let choice = Int.random(in: 0...2, using: &generator)
    return .sample(number + choice, shard: choice)
  }

  private mutating func send(
    by user: String?, _ session: SessionAddress, using generator: inout SeededGenerator
  ) {
    lastMessage += 1
    trace.append("m\(lastMessage) by \(user ?? "admin")")
    let author = user == nil || generator.oneIn(3) ? nil : session
    rig.send(lastMessage, by: user, from: author)
    model.send(lastMessage, by: user, from: author)
    log.append(
      .received(
        Message(
          id: lastMessage, channelURL: "lobby", user: user.map { User(id: $0) }, text: "",
          createdAt: rig.unix), seq: model.lastSeq))
  }

  private mutating func update(
    _ session: SessionAddress, using generator: inout SeededGenerator
  ) {
    guard let id = message(using: &generator), let message = log.message(id) else { return }
    let author = generator.oneIn(2) ? session : nil
    let age = generator.oneIn(10) ? Int64.random(in: 0...1_500, using: &generator) : 0
    trace.append("update \(id), \(age) old")
    rig.publish("u\(id)@\(model.lastSeq + 1)", .update(ofMessage: id), author: author, age: age)
    model.update(id, author: author, age: age)
    log.append(.updated(message, seq: model.lastSeq, timestamp: rig.unix - age))
  }

  private mutating func delete(using generator: inout SeededGenerator) {
    guard let id = message(using: &generator), log.message(id) != nil else { return }
    trace.append("delete \(id)")
    rig.delete(id)
    model.delete(id)
    log.append(.deleted(Event.Deletion(messageID: id), seq: model.lastSeq, timestamp: rig.unix))
  }

  /// One of the last messages.
  private func message(using generator: inout SeededGenerator) -> Int64? {
    let ids = max(1, lastMessage - 5)...max(1, lastMessage)
    return lastMessage > 0 ? Int64.random(in: ids, using: &generator) : nil
  }

  private mutating func announce(using generator: inout SeededGenerator) {
    let seq = model.lastSeq + 1
    if generator.oneIn(2) {
      let operators = Set(Self.users.filter { _ in generator.oneIn(3) })
      trace.append("operators \(operators)")
      let channel = Channel(
        url: "lobby", operators: operators.map { User(id: $0) }, createdAt: 0)
      rig.publish("a\(seq)", .record(channel))
      model.setOperators(operators, "a\(seq)")
    } else {
      trace.append("announcement")
      rig.publish("a\(seq)")
      model.announce("a\(seq)")
    }
    log.append(
      .channel(
        LoggedEvent(name: .channelFrozen, payload: "{}", seq: seq, timestamp: rig.unix)))
  }

  private mutating func ban(_ user: String) {
    trace.append("ban \(user)")
    let seq = model.lastSeq + 1
    rig.publish("ban\(seq)", .expulsion(ofUser: user))
    model.ban(user, "ban\(seq)")
    log.append(
      .channel(
        LoggedEvent(name: .channelFrozen, payload: "{}", seq: seq, timestamp: rig.unix)))
  }

  private mutating func enter(
    _ session: SessionAddress, _ user: String, using generator: inout SeededGenerator
  ) {
    guard !isRecovering(session) else { return }
    var position: Int64?
    if generator.oneIn(2) {
      position = model.lastSeq - Int64.random(in: -1...30, using: &generator)
      if generator.oneIn(5) { position = model.lastSeq - 298 }
    }
    trace.append("\(user) enters by \(session.connection), recovers \(position ?? -1)")
    rig.enter(session, user, recover: position)
    model.enter(session, user, recover: position)
  }

  /// Whether a read for a connection is under way; it asks for nothing meanwhile.
  private func isRecovering(_ session: SessionAddress) -> Bool {
    rig.reads.contains { $0.principal.session == session }
  }

  private mutating func answerRead() {
    guard let read = rig.reads.first else { return }
    trace.append("read after \(read.seq)")
    let events = log.events(after: read.seq, updateReach: read.updateReach)
    rig.answerRead(events)
    model.answerRead(of: read.principal.session, events)
  }

  private mutating func failRead() {
    guard !rig.reads.isEmpty else { return }
    let read = rig.takeRead()
    trace.append("read after \(read.seq) fails")
    rig.handle(.recovered(read.number, .failure(.internalError)))
    model.failRead(of: read.principal.session)
  }

  /// Lowers the limit, or turns it off or on.
  ///
  /// The state of a window, beyond a count that grows, depends on the count of before.
  private mutating func changeLimit(using generator: inout SeededGenerator) {
    if generator.oneIn(3), lowestCount > 1 { lowestCount -= 1 }
    let count = generator.oneIn(3) ? 0 : lowestCount
    trace.append("limit \(count)")
    model.limit = RateLimit(count: count, windowMilliseconds: 1_000)
    rig.handle(.throttle(model.limit))
  }

  private mutating func leave(_ session: SessionAddress, _ user: String) {
    guard !isRecovering(session) else { return }
    trace.append("\(user) leaves by \(session.connection)")
    rig.leave(session, user)
    model.leave(session, user)
  }

  private mutating func answer(_ session: SessionAddress) {
    trace.append("answer")
    rig.handle(.answer(rig.address(session), .empty))
    model.answer(session)
  }

  private mutating func wait(_ milliseconds: Int64) {
    trace.append("\(milliseconds) ms")
    rig.wait(milliseconds)
    model.wait(milliseconds)
  }
}

/// The events of a channel as a log has them.
private struct StageLog {
  private var events: [DurableEvent] = []

  mutating func append(_ event: DurableEvent) {
    events.append(event)
    guard case .deleted(let deletion, _, _) = event else { return }
    events.removeAll { $0.messageID == deletion.messageID }
  }

  /// A message that has not been deleted.
  func message(_ id: Int64) -> Message? {
    for case .received(let message, _) in events where message.id == id { return message }
    return nil
  }

  /// The events after a position, behind the last updates before it that come within a time.
  func events(after seq: Int64, updateReach: Int64?) -> [DurableEvent] {
    let missed = events.filter { $0.seq > seq }
    guard let updateReach, let time = events.last(where: { $0.seq <= seq })?.timestamp else {
      return missed
    }
    let recent = events.filter { $0.seq <= seq && $0.isUpdate && $0.timestamp > time - updateReach }
    let last = recent.filter { update in
      !recent.contains { $0.messageID == update.messageID && $0.seq > update.seq }
    }
    return last + missed
  }
}

extension DurableEvent {
  /// The message that a deletion takes away with all its events; `nil` for other events.
  fileprivate var messageID: Int64? {
    switch self {
    case .received(let message, _), .updated(let message, _, _): message.id
    case .deleted, .channel: nil
    }
  }

  fileprivate var isUpdate: Bool {
    if case .updated = self { true } else { false }
  }
}
