extension LongRequestKind {
  private static let day: Int64 = 86_400_000

  /// The time for which the row of an ended request is kept, in milliseconds.
  ///
  /// An export is of use while its file can be read, which is a week; a privacy request is evidence.
  var retention: Int64 {
    switch self {
    case .export: 30 * Self.day
    case .privacy: 3 * 365 * Self.day
    }
  }
}

extension WriteTransaction {
  /// Removes some requests that ended long ago, with the sweep of files.
  ///
  /// A file whose row or record exists keeps its request, which is what withholds the file from those who know
  /// its id.
  ///
  /// - Parameter horizon: Unix milliseconds of the present; 0 while the clock is not trusted.
  /// - Returns: The number removed, up to the limit for each kind.
  func removeEndedLongRequests(at horizon: Int64, limit: Int) throws -> Int {
    try LongRequestKind.allCases.reduce(0) { count, kind in
      try count
        + connection.change(
          """
          DELETE FROM long_requests WHERE request_number IN (
            SELECT request_number FROM long_requests
            WHERE kind = ? AND status IN ('done', 'failed') AND updated_at <= ?
              AND NOT EXISTS (SELECT 1 FROM uploads WHERE uploads.file_id = long_requests.file_id)
              AND NOT EXISTS (SELECT 1 FROM files WHERE files.file_id = long_requests.file_id)
            ORDER BY updated_at LIMIT ?)
          """, [kind.rawValue, horizon - kind.retention, limit])
    }
  }
}
