import TestSupport
import Testing

@testable import Channels

@Suite("The busiest channels")
struct BusiestChannelsTests {
  private func shown(_ channels: BusiestChannels, _ limit: Int, at now: Int64) -> [String] {
    channels.top(limit, at: now).map { "\($0.url) \($0.messages)" }
  }

  @Test("are those with the most messages, ordered by URL among equals")
  func order() {
    var channels = BusiestChannels()
    for (url, count) in [("b", 2), ("c", 5), ("a", 2), ("d", 1), ("c", 1)] {
      channels.add(count, to: url, at: 0)
    }
    #expect(shown(channels, 3, at: 0) == ["c 6", "a 2", "b 2"])
    #expect(shown(channels, 100, at: 0).count == 4)
    #expect(shown(channels, 0, at: 0).isEmpty)
    #expect(BusiestChannels().top(5, at: 90_000).isEmpty)
  }

  @Test("are forgotten after a minute, one time slice at a time")
  func time() {
    var channels = BusiestChannels()
    channels.add(3, to: "a", at: 4_999)
    channels.add(1, to: "a", at: 30_000)
    channels.add(2, to: "b", at: 59_999)
    #expect(shown(channels, 9, at: 59_999) == ["a 4", "b 2"])
    #expect(shown(channels, 9, at: 60_000) == ["b 2", "a 1"])
    #expect(shown(channels, 9, at: 90_000) == ["b 2"])
    #expect(shown(channels, 9, at: 500_000).isEmpty)
    channels.add(1, to: "c", at: 500_000)
    #expect(shown(channels, 9, at: 500_000) == ["c 1"])
  }

  @Test("a deleted channel is removed, and the others keep their counts")
  func removal() {
    var channels = BusiestChannels()
    for (url, now) in [("a", Int64(0)), ("b", 0), ("c", 0), ("a", 20_000), ("b", 20_000)] {
      channels.add(1, to: url, at: now)
    }
    channels.remove("a")
    channels.remove("nothing")
    channels.add(1, to: "c", at: 20_000)
    #expect(shown(channels, 9, at: 20_000) == ["b 2", "c 2"])
    channels.add(1, to: "a", at: 20_000)
    #expect(shown(channels, 9, at: 20_000) == ["b 2", "c 2", "a 1"])
  }

  @Test(
    "no count is too high, and counts of channels with a large share are close",
    arguments: UInt64(1)...4)
  func bounds(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var channels = BusiestChannels()
    var truth: [String: Int] = [:]
    let total = 50_000
    for number in 0..<total {
      // Half of the messages are those of ten channels, the others of very many.
      let isBusy = Bool.random(using: &random)
      let url = "channel-\(Int.random(in: 0..<(isBusy ? 10 : 20_000), using: &random))"
      truth[url, default: 0] += 1
      channels.add(1, to: url, at: Int64(number) * 59_999 / Int64(total))
    }
    let top = channels.top(10, at: 59_999)
    #expect(Set(top.map(\.url)) == Set((0..<10).map { "channel-\($0)" }))
    for (url, messages) in top {
      let count = truth[url] ?? 0
      #expect(messages <= count)
      #expect(count - messages <= total / BusiestChannels.counterLimit, "\(url)")
    }
    for (url, messages) in channels.top(.max, at: 59_999) {
      #expect(messages <= truth[url] ?? 0, "\(url)")
    }
  }
}
