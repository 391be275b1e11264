/// The rate limit of requests that write to uploads: each costs the disk and the store time, however few
/// bytes it contains.
package enum UploadPace {
  /// Requests of one user per second.
  package static let requestsPerSecond = 50
  /// Requests of one user that may arrive at once after a pause.
  package static let burst = 100
  /// Milliseconds for which a request waits for its turn; a request that would wait longer is refused.
  package static let patience: Int64 = 3_000
  /// Bytes; a request that stores at least as many does not count, since the network limits its rate.
  package static let freeByteCount: Int64 = 262_144
}
