import Channels
import ParleyProtocol
import TestPeers
import TestSupport
import Testing

@testable import Gateway
@testable import Store

@Suite("Idle channels in memory", .onOwnThreads)
struct IdleChannelBudgetTests {
  private static func channel(
    _ number: UInt64, lastUse: Int64, byteCount: Int = 1
  ) -> IdleChannelBudget.Channel {
    IdleChannelBudget.Channel(number: number, lastUse: lastUse, byteCount: byteCount)
  }

  @Test("are examined after loading a quarter of the budget, by number or by bytes")
  func isDue() {
    var budget = IdleChannelBudget(countLimit: 8, byteLimit: 1_000)
    #expect(!budget.isDue)
    budget.noteLoaded(byteCount: 1)
    #expect(!budget.isDue)
    budget.noteLoaded(byteCount: 1)
    #expect(budget.isDue)
    #expect(budget.takeExcess(of: []) == [])
    #expect(!budget.isDue)
    budget.noteLoaded(byteCount: 250)
    #expect(budget.isDue)
  }

  @Test("stay while they are within the budget")
  func stay() {
    var budget = IdleChannelBudget(countLimit: 8, byteLimit: 1_000)
    #expect(
      budget.takeExcess(of: (1...6).map { Self.channel($0, lastUse: 0, byteCount: 125) }) == [])
  }

  @Test("beyond the limit are unloaded, least recently used first")
  func tooMany() {
    var budget = IdleChannelBudget(countLimit: 8, byteLimit: 1_000)
    let times: [Int64] = [7, 1, 9, 2, 8, 2, 5, 6]
    let channels = times.enumerated().map { Self.channel(UInt64($0), lastUse: $1) }
    #expect(budget.takeExcess(of: channels) == [1, 3])
  }

  @Test("beyond the memory limit are unloaded in the same order")
  func tooLarge() {
    var budget = IdleChannelBudget(countLimit: 8, byteLimit: 1_000)
    let channels = [
      Self.channel(1, lastUse: 3, byteCount: 700), Self.channel(2, lastUse: 1, byteCount: 10),
      Self.channel(3, lastUse: 2, byteCount: 100),
    ]
    #expect(budget.takeExcess(of: channels) == [2, 3])
    #expect(budget.takeExcess(of: [Self.channel(1, lastUse: 1, byteCount: 2_000)]) == [1])
  }

  @Test("stay within the budget while reading; channels with participants or events are kept")
  func reading() throws {
    let driven = try DrivenShard()
    let urls = (0..<4_100).map { "room-\($0)" }
    try driven.write { transaction in
      for url in urls + ["busy", "news"] {
        let channel = Channel(url: url, isEphemeral: url == "news", createdAt: 1)
        _ = try transaction.createChannel(channel, epoch: "e")
      }
    }
    let channels = driven.shard.channels
    try driven.load(["busy", "news"])
    let session = try driven.connect()
    channels.resident("busy")?.seat(session.reference, user: "ann")
    channels.resident("news")?.perform(.operation(.freeze(true))) { _, _ in }
    driven.endTurn()
    try driven.load(urls)
    #expect(urls.count { channels.resident($0) != nil } <= 4_096)
    #expect(channels.resident(urls[0]) == nil && channels.resident(urls[4_099]) != nil)
    #expect(channels.resident("busy") != nil && channels.resident("news") != nil)
  }
}

extension DrivenShard {
  /// Has channels read into memory, all at the same time.
  fileprivate func load(_ urls: [String]) throws {
    var count = 0
    for url in urls {
      shard.channels.withChannel(url) { result in
        if case .success = result { count += 1 }
      }
    }
    try Deadline.standard.wait(for: "the channels to be read") {
      endTurn()
      return count == urls.count
    }
  }
}
