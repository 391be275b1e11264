import Testing

@testable import LoadGenerator

@Suite("Scenarios")
struct ScenarioTests {
  private static let chatter = Chatter(channels: 8, users: 5, talkers: 2, rate: 1)
  private static let plans = [
    Scenario.fanout(subscribers: 10, senders: 3, pace: .rate(6), bytes: 50),
    Scenario.fanout(subscribers: 10, senders: 1, pace: .window(4), bytes: 50),
    Scenario.chatter(chatter, content: .plain(bytes: 10)),
    Scenario.spike(connections: 20, over: 1_000_000_000, channels: 3, rate: 1),
    Scenario.storm(connections: 20, channels: 3, rate: 1),
    Scenario.flood(chatter, abusers: 6, abuse: 50),
    Scenario.slow(subscribers: 20, slow: 4, slowness: 100, pace: .rate(5), bytes: 50),
    Scenario.soak(chatter, content: .plain(bytes: 10), cuttingEvery: 1_000_000),
  ]

  @Test("each channel is created by exactly one member, which enters it", arguments: plans)
  func creators(plan: LoadPlan) {
    let made = plan.members.flatMap(\.creates)
    #expect(made.sorted() == (0..<UInt32(plan.channelCount)).map { $0 })
    for member in plan.members {
      #expect(member.creates.allSatisfy(member.channels.contains))
      #expect(member.channels.count == 1)
      #expect(member.channels.allSatisfy { $0 < UInt32(plan.channelCount) })
    }
  }

  @Test("connections of a spike are spread in order over its duration")
  func spike() {
    let plan = Scenario.spike(connections: 20, over: 1_000_000_000, channels: 3, rate: 1)
    let times = plan.members.indices.map(plan.arrivalTime(of:))
    #expect(times[..<3].allSatisfy { $0 == nil })
    let arrivals = times[3...].compactMap(\.self)
    #expect(arrivals.count == 20 && arrivals == arrivals.sorted() && arrivals[0] == 0)
    #expect(arrivals.allSatisfy { $0 < 1_000_000_000 })
  }

  @Test("abusers are in a quarter of the channels")
  func flood() {
    let plan = Scenario.flood(Self.chatter, abusers: 6, abuse: 50)
    let flooded = Set(plan.members.filter { $0.role == .abuser }.flatMap(\.channels))
    #expect(flooded == [0, 1])
  }

  @Test("a mix gives equal messages equal texts, and has the requested share of links")
  func mix() {
    let mix = MessageMix(linkShare: 0.25, linkBase: "http://127.0.0.1:1/", linkCount: 5)
    let texts = (0..<4000).map { mix.text(sender: 3, number: $0) }
    #expect(texts == (0..<4000).map { mix.text(sender: 3, number: $0) })
    let links = texts.filter { $0.contains("http") }.count
    #expect((800...1200).contains(links))
    #expect(texts.allSatisfy { (1...5000).contains($0.unicodeScalars.count) })
    let none = MessageMix(linkShare: 0, linkBase: "", linkCount: 1)
    #expect((0..<1000).allSatisfy { !none.text(sender: 1, number: $0).contains("http") })
  }
}
