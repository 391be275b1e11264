import Channels
import Cluster
import ParleyProtocol
import TestSupport
import Testing

@testable import Gateway

@Suite("The arrival time of a message at another server", .onOwnThreads)
struct MessageArrivalTests {
  private static let order = MessageOrder(
    .success(MessageDraft(text: "hello")), requestID: "one", arrival: .min)
  private static let shard = ShardAddress(server: 3, shard: 0)

  private static func arrival(_ message: ShardMessage) -> Int64? {
    switch message {
    case .channel(_, .command(.send(let order), _, _)),
      .channel(_, .submit(let order, _, _, _, _)),
      .channel(_, .background(.send(let order), _, _)):
      order.arrival
    case .channel, .stage, .user, .session, .exchange, .shard: nil
    }
  }

  @Test("follows the receiver's clock, whatever the sender reports")
  func restamped() {
    let exchange = ExchangeAddress(shard: Self.shard, connection: 1, number: 1)
    let session = SessionAddress.sample(1)
    let user = User(id: "ann")
    let sends: [ChannelMessage] = [
      .command(
        .send(Self.order), by: SessionPrincipal(user: user, session: session),
        replyTo: ReplyAddress(
          session: session, ticket: CallTicket(unit: 1, index: 0), id: nil, isPaid: true)),
      .submit(
        Self.order, to: .group, createdAt: nil, onBehalfOf: .success(user), replyTo: exchange),
      .background(
        .send(Self.order), by: user, replyTo: PollAddress(shard: Self.shard, number: 1, part: 0)),
    ]
    for send in sends {
      let message = ShardMessage.channel(url: "room", send).arriving(at: 7)
      #expect(Self.arrival(message) == 7)
    }
    let other = ShardMessage.channel(url: "room", .explainLimits(userID: "ann", replyTo: exchange))
    #expect(Self.arrival(other.arriving(at: 7)) == nil)
  }

  @Test("does no harm to measurements if it is invalid", arguments: [Int64.min, -1, 0, .max])
  func senseless(arrival: Int64) throws {
    let servers = try DrivenServers(count: 1, shards: 1)
    servers.servers[0].shards[0].measureAcknowledgement(since: arrival)
  }
}
