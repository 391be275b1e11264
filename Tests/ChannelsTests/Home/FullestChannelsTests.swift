import Testing

@testable import Channels

@Suite("The channels with the most participants")
struct FullestChannelsTests {
  /// 500 channels with few different counts, in no particular order.
  private let channels = (0..<500).map { number in
    CountedChannel(url: "url-\(number * 7 % 500)", participants: number * number % 23)
  }

  private func selection(
    _ limit: Int, after position: CountedChannel? = nil, of channels: [CountedChannel]
  ) -> FullestChannels.Selection {
    var fullest = FullestChannels(limit: limit, after: position)
    for channel in channels { fullest.offer(channel) }
    return fullest.selection()
  }

  @Test(
    "are the first of all channels with participants, in order", arguments: [1, 2, 7, 100, 600])
  func selects(_ limit: Int) {
    let all = channels.filter { $0.participants > 0 }.sorted { $0.precedes($1) }
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.participants >= $1.participants })
    for order in [channels, channels.reversed(), all, all.reversed()] {
      let found = selection(limit, of: order)
      #expect(found.channels == Array(all.prefix(limit)))
      #expect(found.isComplete == (all.count < limit))
    }
    var fullest = FullestChannels(limit: limit, after: all[3])
    fullest.offer(Dictionary(uniqueKeysWithValues: all.map { ($0.url, $0.rank) }))
    #expect(fullest.selection().channels == Array(all.dropFirst(4).prefix(limit)))
  }

  @Test("pages add up to all channels", arguments: [1, 3, 50, 1_000])
  func pages(_ limit: Int) {
    var (seen, position): ([CountedChannel], CountedChannel?) = ([], nil)
    while true {
      let page = selection(limit, after: position, of: channels)
      seen += page.channels
      guard !page.isComplete else { break }
      position = page.channels.last
    }
    #expect(seen.count == channels.count { $0.participants > 0 })
    #expect(Set(seen).count == seen.count)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.precedes($1) })
  }

  @Test("a channel that two servers count is selected once, with the larger count")
  func repetition() {
    let twice = [
      CountedChannel(url: "a", participants: 2), CountedChannel(url: "b", participants: 3),
      CountedChannel(url: "a", participants: 5),
    ]
    let found = selection(3, of: twice)
    #expect(found.channels == [twice[2], twice[1]] && !found.isComplete)
  }

  @Test("without channels the selection is complete and empty")
  func empty() {
    let none = selection(5, of: [CountedChannel(url: "a", participants: 0)])
    #expect(none == FullestChannels.Selection(channels: [], isComplete: true))
  }
}
