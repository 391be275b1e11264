import Channels
import Cluster
import Configuration
import FloodControl
import Crypto
import HTTP
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Gateway
@testable import Transport

/// Servers that lose messages, leave, or see the cluster differently.
@Suite("Servers that lose messages", .onOwnThreads)
struct LostMessagesTests {
  private let servers: DrivenServers
  private let url: String
  private let user: String

  init() throws {
    servers = try DrivenServers(count: 3)
    url = servers.channel(at: 0)
    user = servers.user(at: 2)
  }

  private func client(on server: Int) throws -> DrivenClient {
    let client = try servers.open(user, on: server)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
    return client
  }

  /// The ring without the first server, and a channel whose home moves from there to the third.
  private func successors() throws -> (ring: ServerRing, channel: String) {
    let names = servers.servers.map(\.network.local)
    let next = ServerRing(live: [names[1], names[2]])
    let url = (1...1000).lazy.map { "moved-\($0)" }.first {
      servers.ring.home(ofChannel: $0).id == names[0].id
        && next.home(ofChannel: $0).id == names[2].id
    }
    return (next, try #require(url))
  }

  private func messageCount() throws -> String {
    try servers.platform("GET", "/messages/total_count", inChannel: url, on: 0).text
  }

  /// Loses messages of some kind until the servers have noticed.
  private func losing(
    _ isLost: @escaping (ShardMessage) -> Bool, _ body: () throws -> Void
  ) throws {
    var lostCount = 0
    servers.isLost = { message, _, _ in
      guard isLost(message) else { return false }
      lostCount += 1
      return true
    }
    try body()
    try servers.turns { lostCount > 0 }
    servers.isLost = { _, _, _ in false }
  }

  private static func isCall(_ message: ShardMessage) -> Bool {
    if case .channel(_, .command) = message { true } else { false }
  }

  private static func isAnswer(_ message: ShardMessage) -> Bool {
    switch message {
    case .session(_, .complete), .exchange: true
    case .stage(_, _, .news(let news, _)):
      news.contains { if case .answer = $0 { true } else { false } }
    case .session, .channel, .stage, .user, .shard: false
    }
  }

  @Test(
    "a message is sent once, whether the call or its response was lost", arguments: [true, false])
  func sendsOnce(losesCall: Bool) throws {
    let client = try client(on: 1)
    var number = 0
    let isLost = losesCall ? Self.isCall : Self.isAnswer
    try losing(isLost) {
      number = client.begin("message.send", #""channel_url":"\#(url)","message":"x""#)
    }
    servers.reset(0, 1)
    let reply = try client.reply(to: number)
    #expect(reply.contains(#""message":"x""#), "\(reply)")
    #expect(reply.contains(#""req_id":"""#))
    #expect(try messageCount() == #"{"total":1}"#)
    let list = try client.call("message.list", #""channel_url":"\#(url)""#)
    #expect(list.contains(#""req_id":"""#))
    #expect(servers.servers[1].inbox.figures[.repeated] == 1)
  }

  @Test("lost messages are sent again in order")
  func keepsOrder() throws {
    let client = try client(on: 1)
    var numbers: [Int] = []
    try losing(Self.isCall) {
      numbers = (0..<4).map {
        client.begin("message.send", #""channel_url":"\#(url)","message":"m\#($0)""#)
      }
    }
    servers.reset(0, 1)
    let seqs = try numbers.map { number in
      let reply = try client.reply(to: number)
      return try #require(reply.firstMatch(of: /"seq":([0-9]+)/).flatMap { Int($0.1) })
    }
    #expect(seqs == seqs.sorted() && Set(seqs).count == 4)
  }

  @Test("another change has an unknown outcome, and is not repeated")
  func reportsUnknownOutcomes() throws {
    let client = try client(on: 1)
    var number = 0
    try losing(Self.isAnswer) {
      number = client.begin("channel.freeze", #""channel_url":"\#(url)""#)
    }
    servers.reset(0, 1)
    let reply = try client.reply(to: number)
    #expect(reply.contains("500901") && reply.contains(#""outcome":"unknown""#), "\(reply)")
    #expect(servers.servers[1].inbox.figures[.repeated] == 0)
    #expect(servers.servers[1].inbox.figures[.unanswered] == 1)
    #expect(servers.servers[1].inbox.figures[.unknownOutcomes] == 1)
  }

  @Test("reads and entry requests are repeated")
  func repeatsReads() throws {
    let client = try client(on: 1)
    _ = try client.say("one", in: url)
    var number = 0
    try losing(Self.isAnswer) {
      number = client.begin("message.list", #""channel_url":"\#(url)""#)
    }
    servers.reset(0, 1)
    #expect(try client.reply(to: number).contains("one"))
    _ = try client.call("channel.exit", #""channel_url":"\#(url)""#)
    try losing({ if case .user(_, .enter) = $0 { true } else { false } }) {
      number = client.begin("channel.enter", #""channel_url":"\#(url)""#)
    }
    servers.reset(1, 2)
    #expect(try client.reply(to: number).contains(#""result""#))
  }

  @Test("a Platform API call is answered after a loss")
  func answersPlatform() throws {
    _ = try client(on: 0)
    servers.isLost = { message, _, _ in Self.isAnswer(message) }
    let shard = servers.servers[1].shards[0]
    let exchange = ExchangeAddress(shard: shard.handle.address, connection: 1, number: 99_999)
    let request = PlatformRequest(
      method: "PUT", target: "/v3/open_channels/\(url)/freeze", body: Array("{}".utf8),
      caller: Array(repeating: 0, count: 32), exchange: exchange)
    shard.send(.channel(url: url, .platform(request)))
    for _ in 0..<20 { servers.turn() }
    servers.isLost = { _, _, _ in false }
    servers.reset(0, 1)
    for _ in 0..<4 { servers.turn() }
    #expect(servers.servers[1].inbox.figures[.unanswered] == 1)
    #expect(servers.servers[1].inbox.figures[.unknownOutcomes] == 1)
  }

  @Test("a session that opens while messages are lost still opens")
  func opens() throws {
    let other = servers.user(at: 0, "other")
    let client = try servers.connect(other, on: 1)
    var number = 0
    try losing({ if case .user(_, .expect) = $0 { true } else { false } }) {
      number = client.begin("session.open", #""user_id":"\#(other)""#)
    }
    servers.reset(0, 1)
    #expect(try client.reply(to: number).contains(#""result""#))
  }

  @Test("a server with an older ring forwards messages, but not forever")
  func passesOn() throws {
    let client = try client(on: 1)
    let homes = servers.ring
    // To the client's server the channel is at home on the third one, and it knows better.
    let names = (0..<3).map { servers.servers[$0].network.local }
    servers.show(ServerRing(live: [names[2]], draining: [names[0], names[1]]), to: 1)
    servers.settle()
    let first = client.begin("message.send", #""channel_url":"\#(url)","message":"on""#)
    try servers.turns { try messageCount() == #"{"total":1}"# }
    #expect(servers.servers[2].inbox.figures[.passedOn] > 0)
    // The answer comes behind the channel's events, so when the stage is attached again.
    servers.show(homes, to: 1)
    #expect(try client.reply(to: first).contains(#""result""#))
    servers.show(ServerRing(live: [names[2]], draining: [names[0], names[1]]), to: 1)
    servers.settle()
    // Two that point at one another give the call back to the caller.
    servers.show(ServerRing(live: [names[1]], draining: [names[0], names[2]]), to: 2)
    servers.settle()
    let number = client.begin("message.send", #""channel_url":"\#(url)","message":"lost""#)
    try servers.turns { servers.servers.contains { $0.inbox.figures[.lost] > 0 } }
    servers.show(homes, to: 1)
    servers.show(homes, to: 2)
    servers.servers[1].shards[0].edge?.calls.lookAtCalls()
    servers.reset(0, 1)
    servers.reset(1, 2)
    _ = number
  }

  @Test("a call forwarded to a server that is gone is sent again")
  func repeatsPassedCalls() throws {
    let (next, channel) = try successors()
    let client = try servers.open(servers.user(at: 1), on: 1)
    _ = try client.call("channel.create", #""channel_url":"\#(channel)""#)
    _ = try client.enter(channel)
    // The first server dies, and the new home of the channel is the last to learn of it.
    let dead = servers.servers[0].id
    servers.isLost = { _, sender, receiver in sender == dead || receiver == dead }
    servers.show(next, to: 1)
    servers.settle()
    let number = client.begin("message.send", #""channel_url":"\#(channel)","message":"on""#)
    try servers.turns { servers.servers[2].inbox.figures[.passedOn] > 0 }
    #expect(!client.hasReply(to: number))
    servers.show(next, to: 2)
    #expect(try client.reply(to: number).contains(#""result""#))
    #expect(servers.servers[1].inbox.figures[.unanswered] == 0)
  }

  @Test("a stage does not attach to an old home through a server unaware that it is the new home")
  func attachesToNewHomes() throws {
    let (next, channel) = try successors()
    let client = try servers.open(servers.user(at: 1), on: 1)
    _ = try client.call("channel.create", #""channel_url":"\#(channel)""#)
    _ = try client.enter(channel)
    let neighbour = try servers.open(servers.user(at: 1, "neighbour"), on: 1, shard: 1)
    _ = try neighbour.enter(channel)
    let other = try servers.open(servers.user(at: 1, "other"), on: 2)
    _ = try other.enter(channel)
    // The first server is given up; the others do not learn of it at once, and it does not at all.
    servers.show(next, to: 1)
    servers.settle()
    servers.show(next, to: 2)
    servers.settle()
    // The new home does not know the client; the call is sent again a little later.
    let early = client.begin("message.send", #""channel_url":"\#(channel)","message":"early""#)
    _ = try other.say("theirs", in: channel)
    client.receive()
    #expect(!client.hasReply(to: early))
    // In a server this happens by the clock.
    servers.attachStages(of: channel)
    #expect(try neighbour.say("mine", in: channel).contains(#""result""#))
    try client.wait(for: "theirs")
    try other.wait(for: "mine")
  }

  @Test(
    "a channel whose database lost its last event continues in a new epoch",
    arguments: [0, 1])
  func renewsEpochs(place: Int) throws {
    let client = try client(on: place)
    _ = try client.say("kept", in: url)
    let lost = try client.say("lost", in: url)
    let entered = try servers.open(servers.user(at: 1, "early"), on: 2).enter(url)
    try servers.loseLastEvent(of: url)
    servers.reconnectStores()
    servers.attachStages(of: url)
    try servers.turns {
      client.receive()
      return client.closeCode == .goingAway
    }
    let epoch = try #require(entered.firstMatch(of: /"epoch":"([^"]+)"/)?.1)
    let seq = try #require(lost.firstMatch(of: /"seq":([0-9]+)/)?.1)
    let late = try servers.open(servers.user(at: 1, "late"), on: place)
    let answer = try late.call(
      "channel.enter",
      #""channel_url":"\#(url)","recover":{"epoch":"\#(epoch)","seq":\#(seq)}"#)
    #expect(answer.contains(#""recovered":false"#) && !answer.contains(epoch), "\(answer)")
    // The number is given again, to an event of the new epoch.
    #expect(try late.say("again", in: url).contains(#""seq":\#(seq)"#))
  }

  @Test("a new home learns of the database's loss from a stage that has the lost event")
  func learnsOfLosses() throws {
    let client = try client(on: 1)
    _ = try client.say("kept", in: url)
    _ = try client.say("lost", in: url)
    try servers.loseLastEvent(of: url)
    servers.keep([1, 2])
    try servers.turns {
      servers.attachStages(of: url)
      client.receive()
      return client.closeCode == .goingAway
    }
    let late = try servers.open(servers.user(at: 1, "late"), on: 2)
    #expect(try late.enter(url).contains(#""seq":1"#))
  }

  @Test("when the home of a user leaves, the next one has its sessions in their order")
  func movesUsers() throws {
    let servers = try DrivenServers(count: 3) { $0.limits.connectionsPerUser = 2 }
    let user = servers.user(at: 2)
    let first = try servers.open(user, on: 1)
    let second = try servers.open(user, on: 0)
    servers.keep([0, 1])
    for server in 0..<2 {
      let view = try servers.platform(
        UserEndpoints.view, PathArguments(["user_id": user]), on: server)
      #expect(view.text.contains(#""is_online":true"#))
    }
    let third = try servers.open(user, on: 0)
    try servers.turns {
      first.receive()
      return first.closeCode == .tooManySessions
    }
    for client in [second, third] {
      client.receive()
      #expect(client.closeCode == nil)
    }
  }

  @Test("limits exceeded across two homes are enforced when one learns of all sessions")
  func enforcesLimits() throws {
    let servers = try DrivenServers(count: 2) { $0.limits.connectionsPerUser = 2 }
    let user = servers.user(at: 1)
    let members = servers.servers.map(\.network.local)
    let first = try servers.open(user, on: 1)
    // The other server keeps to a ring of its own for a while.
    servers.show(ServerRing(live: [members[0]], draining: [members[1]]), to: 0)
    let others = try (0..<2).map { _ in try servers.open(user, on: 0) }
    first.receive()
    #expect(first.closeCode == nil)
    servers.show(servers.ring, to: 0)
    try servers.turns {
      first.receive()
      return first.closeCode == .tooManySessions
    }
    for client in others {
      client.receive()
      #expect(client.closeCode == nil)
    }
    #expect(servers.servers[0].shards.allSatisfy { $0.users.isEmpty })
  }

  @Test("a session that ended while messages were lost is forgotten")
  func forgetsSessions() throws {
    let client = try servers.open(user, on: 1)
    servers.isLost = { message, _, _ in
      if case .user(_, .remove) = message { true } else { false }
    }
    client.session.session.connection.drop()
    for _ in 0..<4 { servers.turn() }
    let path = PathArguments(["user_id": user])
    #expect(
      try servers.platform(UserEndpoints.view, path, on: 0).text.contains(#""is_online":true"#))
    servers.isLost = { _, _, _ in false }
    servers.reset(1, 2)
    #expect(
      try servers.platform(UserEndpoints.view, path, on: 0).text.contains(#""is_online":false"#))
  }

  @Test("users of a server that is gone leave their channels, and are recorded as last seen")
  func leavesChannels() throws {
    let stays = try client(on: 1)
    let gone = try servers.open(servers.user(at: 1, "gone"), on: 2)
    _ = try gone.enter(url)
    try stays.wait(for: "user_entered")
    servers.keep([0, 1])
    servers.settle()
    let page = try stays.call("channel.participants", #""channel_url":"\#(url)""#)
    #expect(page.contains(stays.userID) && !page.contains(gone.userID))
    // The moments are written when some have gathered, or at the end.
    for shard in servers.servers[1].shards { shard.users.noteAllSeen() }
    try servers.turns {
      let view = try servers.platform(
        UserEndpoints.view, PathArguments(["user_id": gone.userID]), on: 0)
      return view.text.contains(#""is_online":false"#) && !view.text.contains(#""last_seen_at":0"#)
    }
  }

  @Test("queries complete without a server that does not respond")
  func asksInTime() throws {
    let shard = servers.servers[0].shards[0]
    servers.isLost = { message, _, _ in
      if case .shard(_, .answer) = message { true } else { false }
    }
    let answers = Mutex<[ShardAnswer]?>(nil)
    shard.askAll(.connections) { found in answers.withLock { $0 = found } }
    for _ in 0..<4 { servers.turn() }
    #expect(answers.withLock(\.self) == nil)
    shard.endPoll(1)
    #expect(answers.withLock { $0?.count } == 2)
    #expect(servers.servers[0].inbox.figures[.lateAnswers] == 1)
  }

  @Test("events of a home that is not heard are read from the log, and delivered once")
  func polls() throws {
    let (far, near) = (try client(on: 1), try client(on: 0))
    servers.isLost = { _, _, _ in true }
    _ = try near.say("first", in: url)
    _ = try near.say("second", in: url)
    for shard in servers.servers[1].shards { shard.stages.polling.look() }
    servers.settle()
    far.receive()
    #expect(!far.events.contains { $0.contains("first") })
    servers.servers[1].inbox.silenceDidChange([servers.servers[0].id])
    servers.settle()
    for shard in servers.servers[1].shards { shard.stages.polling.look() }
    try far.wait(for: "second")
    servers.isLost = { _, _, _ in false }
    servers.reset(0, 1)
    servers.servers[1].inbox.silenceDidChange([])
    _ = try near.say("third", in: url)
    try far.wait(for: "third")
    for text in ["first", "second", "third"] {
      #expect(far.events.filter { $0.contains(text) }.count == 1)
    }
  }

  @Test("a home that does not know a session refuses nothing for that reason")
  func repeatsPremature() throws {
    let members = servers.servers.map(\.network.local)
    let url = try #require(
      (1...1_000).lazy.map { "moved-\($0)" }.first { name in
        servers.ring.home(ofChannel: name).id == members[0].id
          && ServerRing(live: [members[1], members[2]]).home(ofChannel: name).id == members[2].id
      })
    let client = try servers.open(user, on: 1)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
    servers.isLost = { message, _, _ in
      if case .channel(_, .report(.attach, _)) = message { true } else { false }
    }
    servers.keep([1, 2])
    servers.settle()
    let number = client.begin("message.send", #""channel_url":"\#(url)","message":"x""#)
    for _ in 0..<200 { servers.turn() }
    servers.isLost = { _, _, _ in false }
    servers.reset(1, 2)
    try servers.turns {
      for shard in servers.servers[1].shards { shard.edge?.calls.lookAtCalls() }
      client.receive()
      return client.hasReply(to: number)
    }
    #expect(try client.reply(to: number).contains(#""message":"x""#))
  }

  @Test("messages of another version are counted")
  func countsUnreadable() {
    let server = servers.servers[0]
    server.inbox.received([99, 0, 1], from: servers.servers[1].id)
    let address = SessionAddress(server: server.slot, shard: 77, connection: 1)
    let message = RelayedMessage(.session(address, .expected))
    server.inbox.received(message.encoded(), from: servers.servers[1].id)
    #expect(server.inbox.figures[.unreadable] == 2)
  }
}
