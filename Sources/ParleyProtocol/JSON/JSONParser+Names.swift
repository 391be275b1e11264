extension JSONParser {
  /// Up to how many members comparing all pairs of names is cheaper than a set of them.
  private static let pairwiseLimit = 12

  /// Refuses an object that names a member twice: readers differ in which one counts.
  func checkNames(ofObjectAt index: Int) throws(JSONError) {
    let end = Int(entries[index].next)
    var count = 0
    var name = index + 1
    while name < end {
      count += 1
      guard count <= Self.pairwiseLimit else { return try checkManyNames(ofObjectAt: index) }
      try compare(name, withNamesFrom: index + 1)
      name = following(name)
    }
  }

  private func compare(_ name: Int, withNamesFrom first: Int) throws(JSONError) {
    var earlier = first
    while earlier < name {
      guard !areEqual(entries[earlier], entries[name]) else { throw duplicate(name) }
      earlier = following(earlier)
    }
  }

  /// Linear even for an object made to be slow: sets of bytes are hashed with a random seed.
  private func checkManyNames(ofObjectAt index: Int) throws(JSONError) {
    var seen: Set<ArraySlice<UInt8>> = []
    var name = index + 1
    while name < Int(entries[index].next) {
      guard seen.insert(decodedName(entries[name])).inserted else { throw duplicate(name) }
      name = following(name)
    }
  }

  private func following(_ name: Int) -> Int { Int(entries[name + 1].next) }

  private func areEqual(_ one: JSONEntry, _ other: JSONEntry) -> Bool {
    if one.hasEscapes || other.hasEscapes { return decodedName(one) == decodedName(other) }
    guard one.end - one.start == other.end - other.start else { return false }
    let distance = Int(other.start) - Int(one.start)
    for index in Int(one.start)..<Int(one.end) where bytes[index] != bytes[index + distance] {
      return false
    }
    return true
  }

  private func decodedName(_ entry: JSONEntry) -> ArraySlice<UInt8> {
    entry.hasEscapes ? JSONEscapes.resolved(contents(entry))[...] : contents(entry)
  }

  private func contents(_ entry: JSONEntry) -> ArraySlice<UInt8> {
    bytes[Int(entry.start) + 1..<Int(entry.end) - 1]
  }

  private func duplicate(_ name: Int) -> JSONError {
    JSONError(.duplicateMember, at: Int(entries[name].start), "a member's name is repeated")
  }
}
