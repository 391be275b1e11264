/// A set of ordinals, kept as ranges because messages are often deleted in rows.
package struct OrdinalSet: Sendable, Hashable {
  /// Sorted, not adjacent.
  private var ranges: [ClosedRange<Int64>] = []

  package init() {}

  /// - Parameter ordinals: In ascending order.
  package init(ascending ordinals: some Sequence<Int64>) {
    for ordinal in ordinals { insert(ordinal) }
  }

  /// - Returns: Whether the ordinal was not in the set.
  @discardableResult
  package mutating func insert(_ ordinal: Int64) -> Bool {
    guard !contains(ordinal) else { return false }
    let index = firstRange(endingFrom: ordinal)
    let joinsPrevious = index > 0 && ranges[index - 1].upperBound == ordinal - 1
    let joinsNext = index < ranges.count && ranges[index].lowerBound == ordinal + 1
    switch (joinsPrevious, joinsNext) {
    case (true, true):
      ranges[index - 1] = ranges[index - 1].lowerBound...ranges[index].upperBound
      ranges.remove(at: index)
    case (true, false): ranges[index - 1] = ranges[index - 1].lowerBound...ordinal
    case (false, true): ranges[index] = ordinal...ranges[index].upperBound
    case (false, false): ranges.insert(ordinal...ordinal, at: index)
    }
    return true
  }

  package func contains(_ ordinal: Int64) -> Bool {
    let index = firstRange(endingFrom: ordinal)
    return index < ranges.count && ranges[index].contains(ordinal)
  }

  /// The number of elements after an ordinal.
  package func count(after ordinal: Int64) -> Int64 {
    let index = firstRange(endingFrom: ordinal + 1)
    return ranges[index...].reduce(0) { count, range in
      count + range.upperBound - max(range.lowerBound, ordinal + 1) + 1
    }
  }

  /// The first range whose end is not before an ordinal; `ranges.count` if there is none.
  private func firstRange(endingFrom ordinal: Int64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < ordinal { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
