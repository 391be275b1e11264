/// The addresses of a host, which are tried in order.
package struct AddressAttempts {
  private var remaining: ArraySlice<SocketAddress>
  /// The address that is being tried.
  package private(set) var current: SocketAddress?
  private var failures: [String] = []

  /// The maximum time for one address while there are others, in milliseconds.
  private static let longestShare: Int64 = 5000
  private static let shownFailures = 3

  package init(_ addresses: [SocketAddress]) {
    remaining = addresses[...]
  }

  /// Advances to the next address; `nil` when all have been tried.
  package mutating func next() -> SocketAddress? {
    current = remaining.popFirst()
    return current
  }

  /// Records that connecting to the current address failed.
  package mutating func fail(_ reason: String) {
    if failures.count < Self.shownFailures { failures.append(reason) }
  }

  /// Returns the part of the remaining time that the current address may use.
  package func share(of milliseconds: Int64) -> Int64 {
    guard !remaining.isEmpty else { return milliseconds }
    return min(Self.longestShare, milliseconds / Int64(remaining.count + 1))
  }

  /// The reasons why no address could be connected to.
  package var explanation: String {
    failures.isEmpty ? "the host has no address" : failures.joined(separator: "; ")
  }
}
