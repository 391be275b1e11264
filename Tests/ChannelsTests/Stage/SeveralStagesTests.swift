import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

@Suite("Several stages of one channel")
struct SeveralStagesTests {
  @Test(
    "whatever is delivered when and lost, each connection is shown the same events in order",
    arguments: UInt64(0)..<8)
  func lossy(part: UInt64) {
    for seed in Schedules.seeds(part) {
      var schedule = Schedule(seed: seed)
      for _ in 0..<400 { schedule.step { .cut } }
      schedule.settle()
      schedule.check()
      schedule.checkUsers()
    }
  }

  @Test("so they are when the home moves", arguments: UInt64(0)..<8)
  func moving(part: UInt64) {
    for seed in Schedules.seeds(part) {
      var schedule = Schedule(seed: seed)
      for number in 0..<400 { schedule.step { number % 3 == 0 ? .cut : .move } }
      schedule.settle()
      schedule.check()
      schedule.checkUsers()
    }
  }

  @Test(
    "so they are when servers die, and nobody is left who died with them", arguments: UInt64(0)..<8)
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
  private let limit: RateLimit
  private var random: SeededGenerator
  private let seed: UInt64
  private var nextConnection = 100

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    limit = RateLimit(count: Int.random(in: 1...3, using: &random), windowMilliseconds: 1_000)
    channel = SeveralStages(limit: limit)
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
      let position = random.oneIn(4) ? max(0, channel.lastSeq - 3) : nil
      channel.enter(session, user, recover: position)
    case 14..<26:
      let present = channel.stays.filter { !$0.hasEnded && $0.start != nil }
      if let stay = present.randomElement(using: &random) { channel.leave(stay.session) }
    case 26..<44:
      let author = channel.stays.last { !$0.hasEnded && $0.start != nil && $0.user == user }
      channel.send(by: user, from: random.oneIn(2) ? nil : author?.session)
    case 44..<48: channel.announce()
    case 48: channel.ban(user)
    case 49..<51: channel.unban(user)
    case 51:
      switch fault() {
      case .cut:
        channel.cut(
          Int.random(in: 0..<3, using: &random), Int.random(in: 0..<3, using: &random))
      case .move: channel.moveHome(to: UInt16.random(in: 0..<3, using: &random))
      case .kill:
        channel.kill(
          UInt16.random(in: 0..<3, using: &random),
          nextHome: UInt16.random(in: 0..<3, using: &random))
      }
    case 52..<55: channel.learnHome(Int.random(in: 0..<3, using: &random))
    case 55..<62: channel.answerRead(Int.random(in: 0..<3, using: &random))
    case 62..<70: channel.wait(Int64.random(in: 0...400, using: &random))
    case 70..<76: channel.flush()
    default:
      channel.deliver(
        from: Int.random(in: 0..<3, using: &random), to: Int.random(in: 0..<3, using: &random))
    }
  }

  /// Delivers everything, until nothing is under way.
  mutating func settle() {
    for number in 0..<3 { channel.learnHome(number) }
    var rounds = 0
    repeat {
      for sender in 0..<3 {
        channel.answerRead(sender)
        for receiver in 0..<3 { channel.deliver(from: sender, to: receiver) }
      }
      channel.wait(rounds % 50 == 49 ? 300 : 0)
      rounds += 1
    } while !channel.isQuiet && rounds < 20_000
    #expect(channel.isQuiet, "seed \(seed)")
    channel.announce()
    for _ in 0..<30 {
      channel.wait(100)
      for sender in 0..<3 { for receiver in 0..<3 { channel.deliver(from: sender, to: receiver) } }
    }
  }

  /// Checks each connection by itself, and the home.
  mutating func check() {
    let waiting = channel.stays.filter { !$0.hasEnded && $0.start == nil }.map(\.session)
    #expect(waiting == [], "seed \(seed)")
    #expect(Set(channel.home.roster.page(after: 0, limit: 99).map(\.user.id)) == channel.present)
    #expect(channel.present.isDisjoint(with: channel.banned), "seed \(seed)")
    for stay in channel.stays {
      guard let start = stay.start else { continue }
      let seqs = stay.seqs
      #expect(seqs == seqs.sorted() && Set(seqs).count == seqs.count, "seed \(seed)")
      #expect(seqs.first.map { $0 > start } ?? true, "seed \(seed)")
      let end = stay.hasEnded ? seqs.last ?? start : channel.lastSeq
      let received = Set(seqs)
      for event in channel.log where event.seq > start && event.seq <= end {
        guard !received.contains(event.seq) else { continue }
        guard case .received(let message, _) = event else {
          Issue.record("\(stay.session) lacks \(event.seq), seed \(seed)")
          continue
        }
        if stay.hasEnded || message.user?.id == stay.user { continue }
        #expect(
          stay.withheld.contains { $0.contains(message.id) },
          "\(stay.session) of \(stay.user) lacks \(event.seq), seed \(seed)")
      }
    }
    checkCounts()
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

  /// Checks that connections of one user are shown the same for as long as both are there.
  func checkUsers() {
    let authors = Dictionary(
      uniqueKeysWithValues: channel.log.compactMap { event in
        if case .received(let message, let seq) = event { (seq, message.user?.id) } else { nil }
      })
    for (index, one) in channel.stays.enumerated() {
      for other in channel.stays[..<index] where other.user == one.user {
        guard let oneStart = one.start, let otherStart = other.start,
          let oneEnd = one.seqs.last, let otherEnd = other.seqs.last
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
  }
}
