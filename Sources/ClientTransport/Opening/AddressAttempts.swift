internal import Reactor

/// The addresses of a host, tried one after the other.
struct AddressAttempts {
  private var remaining: ArraySlice<SocketAddress>
  /// The address that is being tried.
  private(set) var current: SocketAddress?
  private var failures: [String] = []

  /// The longest that one address may take while there are others, in milliseconds.
  private static let longestShare: Int64 = 5000
  private static let shownFailures = 3

  init(_ addresses: [SocketAddress]) {
    remaining = addresses[...]
  }

  /// Goes on to the next address; `nil` when all have been tried.
  mutating func next() -> SocketAddress? {
    current = remaining.popFirst()
    return current
  }

  /// The present address can't be connected to.
  mutating func fail(_ reason: String) {
    if failures.count < Self.shownFailures { failures.append(reason) }
  }

  /// Returns the part of the remaining time that the present address may take.
  func share(of milliseconds: Int64) -> Int64 {
    guard !remaining.isEmpty else { return milliseconds }
    return min(Self.longestShare, milliseconds / Int64(remaining.count + 1))
  }

  /// The reasons why no address could be connected to.
  var explanation: String {
    failures.isEmpty ? "the host has no address" : failures.joined(separator: "; ")
  }
}
