@testable import Channels
import TestSupport
import Testing
import Transport

@testable import Gateway

@Suite("The places of a session", .onOwnThreads)
struct SessionPlacesTests {
  private let driven: DrivenShard
  private let client: DrivenSession
  private var session: Session { client.session }

  init() throws {
    driven = try DrivenShard()
    client = try driven.connect()
  }

  @Test("a list and a table find, remove and name the same places", arguments: [3, 40])
  func finds(count: Int) {
    let urls = (0..<count).map { "channel-\($0)" }
    for url in urls + urls { session.subscribe(to: url) }
    #expect(session.places.count == count)
    #expect(Set(session.places.urls) == Set(urls))
    #expect(session.isIn("channel-1") && !session.isIn("elsewhere"))
    session.unsubscribe(from: "channel-1")
    session.unsubscribe(from: "channel-1")
    #expect(!session.isIn("channel-1") && session.isIn("channel-2"))
    for url in urls { session.unsubscribe(from: url) }
    #expect(session.places.count == 0)
    #expect(driven.shard.channelSubscribers.isEmpty)
  }

  @Test("what waits in the feeds precedes an event of the session", arguments: [3, 40])
  func settles(count: Int) throws {
    for number in 0..<count { session.subscribe(to: "channel-\(number)") }
    for number in [1, 2] {
      let channel = try #require(driven.shard.channelSubscribers["channel-\(number)"])
      let plan = FanOutPlan(
        channelURL: "channel-\(number)", payloads: [Array("event \(number)".utf8)],
        common: .init(bits: 1), exceptions: [])
      _ = channel.apply(plan) { _ in nil }
    }
    #expect(driven.shard.transport.sweepingBuffers.count == 2)
    driven.shard.send(Array("notice".utf8), to: [client.reference])
    driven.endTurn()
    let texts = client.receiveTexts()
    #expect(Set(texts.prefix(2)) == ["event 1", "event 2"] && texts.last == "notice")
  }

  @Test("an empty session pays for no table")
  func size() {
    #expect(MemoryLayout<SessionPlaces>.size == MemoryLayout<Int>.size)
  }
}
