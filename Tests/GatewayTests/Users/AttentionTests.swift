import Channels
import Configuration
import HTTP
import ParleyProtocol
import TestSupport
import Testing
import Transport

@testable import Gateway
@testable import Store

@Suite("The attention of users", .onOwnThreads)
struct AttentionTests {
  private let driven: DrivenShard
  private var users: UserDirectory { driven.shard.users }
  private var online: OnlineUsers { driven.shard.services.onlineUsers }

  init() throws { driven = try DrivenShard { $0.limits.connectionsPerUser = 2 } }

  @Test("a user without a session, or with sessions in the background only, is not attentive")
  func background() {
    #expect(!online.hasAttentiveSession("ann"))
    users.add(.sample(1), of: "ann", openedAt: 0)
    #expect(online.hasAttentiveSession("ann"))
    users.setBackground(true, .sample(1), of: "ann")
    #expect(!online.hasAttentiveSession("ann") && online.contains("ann"))
    users.add(.sample(2), of: "ann", openedAt: 0)
    #expect(online.hasAttentiveSession("ann"))
    users.setBackground(true, .sample(2), of: "ann")
    users.setBackground(false, .sample(1), of: "ann")
    #expect(online.hasAttentiveSession("ann"))
    users.remove(.sample(1), of: "ann")
    #expect(!online.hasAttentiveSession("ann") && online.contains("ann"))
    users.remove(.sample(2), of: "ann")
    #expect(!online.contains("ann") && users.isEmpty)
    users.add(.sample(2), of: "ann", openedAt: 0)
    #expect(online.hasAttentiveSession("ann"))
  }

  @Test("the oldest session, which is closed, leaves the others with their attention")
  func oldest() {
    for number in 1...2 { users.add(.sample(number), of: "ann", openedAt: 0) }
    users.setBackground(true, .sample(1), of: "ann")
    users.add(.sample(3), of: "ann", openedAt: 0)
    for number in 2...3 { users.setBackground(true, .sample(number), of: "ann") }
    #expect(!online.hasAttentiveSession("ann"))
  }

  @Test("a session that is not open, or belongs to another user, changes nothing")
  func strangers() {
    users.expect(.sample(1), of: "ann")
    users.setBackground(true, .sample(1), of: "ann")
    users.add(.sample(1), of: "ann", openedAt: 0)
    users.setBackground(true, .sample(1), of: "ben")
    users.setBackground(true, .sample(2), of: "ann")
    #expect(online.hasAttentiveSession("ann") && !online.contains("ben"))
  }

  @Test("a session that is announced to another home keeps its place")
  func announcements() {
    users.announce(
      .sample(1), of: "ann", openedAt: 5, channelURLs: [], isInBackground: true)
    #expect(online.contains("ann") && !online.hasAttentiveSession("ann"))
    users.announce(.sample(1), of: "ann", openedAt: 5, channelURLs: [])
    #expect(online.hasAttentiveSession("ann"))
    users.forget(.sample(1), of: "ann")
    #expect(!online.contains("ann"))
  }

  @Test("a connection that neither side has closed has a last sign of life")
  func signsOfLife() throws {
    let session = try driven.connect().session
    let now = driven.shard.services.clock.now
    for reason in [ClosingReason.lost, .closed(.slowConsumer), .closed(.pongTimeout)] {
      let sign = try #require(session.lastSignOfLife(reason))
      #expect((now - 60_000...now + 60_000).contains(sign))
    }
    for reason in [
      ClosingReason.peerClosed(nil), .peerClosed(.goingAway), .closed(.normalClosure),
      .closed(.goingAway), .closed(.unauthorized), .protocolError(.policyViolation),
    ] {
      #expect(session.lastSignOfLife(reason) == nil)
    }
  }
}
