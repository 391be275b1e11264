/// The bases of addresses that upgrades have named, each kept once: sessions remember a number.
///
/// Confined to its shard.
struct NamedBases {
  private static let limit = 4_096

  private var numbers: [String: UInt16] = [:]
  private var bases: [String] = []

  /// The number of a base; 0 without one, and when there are too many.
  mutating func number(of base: String?) -> UInt16 {
    guard let base else { return 0 }
    if let number = numbers[base] { return number }
    guard bases.count < Self.limit else { return 0 }
    bases.append(base)
    numbers[base] = UInt16(bases.count)
    return UInt16(bases.count)
  }

  subscript(number: UInt16) -> String? { number == 0 ? nil : bases[Int(number) - 1] }
}
