package import Channels

/// The number of files, and their total size including thumbnails.
package struct FileUsage: Sendable, Hashable {
  package var count: Int
  package var byteCount: Int64

  package static let none = FileUsage(count: 0, byteCount: 0)
}

extension Store {
  /// Counts the files of a user, or of all users, in as many turns of the principal as needed.
  ///
  /// - Parameters:
  ///   - moment: Unix milliseconds; files from then on are left out.
  ///   - completion: Receives the usage and the cost of all turns; on a thread of the store, or at once.
  package func countFiles(
    of userID: String? = nil, before moment: Int64 = .max, for principal: QueryPrincipal,
    completion: @escaping @Sendable (Result<FileUsage, StoreError>, QueryCost) -> Void
  ) {
    count(FileCounting(of: userID, before: moment), for: principal, completion: completion)
  }

  private func count(
    _ counting: FileCounting, after cost: QueryCost = .none, for principal: QueryPrincipal,
    completion: @escaping @Sendable (Result<FileUsage, StoreError>, QueryCost) -> Void
  ) {
    perform(counting, for: principal) { [self] result, added in
      let total = QueryCost(
        nanoseconds: cost.nanoseconds + added.nanoseconds, isCutShort: added.isCutShort)
      switch result {
      case .failure(let error): completion(.failure(error), total)
      case .success(.whole(let usage)): completion(.success(usage), total)
      case .success(.part(let rest)):
        count(rest, after: total, for: principal, completion: completion)
      }
    }
  }
}

/// Counts files within the time limit of a query.
struct FileCounting: StoreQuery {
  enum Outcome: Sendable {
    case whole(FileUsage)
    /// The time was up: the query that continues the count.
    case part(FileCounting)
  }

  private let userID: String?
  /// Unix milliseconds; files from then on are left out.
  private let moment: Int64
  private var counted = FileUsage.none
  /// The last counted file.
  private var place: (time: Int64, id: String) = (.min, "")

  init(of userID: String? = nil, before moment: Int64 = .max) {
    self.userID = userID
    self.moment = moment
  }

  var statements: ReadStatements<Outcome> {
    .init { transaction in
      var next = self
      var range = Condition(
        "created_at < ? AND (created_at, file_id) > (?, ?)", [moment, place.time, place.id])
      var index = StoreStatement.index("files_by_age")
      if let userID {
        range.require("user_id = ? AND user_id <> ''", [userID])
        index = .index("files_by_user")
      }
      let end = try transaction.scan(
        """
        SELECT created_at, file_id, \(.fileByteCount) FROM files \(index)
        WHERE \(range.sql) ORDER BY created_at, file_id
        """, range.arguments
      ) { row, _ in
        next.place = (row[0], row[1])
        next.counted.count += 1
        next.counted.byteCount += row[2] as Int64
        return .passed
      }
      return end == .exhausted ? .whole(next.counted) : .part(next)
    }
  }
}

/// Counts the bytes of incomplete uploads.
///
/// An upload that a request writes to counts with the step that its server has reserved, except on this
/// server, which knows the remaining bytes itself. Any other upload counts with the bytes received.
package struct ComingByteCountLookup: StoreLookup {
  /// Unix milliseconds.
  package var time: Int64
  /// The files being received by this server.
  package var idsHere: [String]
  /// The number of bytes that a server reserves beyond those received.
  package var step: Int64

  package init(at time: Int64, here idsHere: [String] = [], reserving step: Int64) {
    self.time = time
    self.idsHere = idsHere
    self.step = step
  }

  package var statements: ReadStatements<Int64> {
    .init { transaction in
      try transaction.connection.first(
        """
        SELECT CAST(coalesce(sum(
          CASE WHEN claimed_until <= ?1 OR file_id \(.isAnyOf) THEN durable_bytes
          WHEN size - durable_bytes > ?3 THEN durable_bytes + ?3 ELSE size END), 0) AS bigint)
        FROM uploads WHERE stage = 'open'
        """, [time, StoreValue.texts(idsHere), step]
      ) { $0[0] as Int64 } ?? 0
    }
  }
}

extension StoreStatement {
  /// The size of a file including its thumbnails, for a row of files.
  static let fileByteCount: StoreStatement = """
    size + CAST(coalesce(
      (SELECT sum(t.size) FROM thumbnails AS t WHERE t.file_id = files.file_id), 0) AS bigint)
    """
}
