import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

/// A group on a stage with a host whose searches take their time, and what each connection must hear:
/// every event from its user's joining, or its own opening, up to its user's departure.
private struct SeatedGroup {
  private static let users = (0..<5).map { "u\($0)" }

  private var random: SeededGenerator
  private let rig = StageRig(lastSeq: 0, group: Group())
  private var joined: Set<String> = ["u0", "u1"]
  /// By user: the events from each joining to the following departure.
  private var stays: [String: [ClosedRange<Int64>]] = ["u0": [0 ... .max], "u1": [0 ... .max]]
  private var lastSeq: Int64 = 0
  private var open: [SessionAddress: String] = [:]
  private var sessionCount = 0
  private var noticeCount = 0
  /// By number of the notice: its user, and the connection that does not hear it.
  private var notified: [Int: (user: String, author: SessionAddress?)] = [:]
  private var expected: [SessionAddress: [String]] = [:]
  private var actual: [SessionAddress: [String]] = [:]
  /// What the open searches will find.
  private var findings: [[(SessionAddress, String)]] = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    seek()
  }

  mutating func run(steps: Int) {
    for _ in 0..<steps {
      step()
      lookUp()
      collect()
    }
    while !findings.isEmpty { answer() }
    rig.endTurn()
    collect()
    for session in open.keys { compare(session) }
    #expect(rig.subscribers == Set(open.filter { joined.contains($0.value) }.keys))
    #expect(rig.isIdle)
  }

  // MARK: Steps

  private mutating func step() {
    let user = Self.users.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<24: publish(.announcement)
    case 24..<30: notify(user)
    case 30..<42: joined.contains(user) ? depart(user) : join(user)
    case 42..<45: ban(user)
    case 45..<58: openSession(of: user)
    case 58..<66: close()
    case 66..<74: reply()
    case 74..<76: reload()
    case 76..<90: if !findings.isEmpty { answer() }
    default: rig.endTurn()
    }
  }

  /// Publishes an event, which all connections of joined members must hear.
  private mutating func publish(_ subject: ChannelEvent.Subject) {
    lastSeq += 1
    for (session, user) in open where joined.contains(user) {
      expected[session, default: []].append("e\(lastSeq)")
    }
    rig.publish("e\(lastSeq)", subject)
  }

  /// Notifies a member, whose connections except perhaps one must hear it in the order of the events.
  private mutating func notify(_ user: String) {
    noticeCount += 1
    let connections = open.filter { $0.value == user }.map(\.key)
    let author = random.oneIn(2) ? connections.randomElement(using: &random) : nil
    if joined.contains(user) {
      for session in connections where session != author {
        expected[session, default: []].append("n\(noticeCount)")
      }
    }
    notified[noticeCount] = (user, author)
    rig.handle(
      .notify(
        MemberNotice(
          userID: user, payload: Array("n\(noticeCount)".utf8), except: author.map { [$0] } ?? [])))
  }

  private mutating func join(_ user: String) {
    joined.insert(user)
    stays[user, default: []].append(lastSeq + 1 ... .max)
    publish(.admission(ofUser: user))
  }

  private mutating func depart(_ user: String) {
    publish(.departure(ofUser: user, .left))
    lose(user, .left)
  }

  private mutating func ban(_ user: String) {
    guard joined.contains(user) else { return publish(.expulsion(ofUser: user)) }
    publish(.expulsion(ofUser: user))
    lose(user, .banned)
    publish(.departure(ofUser: user, .banned))
  }

  private mutating func lose(_ user: String, _ reason: DepartureReason) {
    joined.remove(user)
    if let stay = stays[user]?.popLast() { stays[user]?.append(stay.lowerBound...lastSeq) }
    for session in open.keys where open[session] == user {
      expected[session, default: []].append("lost: \(reason.rawValue)")
    }
  }

  private mutating func openSession(of user: String) {
    sessionCount += 1
    let session = SessionAddress.sample(sessionCount, shard: sessionCount % 3)
    open[session] = user
    if joined.contains(user) { rig.seat(session, user) }
  }

  private mutating func close() {
    let sessions = open.keys.sorted { $0.connection < $1.connection }
    guard let session = sessions.randomElement(using: &random), let user = open[session] else {
      return
    }
    if findings.isEmpty { rig.endTurn() }
    collect()
    compare(session, isWhole: findings.isEmpty)
    open[session] = nil
    rig.leave(session, user)
  }

  private mutating func reply() {
    let sessions = open.keys.sorted { $0.connection < $1.connection }
    guard let session = sessions.randomElement(using: &random) else { return }
    expected[session, default: []].append("reply")
    rig.handle(.answer(rig.address(session), .empty))
  }

  /// The group is given up when nothing happens in it, and is loaded again.
  private mutating func reload() {
    guard findings.isEmpty else { return }
    rig.endTurn()
    #expect(rig.isIdle)
    rig.handle(.disperse)
    #expect(rig.subscribers.isEmpty)
    seek()
  }

  private mutating func seek() {
    rig.seek()
    lookUp()
  }

  // MARK: Searches

  /// The searches that were asked for look at the sessions that are open now.
  private mutating func lookUp() {
    for search in rig.seeks[findings.count...] {
      let users = search.map { [$0] } ?? joined
      findings.append(open.filter { users.contains($0.value) }.map { ($0.key, $0.value) })
    }
  }

  private mutating func answer() {
    let found = findings.removeFirst()
    rig.answerSeek(found.shuffled(using: &random))
    lookUp()
    // Their shards report that they were closed meanwhile.
    for (session, user) in found where open[session] == nil { rig.leave(session, user) }
    for session in rig.subscribers where open[session] == nil {
      Self.users.forEach { rig.leave(session, $0) }
    }
  }

  // MARK: Checks

  private mutating func collect() {
    for (session, texts) in rig.takeAll() where open[session] != nil {
      actual[session, default: []] += texts.filter { $0 != "seated" && $0 != "put out" }
    }
  }

  /// Compares what a connection has heard with what it must hear.
  ///
  /// It may hear more from before it opened, but only what happened while its user was a member.
  private func compare(_ session: SessionAddress, isWhole: Bool = true) {
    let (heard, required) = (actual[session] ?? [], expected[session] ?? [])
    let user = open[session] ?? ""
    let seqs = heard.compactMap { $0.hasPrefix("e") ? Int64($0.dropFirst()) : nil }
    #expect(zip(seqs, seqs.dropFirst()).allSatisfy(<), "\(heard)")
    for text in heard where text.hasPrefix("n") {
      let notice = Int(text.dropFirst()).flatMap { notified[$0] }
      #expect(notice?.user == user && notice?.author != session, "\(user) heard \(text)")
    }
    for seq in seqs {
      #expect(stays[user]?.contains { $0.contains(seq) } == true, "\(user) heard \(seq)")
    }
    guard isWhole else { return }
    let events = required.filter { $0 != "reply" }
    #expect(
      heard.filter { $0 != "reply" }.suffix(events.count) == events[...],
      "\(user): \(heard), not \(required)")
    // A reply waits for the end of the turn, and is never ahead of an earlier event.
    let earlier = Self.eventsBeforeReplies(required)
    let known = Self.eventsBeforeReplies(Array(heard.suffix(required.count)))
    #expect(known.count == earlier.count && zip(known, earlier).allSatisfy(>=))
  }

  /// For each reply, the number of events before it.
  private static func eventsBeforeReplies(_ texts: [String]) -> [Int] {
    var count = 0
    return texts.compactMap { text in
      guard text != "reply" else { return count }
      count += 1
      return nil
    }
  }
}

@Suite("Members of a group on a stage, compared with a model")
struct StageSeatingModelTests {
  @Test(
    "no connection of a member misses an event, hears one twice or out of order",
    arguments: UInt64(1)...20)
  func agrees(seed: UInt64) {
    var group = SeatedGroup(seed: seed)
    group.run(steps: 500)
  }
}
