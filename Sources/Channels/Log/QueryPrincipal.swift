/// The party for which a query runs; principals take turns at the readers.
package enum QueryPrincipal: Hashable, Sendable {
  /// A user, over all its connections.
  case user(String)
  /// A caller of the Platform API, by the digest of its token.
  case apiToken([UInt8])
  /// The server itself.
  case server
}

/// The cost of a query.
package struct QueryCost: Sendable, Hashable {
  /// Time of a reader.
  package var nanoseconds: UInt64
  /// Whether the query ended early because its time was up.
  package var isCutShort: Bool

  package init(nanoseconds: UInt64, isCutShort: Bool) {
    self.nanoseconds = nanoseconds
    self.isCutShort = isCutShort
  }

  package static let none = QueryCost(nanoseconds: 0, isCutShort: false)
}
