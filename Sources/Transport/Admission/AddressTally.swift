internal import Synchronization

/// Counts the connections of each address against its limits.
///
/// Contains an entry only for addresses that have connections.
package struct AddressTally: Sendable {
  private struct Counts {
    var all = 0
    var unopened = 0
  }

  var limits: AddressLimits
  private var counts: [AddressKey: Counts] = [:]

  package init(_ limits: AddressLimits) {
    self.limits = limits
  }

  /// The number of addresses with connections.
  package var addressCount: Int { counts.count }

  /// Counts a new connection as unopened, unless it exceeds a limit.
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

  /// Counts an opened connection as unopened again, unless it exceeds a limit.
  package mutating func reopen(_ key: AddressKey) -> ExceededAddressLimit? {
    guard var entry = counts[key] else { return add(key) }
    if let refusal = refusal(ofUnopenedBeside: entry) { return refusal }
    entry.unopened += 1
    counts[key] = entry
    return nil
  }

  /// Removes a connection that has ended.
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

/// The unit by which connections are counted: an IPv4 address, or the /64 of an IPv6 address, which
/// one subscriber usually has to itself.
package struct AddressKey: Sendable, Hashable {
  private let high: UInt64
  private let low: UInt64

  /// - Returns: `nil` for a loopback address, because those are not counted.
  package init?(_ address: PeerAddress) {
    guard !address.isLoopback else { return nil }
    (high, low) = address.network
  }
}

/// The largest number of connections per address; 0 means no limit.
package struct AddressLimits: Sendable, Hashable {
  /// All connections.
  package var connections: Int
  /// Connections that have neither opened a session nor sent a complete request.
  package var unopened: Int

  package init(connections: Int = 0, unopened: Int = 0) {
    self.connections = connections
    self.unopened = unopened
  }
}

/// The limit that a connection exceeds.
package enum ExceededAddressLimit: Error, Sendable, Hashable {
  case connections(limit: Int)
  case unopened(limit: Int)
}

/// The connections of each address, across all event loops of the process.
///
/// Used when a connection begins, opens or ends, but never on delivery.
package final class AddressRegister: Sendable {
  private let tally: Mutex<AddressTally>

  package init(_ limits: AddressLimits) {
    tally = Mutex(AddressTally(limits))
  }

  /// Applies new limits; existing connections that exceed them stay open.
  package func adopt(_ limits: AddressLimits) { tally.withLock { $0.limits = limits } }

  func add(_ key: AddressKey) -> ExceededAddressLimit? { tally.withLock { $0.add(key) } }

  func open(_ key: AddressKey) { tally.withLock { $0.open(key) } }

  func reopen(_ key: AddressKey) -> ExceededAddressLimit? { tally.withLock { $0.reopen(key) } }

  func remove(_ key: AddressKey, isOpened: Bool) {
    tally.withLock { $0.remove(key, isOpened: isOpened) }
  }
}
