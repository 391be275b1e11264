/// Finds a value by a short name, in a step or two.
///
/// The names are fixed when the program is written, so the hash needs no secret; what a page looks
/// up cannot make it slow.
struct NameTable<Value: Sendable>: Sendable {
  private let slots: [Slot?]

  private struct Slot: Sendable {
    let name: PackedName
    let value: Value
  }

  private static var slotCount: Int { 256 }

  /// - Parameter entries: Names of at most sixteen bytes, far fewer than 256 of them.
  init(_ entries: [(String, Value)]) {
    var slots = [Slot?](repeating: nil, count: Self.slotCount)
    for (text, value) in entries {
      let name = PackedName(text)
      var index = Self.index(of: name)
      while slots[index] != nil { index = (index + 1) % Self.slotCount }
      slots[index] = Slot(name: name, value: value)
    }
    self.slots = slots
  }

  subscript(_ name: PackedName) -> Value? {
    guard !name.isTooLong else { return nil }
    var index = Self.index(of: name)
    while let slot = slots[index] {
      if slot.name == name { return slot.value }
      index = (index + 1) % Self.slotCount
    }
    return nil
  }

  private static func index(of name: PackedName) -> Int {
    let folded =
      UInt64(truncatingIfNeeded: name.bits) ^ UInt64(truncatingIfNeeded: name.bits >> 64)
    return Int((folded &* 0x9e37_79b9_7f4a_7c15) >> 56)
  }
}
