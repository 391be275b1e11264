/// The pace of the requests that write to uploads: each costs the disk and the store time, however little it
/// brings.
package enum UploadPace {
  /// Requests of one user in a second.
  package static let requestsPerSecond = 50
  /// Requests of one user that may come at once after a pause.
  package static let burst = 100
  /// Milliseconds for which a request waits for its turn; one that would have to wait longer is refused.
  package static let patience: Int64 = 3_000
  /// Bytes; a request that stores as many does not count, since the network limits its pace.
  package static let freeByteCount: Int64 = 262_144
}
