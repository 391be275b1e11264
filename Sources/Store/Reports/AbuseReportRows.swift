import ParleyProtocol

extension AbuseReportSubject {
  /// The message or user as a column has it; empty for the channel itself.
  var stored: String {
    switch self {
    case .message(let id): String(id)
    case .user(let id): id
    case .channel: ""
    }
  }
}

extension ReportedChannel {
  var stored: String { String(decoding: JSONWriter.bytes { encode(into: &$0) }, as: UTF8.self) }
}

extension Message {
  /// The message as a report keeps it: users by their ids only, so that the profile of a deleted one is
  /// not kept, and without additions that are made from its text.
  var storedInReport: String {
    var message = self
    message.user = user.map { User(id: $0.id) }
    message.mentionedUsers = mentionedUsers.map { User(id: $0.id) }
    message.openGraphTag = nil
    message.translations = [:]
    return String(decoding: message.encoded(), as: UTF8.self)
  }

  /// The users who are in the message.
  fileprivate var shownUserIDs: [String] { (user.map { [$0.id] } ?? []) + mentionedUsers.map(\.id) }

  /// Fills in the profiles of the users who exist.
  fileprivate mutating func fill(_ users: [String: User]) {
    user = user.map { users[$0.id] ?? $0 }
    mentionedUsers = mentionedUsers.map { users[$0.id] ?? $0 }
  }
}

extension AbuseReport {
  fileprivate static let columns: StoreStatement = """
    report_id, type, category, custom_category, description, reporter_id, offender_id, message,
    channel, created_at, state, note, closed_at
    """

  /// From `columns`, with users by their ids only.
  fileprivate init(row: StoreRow) throws {
    func known<Value: RawRepresentable<String>>(_ column: Int) throws -> Value {
      guard let value = Value(rawValue: row[column]) else { throw Self.damaged("a name") }
      return value
    }
    let (reporterID, offenderID, message): (String?, String?, String?) = (row[5], row[6], row[7])
    self.init(
      id: row[0], type: try known(1),
      reason: AbuseReportReason(
        try known(2), customCategory: row[3], description: row[4]),
      reporter: reporterID.map { User(id: $0) }, offender: offenderID.map { User(id: $0) },
      message: try message.map { try Self.decode($0, Message.init(json:)) },
      channel: try Self.decode(row[8], ReportedChannel.init(json:)), createdAt: row[9],
      state: try known(10), note: row[11], closedAt: row[12])
  }

  private static func decode<Value>(
    _ text: String, _ read: (JSONNode) throws -> Value
  ) throws -> Value {
    do { return try read(try JSONDocument(text).root) } catch { throw damaged("\(error)") }
  }

  private static func damaged(_ reason: String) -> StoreError {
    .damaged(path: "a row of reports", reason: reason)
  }

  /// The users who are in the report.
  fileprivate var userIDs: [String] {
    [reporter?.id, offender?.id].compactMap(\.self) + (message?.shownUserIDs ?? [])
  }

  fileprivate mutating func fill(_ users: [String: User]) {
    reporter = reporter.map { users[$0.id] ?? $0 }
    offender = offender.map { users[$0.id] ?? $0 }
    message?.fill(users)
  }
}

extension StoreTransaction {
  /// The reports that exist among these, by id, with the present profiles of their users.
  func abuseReports(_ ids: [Int64]) throws -> [Int64: AbuseReport] {
    let found = try connection.all(
      "SELECT \(AbuseReport.columns) FROM reports WHERE report_id \(.isAnyOf)",
      [StoreValue.integers(ids)], AbuseReport.init(row:))
    let users = try users(Set(found.flatMap(\.userIDs)))
    return Dictionary(
      found.map { report in
        var report = report
        report.fill(users)
        return (report.id, report)
      }
    ) { first, _ in first }
  }
}
