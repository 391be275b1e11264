import Channels
package import ParleyProtocol

/// Keeps a report of a message, a user or a channel.
///
/// A user has one open report about a thing in a channel, and one report about a message, open or closed:
/// another one is not kept, and its outcome is the report that exists.
/// Errors: `noUser`, `notFound(.channel)`, and `notFound(.message)` for a message that was deleted, or that
/// the reporter may not read.
package struct AbuseReportAddition: StoreWrite {
  package enum Outcome: Sendable {
    case kept(AbuseReport, isNew: Bool, openCount: Int)
    /// The reporter has ``Limits/openReportCount`` open reports.
    case tooManyOfReporter
    /// The store has ``Limits/reportCount`` reports, and all of them are open.
    case tooMany
  }

  package var draft: AbuseReportDraft
  /// `nil` for a back end.
  package var reporterID: String?
  /// The kind of the channel; `nil` for any.
  package var kind: ChannelKind?
  /// Only messages from this time on, in Unix milliseconds.
  package var visibleFrom: Int64
  /// Unix milliseconds.
  package var time: Int64

  package init(
    _ draft: AbuseReportDraft, by reporterID: String?, inChannelOf kind: ChannelKind? = nil,
    visibleFrom: Int64 = 0, at time: Int64
  ) {
    self.draft = draft
    self.reporterID = reporterID
    self.kind = kind
    self.visibleFrom = visibleFrom
    self.time = time
  }

  package var statements: WriteStatements<Outcome> { .init { try $0.add(self) } }
}

/// Changes the state of a report.
///
/// Errors: `notFound(.report)`, and `exists` for a report that would be open beside another one of the same
/// user about the same thing.
package struct AbuseReportChange: StoreWrite {
  package struct Outcome: Sendable {
    package let report: AbuseReport
    package let openCount: Int
  }

  package var id: Int64
  package var state: AbuseReportState
  /// `nil` leaves it unchanged.
  package var note: String?
  /// Unix milliseconds.
  package var time: Int64

  package init(_ id: Int64, to state: AbuseReportState, note: String?, at time: Int64) {
    self.id = id
    self.state = state
    self.note = note
    self.time = time
  }

  package var statements: WriteStatements<Outcome> { .init { try $0.change(self) } }
}

/// Removes some reports that were closed before a time; open ones are kept.
///
/// Outcome: the number of removed reports; fewer than ``limit`` when none remain.
package struct AbuseReportExpiry: StoreWrite {
  /// Unix milliseconds.
  package var horizon: Int64
  package let limit = 300

  package init(closedBefore horizon: Int64) { self.horizon = horizon }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Int> {
    .init { transaction in
      try transaction.connection.change(
        """
        DELETE FROM reports WHERE report_id IN (
          SELECT report_id FROM reports \(.index("reports_by_state"))
          WHERE state IN ('resolved', 'dismissed') AND closed_at < ? LIMIT ?)
        """, [horizon, limit])
    }
  }
}

/// Counts the open reports, of which there are ``Limits/reportCount`` at most.
package struct OpenAbuseReports: StoreLookup {
  package init() {}

  package var statements: ReadStatements<Int> { .init { try $0.openReportCount() } }
}

/// Reads a report.
///
/// Error: `notFound(.report)`.
package struct AbuseReportLookup: StoreLookup {
  package var id: Int64

  package init(_ id: Int64) { self.id = id }

  package var statements: ReadStatements<AbuseReport> {
    .init { try $0.abuseReport(id) }
  }
}

extension StoreTransaction {
  func abuseReport(_ id: Int64) throws -> AbuseReport {
    guard let report = try abuseReports([id])[id] else { throw StoreError.notFound(.report) }
    return report
  }

  fileprivate func openReportCount() throws -> Int {
    try connection.first(
      "SELECT count(*) FROM reports \(.index("reports_by_state")) WHERE state = 'open'", []
    ) { $0[0] as Int } ?? 0
  }

  /// The report that makes another one needless; `nil` for a back end.
  fileprivate func reportID(like addition: AbuseReportAddition) throws -> Int64? {
    guard let reporterID = addition.reporterID else { return nil }
    let draft = addition.draft
    return try connection.first(
      """
      SELECT report_id FROM reports \(.index("reports_by_reporter"))
      WHERE reporter_id = ? AND type = ? AND channel_url = ? AND subject = ?
        AND (state = 'open' OR type = 'message') ORDER BY report_id LIMIT 1
      """,
      [reporterID, draft.subject.type.rawValue, draft.channelURL, draft.subject.stored]
    ) { $0[0] as Int64 }
  }
}

extension WriteTransaction {
  fileprivate func add(_ addition: AbuseReportAddition) throws -> AbuseReportAddition.Outcome {
    let draft = addition.draft
    let found = try channelRow(draft.channelURL)
    guard let state = found, state.channel.kind == addition.kind ?? state.channel.kind else {
      throw StoreError.notFound(.channel)
    }
    if let id = try reportID(like: addition) { return try known(id) }
    try requireUser(addition.reporterID)
    let evidence = try evidence(for: addition, channelID: state.id)
    guard try !hasTooManyOpen(addition.reporterID) else { return .tooManyOfReporter }
    guard try makeRoomForReport() else { return .tooMany }
    let values: StoreArguments = [
      draft.subject.type.rawValue, draft.channelURL, draft.subject.stored, addition.reporterID,
      evidence.offenderID, draft.reason.category.rawValue, draft.reason.customCategory,
      draft.reason.description, addition.time,
      ReportedChannel(state.channel).stored, evidence.message?.storedInReport,
    ]
    let id: Int64
    if addition.reporterID == nil {
      id = try connection.insert(Self.insertion, values, numbering: "report_id")
    } else {
      let count = try connection.change("\(Self.insertion) ON CONFLICT DO NOTHING", values)
      guard let kept = try reportID(like: addition) else { throw StoreError.notFound(.report) }
      // Another server has kept the same report just before.
      guard count > 0 else { return try known(kept) }
      id = kept
    }
    let report = try abuseReport(id)
    let origin = EventOrigin(channelURL: draft.channelURL, timestamp: addition.time)
    try queue(.reported(report), from: origin)
    return .kept(report, isNew: true, openCount: try openReportCount())
  }

  private static let insertion: StoreStatement = """
    INSERT INTO reports (type, channel_url, subject, reporter_id, offender_id, state, category,
      custom_category, description, created_at, channel, message)
    VALUES (?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?)
    """

  private func known(_ id: Int64) throws -> AbuseReportAddition.Outcome {
    .kept(try abuseReport(id), isNew: false, openCount: try openReportCount())
  }

  /// - Throws: `noUser`.
  private func requireUser(_ id: String?) throws {
    guard let id else { return }
    let isThere = try connection.first(
      "SELECT 1 FROM users WHERE user_id = ? \(.keepingKey)", [id]
    ) { _ in true }
    guard isThere == true else { throw StoreError.noUser(id) }
  }

  /// The user whom a report is about, and the message.
  private func evidence(
    for addition: AbuseReportAddition, channelID: Int64
  ) throws -> (offenderID: String?, message: Message?) {
    switch addition.draft.subject {
    case .message(let id):
      guard let message = try message(id, channelID: channelID)?.message,
        message.createdAt >= addition.visibleFrom
      else { throw StoreError.notFound(.message) }
      return (message.user?.id, message)
    case .user(let id):
      try requireUser(id)
      return (id, nil)
    case .channel: return (nil, nil)
    }
  }

  private func hasTooManyOpen(_ reporterID: String?) throws -> Bool {
    guard let reporterID else { return false }
    let count = try connection.first(
      """
      SELECT count(*) FROM reports \(.index("reports_by_reporter"))
      WHERE reporter_id = ? AND state = 'open'
      """, [reporterID]
    ) { $0[0] as Int }
    return count ?? 0 >= Limits.openReportCount
  }

  /// Removes the report that was closed first if there are as many as may be kept.
  ///
  /// - Returns: Whether there is room for another one.
  private func makeRoomForReport() throws -> Bool {
    let count = try connection.first("SELECT count(*) FROM reports", []) { $0[0] as Int } ?? 0
    guard count >= Limits.reportCount else { return true }
    let removed = try connection.change(
      """
      DELETE FROM reports WHERE report_id = (
        SELECT report_id FROM reports WHERE state <> 'open' ORDER BY closed_at, report_id LIMIT 1)
      """, [])
    return removed > 0
  }

  fileprivate func change(_ change: AbuseReportChange) throws -> AbuseReportChange.Outcome {
    let former = try abuseReport(change.id)
    guard try change.state != .open || !hasOpenReport(like: change.id) else {
      throw StoreError.exists
    }
    let closedAt = change.state == former.state ? former.closedAt : change.time
    try connection.execute(
      "UPDATE reports SET state = ?, note = ?, closed_at = ? WHERE report_id = ?",
      [
        change.state.rawValue, change.note ?? former.note, change.state == .open ? 0 : closedAt,
        change.id,
      ])
    return AbuseReportChange.Outcome(
      report: try abuseReport(change.id), openCount: try openReportCount())
  }

  /// Whether the reporter of a report has another open one about the same thing.
  private func hasOpenReport(like id: Int64) throws -> Bool {
    try connection.first(
      """
      SELECT 1 FROM reports AS r CROSS JOIN reports AS o
      WHERE r.report_id = ? AND o.reporter_id = r.reporter_id AND o.report_id <> r.report_id
        AND o.type = r.type AND o.channel_url = r.channel_url AND o.subject = r.subject
        AND o.state = 'open' LIMIT 1
      """, [id]
    ) { _ in true } ?? false
  }

  /// Removes a user that is being deleted, and its words, from its reports.
  func forgetReporter(_ userID: String) throws {
    try connection.execute(
      """
      UPDATE reports SET reporter_id = NULL, description = '', custom_category = ''
      WHERE reporter_id = ?
      """, [userID])
  }
}
