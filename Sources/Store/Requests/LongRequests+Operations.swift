import Basics

/// Adds a request, unless another of its kind is too recent.
package struct LongRequestCreation: StoreWrite {
  package enum Outcome: Sendable, Hashable {
    case created(LongRequest)
    /// - Parameter retryAfter: Milliseconds.
    case tooSoon(retryAfter: Int64)
  }

  package var request: NewLongRequest
  /// The least time between two requests of the kind, in milliseconds; 0 for none.
  package var spacing: Int64

  package init(_ request: NewLongRequest, spacing: Int64 = 0) {
    self.request = request
    self.spacing = spacing
  }

  package var statements: WriteStatements<Outcome> { .init { try $0.create(request, spacing) } }
}

/// Finds a request; `nil` when there is none of the kind with the id.
package struct LongRequestLookup: StoreLookup {
  package var kind: LongRequestKind
  package var id: String

  package init(_ kind: LongRequestKind, _ id: String) {
    self.kind = kind
    self.id = id
  }

  package var statements: ReadStatements<LongRequest?> {
    .init { try $0.longRequests("kind = ? AND request_id = ?", [kind.rawValue, id]).first }
  }
}

/// Lists the requests of a kind, newest first.
///
/// Error: `invalidPageToken`.
package struct LongRequestListing<Encoder: PageEncoder<LongRequest>>: StoreQuery {
  package var kind: LongRequestKind
  /// Only requests about this; `nil` for all.
  package var subject: String?
  /// 1 to 100.
  package var limit: Int
  /// The token of the page; `nil` or empty for the first page.
  package var token: String?
  package var encoder: Encoder

  package init(
    _ kind: LongRequestKind, subject: String?, limit: Int, token: String?, as encoder: Encoder
  ) {
    self.kind = kind
    self.subject = subject
    self.limit = limit
    self.token = token
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init { try $0.listLongRequests(self) }
  }
}

/// Finds whether there is a request whose work has not ended.
package struct OpenLongRequests: StoreLookup {
  package init() {}

  package var statements: ReadStatements<Bool> {
    .init { transaction in
      try transaction.connection.first(
        "SELECT 1 FROM long_requests WHERE status IN ('scheduled', 'processing') LIMIT 1", []
      ) { _ in true } ?? false
    }
  }
}

/// Takes the oldest open request for a server, unless another server works at one.
///
/// Outcome: the request with its new term; `nil` when there is nothing to do.
package struct LongRequestClaim: StoreWrite {
  package var server: String
  /// Unix milliseconds.
  package var time: Int64
  /// Unix milliseconds until which no other server takes it.
  package var end: Int64

  package init(by server: String, at time: Int64, until end: Int64) {
    self.server = server
    self.time = time
    self.end = end
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<LongRequest?> { .init { try $0.claim(self) } }
}

/// Extends the lease of the server that works at a request.
///
/// Outcome: whether the server still has it.
package struct LongRequestRenewal: StoreWrite {
  package var number: Int64
  package var term: Int64
  /// Unix milliseconds.
  package var end: Int64

  package init(_ request: LongRequest, until end: Int64) {
    (number, term) = (request.number, request.term)
    self.end = end
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Bool> {
    .init { transaction in
      try transaction.connection.change(
        """
        UPDATE long_requests SET lease_until = ?
        WHERE request_number = ? AND term = ? AND status = 'processing'
        """, [end, number, term]) > 0
    }
  }
}

/// Removes a request at which no server has begun to work.
package struct LongRequestCancellation: StoreWrite {
  package enum Outcome: Sendable, Hashable {
    case cancelled
    case begun(LongRequestStatus)
    case absent
  }

  package var kind: LongRequestKind
  package var id: String

  package init(_ kind: LongRequestKind, _ id: String) {
    self.kind = kind
    self.id = id
  }

  package var statements: WriteStatements<Outcome> {
    .init { transaction in
      let found: StoreArguments = [kind.rawValue, id]
      let count = try transaction.connection.change(
        """
        DELETE FROM long_requests WHERE kind = ? AND request_id = ? AND status = 'scheduled'
        """, found)
      guard count == 0 else { return .cancelled }
      let request = try transaction.longRequests("kind = ? AND request_id = ?", found).first
      return request.map { .begun($0.status) } ?? .absent
    }
  }
}

extension WriteTransaction {
  fileprivate func create(
    _ request: NewLongRequest, _ spacing: Int64
  ) throws -> LongRequestCreation.Outcome {
    if spacing > 0 {
      // Requests of the future are from before the clock was set back.
      let last = try connection.first(
        """
        SELECT created_at FROM long_requests
        WHERE kind = ? AND created_at > ? AND created_at <= ? ORDER BY created_at DESC LIMIT 1
        """, [request.kind.rawValue, request.time - spacing, request.time + spacing]
      ) { $0[0] as Int64 }
      if let last { return .tooSoon(retryAfter: max(1, last + spacing - request.time)) }
    }
    let number = try connection.insert(
      """
      INSERT INTO long_requests
        (request_id, kind, subject, params, status, created_at, updated_at, base)
      VALUES (?, ?, ?, ?, 'scheduled', ?, ?, ?)
      """,
      [
        request.id, request.kind.rawValue, request.subject, request.params, request.time,
        request.time, request.base,
      ], numbering: "request_number")
    guard let created = try longRequest(number) else {
      throw StoreError.damaged(path: "the table long_requests", reason: "a new row is missing")
    }
    return .created(created)
  }

  fileprivate func claim(_ claim: LongRequestClaim) throws -> LongRequest? {
    let isBusy = try connection.first(
      """
      SELECT 1 FROM long_requests
      WHERE status = 'processing' AND lease_until > ? AND worker <> ? LIMIT 1
      """, [claim.time, claim.server]
    ) { _ in true }
    guard isBusy != true else { return nil }
    let next = try connection.first(
      """
      SELECT request_number, term FROM long_requests WHERE status IN ('scheduled', 'processing')
      ORDER BY request_number LIMIT 1
      """, []
    ) { (number: $0[0] as Int64, term: $0[1] as Int64) }
    guard let next else { return nil }
    // Another server may claim it at the same time.
    let count = try connection.change(
      """
      UPDATE long_requests SET status = 'processing', worker = ?, lease_until = ?, term = term + 1,
        updated_at = ?
      WHERE request_number = ? AND term = ?
      """, [claim.server, claim.end, claim.time, next.number, next.term])
    return count > 0 ? try longRequest(next.number) : nil
  }
}

extension StoreTransaction {
  fileprivate func listLongRequests<Encoder: PageEncoder<LongRequest>>(
    _ list: LongRequestListing<Encoder>
  ) throws -> ListPage<Encoder.Encoded> {
    let cursor = PageCursor<Int64>(of: ["requests", list.kind.rawValue, list.subject ?? ""])
    var filter = Condition("kind = ?", [list.kind.rawValue])
    if let subject = list.subject { filter.require("subject = ?", [subject]) }
    var start = Int64.max
    if let token = list.token, !token.isEmpty {
      guard let position = cursor.position(in: token) else { throw StoreError.invalidPageToken }
      start = position
    }
    return try page(
      """
      SELECT \(filter.flag), request_number FROM long_requests \(.primaryKey)
      WHERE request_number < ? ORDER BY request_number DESC
      """, filter.arguments + [start], limit: min(max(list.limit, 1), 100)
    ) { row, _ in
      guard let request = try longRequest(row[1]) else { throw StoreError.invalidPageToken }
      return list.encoder.encode(request)
    } token: { row in
      cursor.token(after: row[1])
    }
  }
}
