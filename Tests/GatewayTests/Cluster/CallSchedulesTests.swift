import Channels
import Cluster
import Configuration
import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Gateway

/// Calls between servers whose links are slow, are cut and begin anew, and one of which dies.
@Suite("Calls in random schedules", .onOwnThreads)
struct CallSchedulesTests {
  @Test(
    "each call is answered once, and acknowledged changes exist once, in the order of the calls",
    arguments: UInt64(1)...40)
  func schedules(seed: UInt64) throws {
    let schedule = try CallSchedule(seed: seed)
    for _ in 0..<80 { try schedule.step() }
    try schedule.finish()
    try schedule.check()
  }
}

/// A schedule that its seed gives, but for the time that the store takes.
private final class CallSchedule {
  private struct Send {
    let client: Int
    let channel: String
    let text: String
    let number: Int
  }

  private struct Link: Hashable {
    let first: Int
    let second: Int

    init(_ first: Int, _ second: Int) {
      self.first = min(first, second)
      self.second = max(first, second)
    }
  }

  private static let serverCount = 3

  private let seed: UInt64
  private var random: SeededGenerator
  private let servers: DrivenServers
  private let clients: [DrivenClient]
  private let channels: [String]
  private var living = Array(0..<CallSchedule.serverCount)
  private var cut: Set<Link> = []
  private var slow: Set<Link> = []
  private var sends: [Send] = []
  /// The other calls that were made.
  private var others: [(client: Int, number: Int)] = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    let servers = try DrivenServers(count: Self.serverCount) {
      $0.limits.flood.limit.count = 0
      $0.limits.userFlood.count = 0
      $0.limits.throttle.count = 0
    }
    self.servers = servers
    channels = (0..<Self.serverCount).map { servers.channel(at: $0) }
    clients = try (0..<6).map { number in
      try servers.open(
        servers.user(at: number / 2, "user\(number)"), on: number % Self.serverCount)
    }
    for url in channels { _ = try clients[0].call("channel.create", #""channel_url":"\#(url)""#) }
    for client in clients { for url in channels { _ = try client.enter(url) } }
    servers.isLost = { [unowned self] in !flows($0, $1, $2) }
    servers.isHeld = { [unowned self] in slow.contains(link($0, $1)) }
  }

  private func link(_ sender: ServerID, _ receiver: ServerID) -> Link {
    Link(index(of: sender), index(of: receiver))
  }

  private func index(of server: ServerID) -> Int {
    servers.servers.firstIndex { $0.id == server } ?? 0
  }

  private func flows(_ message: ShardMessage, _ sender: ServerID, _ receiver: ServerID) -> Bool {
    !cut.contains(link(sender, receiver))
  }

  /// The clients whose server lives.
  private var connected: [Int] {
    clients.indices.filter { living.contains($0 % Self.serverCount) }
  }

  // MARK: Steps

  func step() throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<8: send()
    case 8: list()
    case 9: cutLink()
    case 10: healLink()
    case 11: slow.formSymmetricDifference(randomLink().map { [$0] } ?? [])
    case 12: die()
    default: for _ in 0..<Int.random(in: 1...4, using: &random) { servers.turn() }
    }
  }

  private func send() {
    guard let client = connected.randomElement(using: &random),
      let channel = channels.randomElement(using: &random)
    else { return }
    let text = "text-\(sends.count)-"
    let number = clients[client].begin(
      "message.send", #""channel_url":"\#(channel)","message":"\#(text)""#)
    sends.append(Send(client: client, channel: channel, text: text, number: number))
  }

  private func list() {
    guard let client = connected.randomElement(using: &random),
      let channel = channels.randomElement(using: &random)
    else { return }
    let number = clients[client].begin("message.list", #""channel_url":"\#(channel)""#)
    others.append((client, number))
  }

  private func randomLink() -> Link? {
    let pair = living.shuffled(using: &random).prefix(2)
    return pair.count == 2 ? Link(pair[0], pair[1]) : nil
  }

  private func cutLink() { if let link = randomLink() { cut.insert(link) } }

  /// What was lost on a link is reported to both of its servers before anything flows again.
  private func healLink() {
    let candidates = cut.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    guard let link = candidates.randomElement(using: &random) else { return }
    cut.remove(link)
    servers.reset(link.first, link.second)
  }

  /// One server dies; the others learn of it one after the other.
  private func die() {
    guard living.count == Self.serverCount, Bool.random(using: &random) else { return }
    living.remove(at: Int.random(in: 0..<living.count, using: &random))
    servers.keep(living.shuffled(using: &random)) { [self] in
      for _ in 0..<Int.random(in: 0...6, using: &random) { servers.turn() }
    }
  }

  // MARK: The end

  /// Lets everything flow, and waits for all answers.
  func finish() throws {
    slow = []
    while !cut.isEmpty { healLink() }
    let awaited = (sends.map { ($0.client, $0.number) } + others.map { ($0.client, $0.number) })
      .filter { connected.contains($0.0) }
    try servers.turns {
      for client in clients { client.receive() }
      return awaited.allSatisfy { clients[$0.0].hasReply(to: $0.1) }
    }
    for client in clients { client.receive() }
  }

  func check() throws {
    var stored: [String: [String]] = [:]
    for url in channels {
      let found = try texts(in: url)
      #expect(Set(found).count == found.count, "seed \(seed): doubled in \(url): \(found)")
      stored[url] = found
    }
    for send in sends {
      let reply = clients[send.client].replyIfAny(to: send.number)
      let isStored = stored[send.channel]?.contains(send.text) ?? false
      guard let reply else {
        #expect(!connected.contains(send.client), "seed \(seed): \(send) has no answer")
        continue
      }
      if reply.contains(#""result""#) {
        #expect(isStored, "seed \(seed): \(send) is acknowledged and not there")
      } else if !reply.contains(#""outcome":"unknown""#) {
        #expect(!isStored, "seed \(seed): \(send) is refused and there: \(reply)")
      }
    }
    for client in clients {
      #expect(client.doubledReplies == [], "seed \(seed): answered twice")
    }
    checkOrder(stored)
  }

  /// The acknowledged messages of a client are in the order in which they were sent.
  private func checkOrder(_ stored: [String: [String]]) {
    for client in clients.indices {
      for url in channels {
        let acknowledged = sends.filter { send in
          send.client == client && send.channel == url
            && clients[client].replyIfAny(to: send.number)?.contains(#""result""#) == true
        }.map(\.text)
        let found = (stored[url] ?? []).filter(acknowledged.contains)
        #expect(found == acknowledged, "seed \(seed): the order of client \(client) in \(url)")
      }
    }
  }

  /// The texts of a channel, oldest first.
  private func texts(in url: String) throws -> [String] {
    let page = try servers.platform(
      "GET", "/messages?message_ts=0&prev_limit=0&next_limit=200", inChannel: url, on: living[0]
    ).text
    return page.matches(of: /"message":"(text-[0-9]+-)"/).map { String($0.1) }
  }
}
