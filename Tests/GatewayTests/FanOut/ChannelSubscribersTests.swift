@testable import Channels
import TestSupport
import Testing
import HTTP

@testable import Gateway
@testable import Transport

@Suite("Subscribers of a channel", .onOwnThreads)
struct ChannelSubscribersTests {
  private let payloads = ["one", "two", "three"].map { Array($0.utf8) }

  private func plan(
    _ common: UInt64, _ exceptions: [(DrivenSession, UInt64)] = []
  ) -> FanOutPlan {
    FanOutPlan(
      channelURL: "lobby", payloads: payloads, common: .init(bits: common),
      exceptions: exceptions.map { session, bits in
        .init(connection: session.reference.connection, share: .init(bits: bits))
      })
  }

  private func apply(_ plan: FanOutPlan, in driven: DrivenShard) throws -> Int {
    let channel = try #require(driven.shard.channelSubscribers["lobby"])
    let count = channel.apply(plan) {
      driven.shard.sessions[ConnectionID(rawValue: $0)]?.subscription(to: "lobby")
    }
    driven.endTurn()
    return count
  }

  @Test("connections get the common share, listed ones get their own share, and all are counted")
  func deliversShares() throws {
    let driven = try DrivenShard()
    let sessions = try (0..<3).map { _ in try driven.connect() }
    for session in sessions { session.session.subscribe(to: "lobby") }
    let count = try apply(plan(0b101, [(sessions[0], 0b010), (sessions[1], 0)]), in: driven)
    #expect(count == 3)
    #expect(sessions.map { $0.receiveTexts() } == [["two"], [], ["one", "three"]])
  }

  @Test("connections with another encoding get the same events, each in its own frames")
  func servesEncodings() throws {
    let driven = try DrivenShard()
    let sessions = try (0..<2).map { _ in try driven.connect() }
    let connection = sessions[0].session.connection
    connection.becomeWebSocket(
      WebSocketEndpoint(role: .server), encoding: .deflated(windowBits: 15),
      application: try #require(connection.application))
    for session in sessions { session.session.subscribe(to: "lobby") }
    #expect(try apply(plan(0b111), in: driven) == 6)
    // Texts as short as these are not compressed.
    for session in sessions { #expect(session.receiveTexts() == ["one", "two", "three"]) }
    #expect(try apply(plan(0b111, [(sessions[1], 0b001)]), in: driven) == 4)
    #expect(sessions.map { $0.receiveTexts() } == [["one", "two", "three"], ["one"]])
  }

  @Test("a listed connection that is not subscribed changes nothing")
  func ignoresStrangers() throws {
    let driven = try DrivenShard()
    let session = try driven.connect()
    let stranger = try driven.connect()
    session.session.subscribe(to: "lobby")
    #expect(try apply(plan(0b001, [(stranger, 0b111)]), in: driven) == 1)
    #expect(session.receiveTexts() == ["one"])
    #expect(stranger.receiveTexts().isEmpty)
  }

  @Test("a channel is released when its last connection leaves")
  func isGivenUp() throws {
    let driven = try DrivenShard()
    let session = try driven.connect()
    session.session.subscribe(to: "lobby")
    session.session.subscribe(to: "lobby")
    #expect(driven.shard.channelSubscribers["lobby"]?.isEmpty == false)
    session.session.unsubscribe(from: "lobby")
    #expect(driven.shard.channelSubscribers["lobby"] == nil)
  }
}
