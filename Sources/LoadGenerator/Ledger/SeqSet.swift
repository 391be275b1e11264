/// A set of `seq`s above a base, with one bit each.
struct SeqSet: Sendable {
  /// The largest distance from the base: 128 MiB of bits.
  private static let span: Int64 = 1 << 30

  /// The lower bound of the set, exclusive.
  let base: Int64
  private var words: [UInt64] = []
  private(set) var count = 0

  init(above base: Int64) {
    self.base = base
  }

  /// The result of an insertion.
  enum Insertion: Equatable {
    case inserted
    case presentBefore
    /// At or below the base, or too far above it.
    case outOfRange
  }

  mutating func insert(_ seq: Int64) -> Insertion {
    let (distance, isOverflow) = seq.subtractingReportingOverflow(base)
    guard !isOverflow, distance > 0, distance <= Self.span else { return .outOfRange }
    let word = Int(distance >> 6)
    if word >= words.count { grow(to: word + 1) }
    let bit: UInt64 = 1 << UInt64(distance & 63)
    guard words[word] & bit == 0 else { return .presentBefore }
    words[word] |= bit
    count += 1
    return .inserted
  }

  func contains(_ seq: Int64) -> Bool {
    let (distance, isOverflow) = seq.subtractingReportingOverflow(base)
    guard !isOverflow, distance > 0, distance <= Self.span else { return false }
    let word = Int(distance >> 6)
    return word < words.count && words[word] & (1 << UInt64(distance & 63)) != 0
  }

  /// Returns whether both sets have the same elements and the same base.
  func isEqual(to other: SeqSet) -> Bool {
    guard base == other.base, count == other.count else { return false }
    let shared = min(words.count, other.words.count)
    // The counts are equal, so if the shared part is equal the rest of both is empty.
    return words[..<shared] == other.words[..<shared]
  }

  private mutating func grow(to count: Int) {
    words.append(contentsOf: repeatElement(0, count: count - words.count))
  }
}
