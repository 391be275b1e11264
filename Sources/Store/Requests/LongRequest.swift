package import Uploads

/// The kinds of requests whose work takes long.
package enum LongRequestKind: String, Sendable, CaseIterable {
  /// Messages, channels or users are written to a file.
  case export
  /// Users are erased, or all that names them is written to a file.
  case privacy
}

/// The state of the work at a request.
package enum LongRequestStatus: String, Sendable, CaseIterable {
  case scheduled
  case processing
  case done
  case failed
}

/// A request whose work takes long and continues after restarts.
package struct LongRequest: Sendable, Hashable {
  /// Grows in the order of the requests.
  package var number: Int64
  package var id: String
  package var kind: LongRequestKind
  /// The data that an export writes, or the action of a privacy request.
  package var subject: String
  /// The parameters as a JSON object.
  package var params: String
  package var status: LongRequestStatus
  /// Unix milliseconds.
  package var createdAt: Int64
  /// Unix milliseconds of the last change or step.
  package var updatedAt: Int64
  /// The durable progress, in the form of the work; empty before its first step.
  package var position: String
  /// The reason of a failure; empty without one.
  package var error: String
  /// The base of the file's address; empty if the caller named none.
  package var base: String
  /// The secret in the file's address, sealed.
  package var sealedSecret: [UInt8]?
  /// The number of times that a server has begun to work at it.
  package var term: Int64
  /// The file, as long as its record exists.
  package var file: UploadRecord?
}

/// A request to add.
package struct NewLongRequest: Sendable, Hashable {
  package var id: String
  package var kind: LongRequestKind
  package var subject: String
  package var params: String
  package var base: String
  /// Unix milliseconds.
  package var time: Int64

  package init(
    id: String, kind: LongRequestKind, subject: String, params: String, base: String, at time: Int64
  ) {
    self.id = id
    self.kind = kind
    self.subject = subject
    self.params = params
    self.base = base
    self.time = time
  }
}

extension LongRequest {
  static let columns = """
    request_number, request_id, kind, subject, params, status, created_at, updated_at, position, error,
    base, secret, term, file_id
    """

  /// From `columns`, without the file.
  init(row: StoreRow) throws {
    guard let kind = LongRequestKind(rawValue: row[2]),
      let status = LongRequestStatus(rawValue: row[5])
    else {
      throw StoreError.damaged(path: "the table long_requests", reason: "an unknown kind or status")
    }
    self.init(
      number: row[0], id: row[1], kind: kind, subject: row[3], params: row[4], status: status,
      createdAt: row[6], updatedAt: row[7], position: row[8], error: row[9], base: row[10],
      sealedSecret: row[11], term: row[12], file: nil)
  }
}

extension StoreTransaction {
  /// The requests that meet a condition, with their files.
  func longRequests(
    _ condition: StoreStatement, _ arguments: StoreArguments
  ) throws -> [LongRequest] {
    let rows = try connection.all(
      "SELECT \(LongRequest.columns) FROM long_requests WHERE \(condition)", arguments
    ) { (request: try LongRequest(row: $0), fileID: $0[13] as String?) }
    return try rows.map { row in
      var request = row.request
      request.file = try row.fileID.flatMap(upload)
      return request
    }
  }

  /// The request of a number; `nil` when there is none.
  func longRequest(_ number: Int64) throws -> LongRequest? {
    try longRequests("request_number = ?", [number]).first
  }
}
