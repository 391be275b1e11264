/// The channels of a shard with the most messages in the last minute.
///
/// Time is divided into slices. Each slice counts a bounded number of channels with Space-Saving: a
/// channel without a counter takes over the smallest one, whose count becomes its error. Only the
/// certain part of a count is shown, so that no channel looks busier than it is; while a slice has
/// no more channels than counters, that part is the whole count. Uses no clock: times are
/// milliseconds from 0 that never decrease.
package struct BusiestChannels: Sendable {
  /// The time over which messages are counted, including the current slice.
  package static let span: Int64 = 60_000
  /// The maximum number of channels counted per slice.
  package static let counterLimit = 128
  private static let sliceCount: Int64 = 12
  private static let sliceLength = span / sliceCount

  private var slices = Array(repeating: Slice(), count: Int(sliceCount))

  package init() {}

  /// Counts messages of a channel.
  package mutating func add(_ count: Int, to url: String, at now: Int64) {
    let number = now / Self.sliceLength
    let place = Int(number % Self.sliceCount)
    if slices[place].number != number { slices[place].begin(number) }
    slices[place].add(count, to: url)
  }

  /// Removes a channel.
  package mutating func remove(_ url: String) {
    for place in slices.indices { slices[place].remove(url) }
  }

  /// The busiest channels, in descending order of messages.
  package func top(_ limit: Int, at now: Int64) -> [(url: String, messages: Int)] {
    let oldest = now / Self.sliceLength - Self.sliceCount + 1
    var totals: [String: Int] = [:]
    for slice in slices where slice.number >= oldest {
      for counter in slice.counters { totals[counter.url, default: 0] += counter.certainCount }
    }
    let sorted = totals.filter { $0.value > 0 }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return sorted.prefix(max(0, limit)).map { (url: $0.key, messages: $0.value) }
  }

  private struct Counter {
    var url: String
    var count: Int
    /// The part of the count that may belong to other channels.
    var error: Int

    var certainCount: Int { count - error }
  }

  /// A slice of time, with counters in any order.
  private struct Slice {
    /// The index of the slice since time 0; -1 before the first.
    private(set) var number: Int64 = -1
    private(set) var counters: [Counter] = []
    private var places: [String: Int] = [:]

    mutating func begin(_ number: Int64) {
      self.number = number
      counters.removeAll(keepingCapacity: true)
      places.removeAll(keepingCapacity: true)
    }

    mutating func add(_ count: Int, to url: String) {
      if let place = places[url] {
        counters[place].count += count
      } else if counters.count < BusiestChannels.counterLimit {
        places[url] = counters.count
        counters.append(Counter(url: url, count: count, error: 0))
      } else {
        let place = smallest
        let error = counters[place].count
        places[counters[place].url] = nil
        places[url] = place
        counters[place] = Counter(url: url, count: error + count, error: error)
      }
    }

    mutating func remove(_ url: String) {
      guard let place = places.removeValue(forKey: url) else { return }
      let last = counters.removeLast()
      guard place < counters.count else { return }
      counters[place] = last
      places[last.url] = place
    }

    /// The index of the smallest counter.
    private var smallest: Int {
      var found = 0
      for place in counters.indices where counters[place].count < counters[found].count {
        found = place
      }
      return found
    }
  }
}
