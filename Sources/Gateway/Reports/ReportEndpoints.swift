import Channels
import ParleyProtocol
import Store
import Transport

/// The reports of messages, users and channels, below `/v3/report`, and their handling below
/// `/v3/parley/reports`.
enum ReportEndpoints {
  /// `GET /v3/report`: a page of all reports, newest first.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try list(call, completion) { query throws(ServiceError) in
      query.start = try call.query.integer("start_ts", in: Limits.timestamps)
      query.end = try call.query.integer("end_ts", in: Limits.timestamps)
      query.state = try call.query.choice("state", of: AbuseReportState.self)
    }
  }

  /// `POST /v3/report/users/{user_id}`: reports a user, who was noticed in a channel.
  static func reportUser(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (userID, body) = (try call.userID, try call.body)
    guard let kind = try body.choice("channel_type", of: ChannelKind.self) else {
      throw .missing("channel_type")
    }
    try keep(.user(userID), in: try body.channelURL(), of: kind, call, completion)
  }

  /// `GET /v3/report/users/{user_id}`.
  static func listOfUser(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    try list(call, completion) {
      ($0.type, $0.offenderID) = (.user, userID)
    }
  }

  /// `GET /v3/parley/reports/{report_id}`.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    call.perform(AbuseReportLookup(try call.reportID), completion) {
      $0.encodeForPlatform(into: &$1)
    }
  }

  /// `PUT /v3/parley/reports/{report_id}`: resolves, dismisses or reopens a report.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (id, body) = (try call.reportID, try call.body)
    guard let state = try body.choice("state", of: AbuseReportState.self) else {
      throw .missing("state")
    }
    let note = try body.text("note", limit: Limits.reportNoteLength)
    let change = AbuseReportChange(id, to: state, note: note, at: call.services.clock.now)
    let reports = call.services.reports
    call.services.store.perform(change) { result in
      switch result {
      case .success(let changed):
        reports.note(openCount: changed.openCount)
        completion { changed.report.encodeForPlatform(into: &$0) }
      case .failure(.exists): completion.fail(.reportedAgain(id))
      case .failure(let error): completion.fail(ServiceError(error))
      }
    }
  }

  /// Keeps a report of a back end, or of a user on whose behalf it calls.
  fileprivate static func keep(
    _ subject: AbuseReportSubject, in url: String, of kind: ChannelKind, _ call: PlatformCall,
    _ completion: Completion
  ) throws(ServiceError) {
    let body = try call.body
    let draft = AbuseReportDraft(channelURL: url, subject, try .platform(body))
    let addition = AbuseReportAddition(
      draft, by: try body.optionalUserID("reporting_user_id"), inChannelOf: kind,
      at: call.services.clock.now)
    let reports = call.services.reports
    call.services.store.perform(addition) { result in
      completion(result.serviceResult.report(reports)) { $0.encodeForPlatform(into: &$1) }
    }
  }

  /// - Parameter select: Sets the filters.
  fileprivate static func list(
    _ call: PlatformCall, _ completion: Completion,
    _ select: (inout AbuseReportQuery) throws(ServiceError) -> Void
  ) throws(ServiceError) {
    var query = AbuseReportQuery(
      limit: try call.query.pageSize(), token: try call.query.pageToken())
    try select(&query)
    let listing = AbuseReportListing(
      query, as: JSONPageEncoder<AbuseReport> { $0.encodeForPlatform(into: &$1) })
    call.perform(listing, completion) { $0.encoded(as: "report_logs") }
  }
}

/// The reports of a channel and of its messages, below `/v3/report/{channel_type}/{channel_url}`.
struct ChannelReportEndpoints: Sendable {
  /// The kind of the channels.
  let kind: ChannelKind

  /// `POST`: reports the channel.
  func report(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try ReportEndpoints.keep(.channel, in: try call.channelURL, of: kind, call, completion)
  }

  /// `GET`: a page of the reports of the channel itself.
  func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let url = try call.channelURL
    try ReportEndpoints.list(call, completion) {
      ($0.type, $0.channelURL, $0.kind) = (.channel, url, kind)
    }
  }

  /// `POST …/messages/{message_id}`.
  func reportMessage(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (url, id) = (try call.channelURL, try call.messageID)
    try ReportEndpoints.keep(.message(id), in: url, of: kind, call, completion)
  }

  /// `GET …/messages/{message_id}`.
  func listOfMessage(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (url, id) = (try call.channelURL, try call.messageID)
    try ReportEndpoints.list(call, completion) {
      ($0.type, $0.channelURL, $0.kind, $0.messageID) = (.message, url, kind, id)
    }
  }
}

extension PlatformCall {
  /// The id of the report in the path.
  ///
  /// An id that no report can have is reported as not found.
  fileprivate var reportID: Int64 {
    get throws(ServiceError) {
      let text = arguments["report_id"]
      guard let id = Int64(text) else { throw .notFound(.report, text) }
      return id
    }
  }
}

extension AbuseReport {
  /// Writes the report as the Platform API shows it.
  fileprivate func encodeForPlatform(into writer: inout JSONWriter) {
    writer.object {
      encodeMembers(into: &$0) { message, writer in
        message.encodeForPlatform(.unknown, into: &writer)
      }
    }
  }
}
