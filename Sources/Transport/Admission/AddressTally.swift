/// Counts the connections of each address against its limits.
///
/// Holds an entry for each address with a connection, and no other.
package struct AddressTally: Sendable {
  private struct Counts {
    var all = 0
    var unopened = 0
  }

  private let limits: AddressLimits
  private var counts: [AddressKey: Counts] = [:]

  package init(_ limits: AddressLimits) {
    self.limits = limits
  }

  /// The number of addresses with connections.
  package var addressCount: Int { counts.count }

  /// Counts a new connection, which is unopened, unless it is refused.
  package mutating func add(_ key: AddressKey) -> ExceededAddressLimit? {
    var entry = counts[key] ?? Counts()
    if limits.connections > 0, entry.all >= limits.connections {
      return .connections(limit: limits.connections)
    }
    if let refusal = refusal(ofUnopenedBeside: entry) { return refusal }
    entry.all += 1
    entry.unopened += 1
    counts[key] = entry
    return nil
  }

  /// Counts an unopened connection as opened.
  package mutating func open(_ key: AddressKey) {
    counts[key]?.unopened -= 1
  }

  /// Counts an opened connection as unopened again, unless it is refused.
  package mutating func reopen(_ key: AddressKey) -> ExceededAddressLimit? {
    guard var entry = counts[key] else { return add(key) }
    if let refusal = refusal(ofUnopenedBeside: entry) { return refusal }
    entry.unopened += 1
    counts[key] = entry
    return nil
  }

  /// Forgets a connection that has ended.
  package mutating func remove(_ key: AddressKey, isOpened: Bool) {
    guard var entry = counts[key] else { return }
    entry.all -= 1
    if !isOpened { entry.unopened -= 1 }
    counts[key] = entry.all > 0 ? entry : nil
  }

  private func refusal(ofUnopenedBeside entry: Counts) -> ExceededAddressLimit? {
    guard limits.unopened > 0, entry.unopened >= limits.unopened else { return nil }
    return .unopened(limit: limits.unopened)
  }
}
