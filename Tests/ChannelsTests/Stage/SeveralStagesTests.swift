import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

@Suite("Several stages of one channel")
struct SeveralStagesTests {
  @Test(
    "whatever the delays and losses, each connection is shown the same events in order",
    arguments: UInt64(0)..<8)
  func lossy(part: UInt64) {
    for seed in Schedules.seeds(part) {
      var schedule = Schedule(seed: seed)
      for _ in 0..<400 { schedule.step { .cut } }
      schedule.settle()
      schedule.check()
      schedule.checkUsers()
      schedule.checkNotices()
    }
  }

  @Test(
    "all connections are shown the same events in order when the home moves",
    arguments: UInt64(0)..<8)
  func moving(part: UInt64) {
    for seed in Schedules.seeds(part) {
      var schedule = Schedule(seed: seed)
      for number in 0..<400 { schedule.step { number % 3 == 0 ? .cut : .move } }
      schedule.settle()
      schedule.check()
      schedule.checkUsers()
      schedule.checkNotices()
    }
  }

  @Test(
    "all connections see the same when servers die, and no user of a dead server remains",
    arguments: UInt64(0)..<8)
  func dying(part: UInt64) {
    for seed in Schedules.seeds(part) {
      var schedule = Schedule(seed: seed)
      for number in 0..<400 { schedule.step { number % 3 == 0 ? .move : .kill } }
      schedule.settle()
      schedule.check()
      schedule.checkUsers()
      schedule.checkNotices()
    }
  }
}

/// Random steps of users, servers and the network between them.
private struct Schedule {
  enum Fault {
    case cut
    case move
    case kill
  }

  private let channel: SeveralStages
  private let limits: SimulatedHome.Limits
  private var random: SeededGenerator
  private let seed: UInt64
  private var nextConnection = 100

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    limits = SimulatedHome.Limits(
      flood: RateLimit(count: Int.random(in: 1...4, using: &random), windowMilliseconds: 1_000),
      throttle: RateLimit(
        count: Int.random(in: 1...3, using: &random), windowMilliseconds: 1_000))
    channel = SeveralStages(limits)
  }

  mutating func step(_ fault: () -> Fault) {
    let user = "u\(Int.random(in: 0..<4, using: &random))"
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<14:
      // A number is used by one user and one stay alone.
      nextConnection += 1
      let server = UInt16.random(in: 0..<3, using: &random)
      let session = SessionAddress(
        server: server, shard: server % 2, connection: UInt64(nextConnection))
      let reach = Int64.random(in: 1...12, using: &random)
      let position = random.oneIn(3) ? max(0, channel.log.lastSeq - reach) : nil
      channel.enter(session, user, recover: position)
    case 14..<26:
      let present = channel.stays.filter { !$0.hasEnded && $0.start != nil }
      if let stay = present.randomElement(using: &random) { channel.leave(stay.session) }
    case 26..<44:
      let author = channel.stays.last { !$0.hasEnded && $0.start != nil && $0.user == user }
      if let author {
        channel.send(from: author.session, by: user, isNamed: random.oneIn(2))
      }
    case 44: channel.perform(.mute("away"))
    case 45: channel.post(by: user)
    case 46..<48: channel.perform(.unmute(userID: "away"))
    case 48: channel.perform(.ban(user))
    case 49..<51: channel.perform(.unban(userID: user))
    case 51:
      switch fault() {
      case .cut:
        channel.cut(
          Int.random(in: 0..<3, using: &random), Int.random(in: 0..<3, using: &random))
      case .move:
        channel.moveHome(to: UInt16.random(in: 0..<3, using: &random), after: takeOverTime())
      case .kill:
        channel.kill(
          UInt16.random(in: 0..<3, using: &random),
          nextHome: UInt16.random(in: 0..<3, using: &random),
          written: Int.random(in: 0...2, using: &random), after: takeOverTime())
      }
    case 52..<55: channel.learnHome(Int.random(in: 0..<3, using: &random))
    case 55: channel.failRead(Int.random(in: 0..<3, using: &random))
    case 56..<60: channel.answerRead(Int.random(in: 0..<3, using: &random))
    case 60..<68: channel.answerLog(Int.random(in: 0..<3, using: &random))
    case 68..<74: channel.wait(Int64.random(in: 0...400, using: &random))
    case 74..<79: channel.flush()
    case 79: channel.sweep(Int.random(in: 0..<3, using: &random))
    default:
      channel.deliver(
        from: Int.random(in: 0..<3, using: &random), to: Int.random(in: 0..<3, using: &random))
    }
  }

  /// Milliseconds between the demand for a take-over and the log's answer.
  private mutating func takeOverTime() -> Int64 {
    random.oneIn(2) ? 0 : Int64.random(in: 1...600, using: &random)
  }

  /// Delivers everything, until nothing is under way.
  mutating func settle() {
    for number in 0..<3 { channel.learnHome(number) }
    var rounds = 0
    repeat {
      for sender in 0..<3 {
        channel.answerRead(sender)
        channel.answerLog(sender)
        for receiver in 0..<3 { channel.deliver(from: sender, to: receiver) }
      }
      channel.wait(rounds % 50 == 49 ? 300 : 0)
      rounds += 1
    } while !channel.isQuiet && rounds < 20_000
    #expect(channel.isQuiet, "seed \(seed)")
    for command in [ChannelCommand.mute("away"), .unmute(userID: "away")] {
      channel.perform(command)
      for server in 0..<3 { channel.answerLog(server) }
    }
    for _ in 0..<30 {
      channel.wait(100)
      for sender in 0..<3 { for receiver in 0..<3 { channel.deliver(from: sender, to: receiver) } }
    }
  }

  /// Checks each connection by itself, and the home.
  mutating func check() {
    let waiting = channel.stays.filter { !$0.hasEnded && $0.start == nil }.map(\.session)
    #expect(waiting == [], "seed \(seed)")
    #expect(Set(channel.roster.page(after: 0, limit: 99).map(\.user.id)) == channel.present)
    #expect(!channel.present.contains { channel.log.isBanned($0) }, "seed \(seed)")
    for stay in channel.stays {
      guard let start = stay.start else { continue }
      let seqs = stay.seqs
      #expect(seqs == seqs.sorted() && Set(seqs).count == seqs.count, "seed \(seed)")
      #expect(seqs.first.map { $0 > start } ?? true, "seed \(seed)")
      let end = stay.hasEnded ? seqs.last ?? start : channel.log.lastSeq
      let received = Set(seqs)
      for event in channel.log.events(after: start) where event.seq <= end {
        guard !received.contains(event.seq) else { continue }
        guard case .received(let message, _) = event else {
          Issue.record("\(stay.session) lacks \(event.seq), seed \(seed)")
          continue
        }
        guard message.user?.id != stay.user else {
          #expect(
            channel.senders[message.text] == stay.session,
            "\(stay.session) lacks \(event.seq) of its own user, seed \(seed)")
          continue
        }
        if stay.hasEnded { continue }
        #expect(
          stay.withheld.contains { $0.contains(message.id) },
          "\(stay.session) of \(stay.user) lacks \(event.seq), seed \(seed)")
      }
    }
    checkSends()
    checkCounts()
  }

  /// Checks that what was acknowledged is in the log once, and the rules of the flood and the throttle over
  /// the log.
  private func checkSends() {
    let messages = channel.log.events(after: 0).compactMap { event in
      if case .received(let message, let seq) = event { (message: message, seq: seq) } else { nil }
    }
    #expect(Set(messages.map(\.message.text)).count == messages.count, "seed \(seed)")
    for (call, id) in channel.acknowledged {
      let found = messages.filter { $0.message.text == "\(call.number)" }
      #expect(found.map(\.message.id) == [id], "call \(call.number), seed \(seed)")
      let sender = channel.stays.first { $0.session == call.session }
      #expect(
        found.allSatisfy { sender?.seqs.contains($0.seq) == false },
        "call \(call.number), seed \(seed)")
    }
    // The limit does not hold the Platform API.
    let limited = messages.filter { channel.senders[$0.message.text] != nil }
    for (index, last) in limited.enumerated() {
      let used = limited[...index].count {
        $0.message.user?.id == last.message.user?.id
          && $0.message.createdAt > last.message.createdAt - limits.flood.windowMilliseconds
      }
      #expect(used <= limits.flood.count, "seq \(last.seq), seed \(seed)")
    }
    for stay in channel.stays where stay.user != "u0" {
      // Beside others, the window is that of those, which does not count what came before them.
      let recovered = stay.predecessors.isEmpty ? stay.recovered : []
      let shown = messages.filter {
        stay.seqs.contains($0.seq) || recovered.contains($0.seq)
          || $0.message.user?.id == stay.user && $0.seq > stay.start ?? 0
      }
      for (index, last) in shown.enumerated() where last.message.user?.id != stay.user {
        let used = shown[..<index].count {
          $0.message.createdAt > last.message.createdAt - limits.throttle.windowMilliseconds
        }
        #expect(
          used < limits.throttle.count, "\(stay.session) \(last.seq), seed \(seed)")
      }
    }
  }

  /// Checks that those who enter now are shown the right number.
  private mutating func checkCounts() {
    let count = channel.present.count
    for server in UInt16(0)..<3 {
      let session = SessionAddress(server: server, shard: 0, connection: 1)
      channel.enter(session, "last\(server)", recover: nil)
      for _ in 0..<40 {
        channel.wait(10)
        for sender in 0..<3 {
          for receiver in 0..<3 { channel.deliver(from: sender, to: receiver) }
        }
      }
      #expect(channel.stay(of: session)?.count == count + Int(server) + 1, "seed \(seed)")
    }
  }

  /// Checks that the last notice of each user is right.
  func checkNotices() {
    for stay in channel.stays where !stay.hasEnded {
      // A connection is not notified of its own entering.
      for (user, isPresent) in stay.notices where !user.hasPrefix("last") && user != stay.user {
        #expect(
          channel.present.contains(user) == isPresent,
          "\(stay.session) of \(stay.user) about \(user), seed \(seed)")
      }
    }
  }

  /// Checks that connections of one user on one server are shown the same for as long as both are there.
  func checkUsers() {
    let authors = Dictionary(
      uniqueKeysWithValues: channel.log.events(after: 0).compactMap { event in
        if case .received(let message, let seq) = event { (seq, message.user?.id) } else { nil }
      })
    for (index, one) in channel.stays.enumerated() {
      for other in channel.stays[..<index] where other.user == one.user {
        guard other.session.server == one.session.server,
          let oneStart = one.start, let otherStart = other.start, let oneEnd = one.seqs.last,
          let otherEnd = other.seqs.last
        else { continue }
        let both = { (seq: Int64) in
          seq > max(oneStart, otherStart) && seq <= min(oneEnd, otherEnd)
            && authors[seq] != one.user
        }
        #expect(
          one.seqs.filter(both) == other.seqs.filter(both),
          "\(one.session) and \(other.session) of \(one.user), seed \(seed)")
      }
    }
    for stay in channel.stays {
      guard let position = stay.position, let start = stay.start else { continue }
      // One that entered beside others may not know of all that those were shown.
      for other in stay.others where other.predecessors.isEmpty {
        // A stage that is behind puts a user out later, after events that go before the entering.
        guard !channel.log.isBanned(stay.user, between: other.start ?? 0, and: start) else {
          continue
        }
        let first = max(position, other.position ?? other.start ?? .max)
        let last = other.hasEnded ? min(start, other.seqs.last ?? 0) : start
        let both = { (seq: Int64) in
          seq > first && seq <= last && authors[seq] != nil && authors[seq] != stay.user
        }
        #expect(
          stay.recovered.filter(both) == (other.recovered + other.seqs).filter(both),
          "\(stay.session) recovered beside \(other.session) of \(stay.user), seed \(seed)")
      }
    }
  }
}
