/// A complaint about a message, a user or a channel, and the state of its handling.
package struct AbuseReport: Sendable, Hashable, Identifiable {
  /// Increasing in the deployment.
  package var id: Int64
  package var type: AbuseReportType
  package var reason: AbuseReportReason
  /// The user who complains; `nil` when a back end did so, or after the user was deleted.
  package var reporter: User?
  /// The user whom the complaint is about: the author of a message; `nil` for an admin message or a channel.
  package var offender: User?
  /// The message as it was when it was reported, without its preview and translations.
  package var message: Message?
  /// The channel as it was when it was reported.
  package var channel: ReportedChannel
  /// Unix milliseconds.
  package var createdAt: Int64
  package var state: AbuseReportState
  /// The moderators' own text.
  package var note: String
  /// The time at which the report was resolved or dismissed, in Unix milliseconds; 0 for an open one.
  package var closedAt: Int64

  package init(
    id: Int64, type: AbuseReportType, reason: AbuseReportReason, reporter: User? = nil,
    offender: User? = nil, message: Message? = nil, channel: ReportedChannel, createdAt: Int64,
    state: AbuseReportState = .open, note: String = "", closedAt: Int64 = 0
  ) {
    self.id = id
    self.type = type
    self.reason = reason
    self.reporter = reporter
    self.offender = offender
    self.message = message
    self.channel = channel
    self.createdAt = createdAt
    self.state = state
    self.note = note
    self.closedAt = closedAt
  }
}

/// The kind of thing that is reported (`report_type` on the wire).
package enum AbuseReportType: String, Sendable, CaseIterable {
  case message
  case user
  case channel
}

/// `open` until moderators have decided.
package enum AbuseReportState: String, Sendable, CaseIterable {
  case open
  /// Moderators have acted.
  case resolved
  /// Moderators have found nothing to act on.
  case dismissed
}

/// The channel of a report, as far as reports keep it.
package struct ReportedChannel: Sendable, Hashable {
  package var url: String
  package var kind: ChannelKind
  package var name: String
  package var customType: String

  package init(url: String, kind: ChannelKind, name: String = "", customType: String = "") {
    self.url = url
    self.kind = kind
    self.name = name
    self.customType = customType
  }

  package init(_ channel: Channel) {
    self.init(
      url: channel.url, kind: channel.kind, name: channel.name, customType: channel.customType)
  }
}

extension AbuseReport {
  /// Writes the members of the report; those without a value are left out.
  ///
  /// - Parameter encode: Writes the message in the form of the receiver.
  package func encodeMembers(
    into writer: inout JSONWriter, message encode: (Message, inout JSONWriter) -> Void
  ) {
    writer.member("id", id)
    writer.member("report_type", type.rawValue)
    writer.member("report_category", reason.category.rawValue)
    if !reason.customCategory.isEmpty {
      writer.member("custom_report_category_name", reason.customCategory)
    }
    if !reason.description.isEmpty { writer.member("report_description", reason.description) }
    writer.member("reporting_user", ifKnown: reporter)
    writer.member("offending_user", ifKnown: offender)
    if let message {
      writer.name("reported_message")
      encode(message, &writer)
    }
    writer.name("channel")
    channel.encode(into: &writer)
    writer.member("created_at", createdAt)
    writer.member("state", state.rawValue)
    if !note.isEmpty { writer.member("note", note) }
    if closedAt > 0 { writer.member("closed_at", closedAt) }
  }

  /// Parses the members of a report.
  init(_ reader: ResourceReader) throws(ResourceError) {
    func user(_ name: String) throws(ResourceError) -> User? {
      try reader.node.present(name).map { node throws(ResourceError) in try User(json: node) }
    }
    self.init(
      id: try reader.integer("id"), type: try reader.choice("report_type"),
      reason: AbuseReportReason(
        try reader.choice("report_category"),
        customCategory: try reader.optionalText("custom_report_category_name"),
        description: try reader.optionalText("report_description")),
      reporter: try user("reporting_user"), offender: try user("offending_user"),
      message: try reader.node.present("reported_message").map { node throws(ResourceError) in
        try Message(json: node)
      }, channel: try ReportedChannel(json: reader.member("channel")),
      createdAt: try reader.integer("created_at"), state: try reader.choice("state"),
      note: try reader.optionalText("note"),
      closedAt: reader.node.present("closed_at") == nil ? 0 : try reader.integer("closed_at"))
  }
}

extension ReportedChannel {
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("channel_url", url)
      $0.member("channel_type", kind.rawValue)
      $0.member("name", name)
      $0.member("custom_type", customType)
    }
  }

  package init(json: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("channel", json)
    self.init(
      url: try reader.text("channel_url"), kind: try reader.choice("channel_type"),
      name: try reader.optionalText("name"), customType: try reader.optionalText("custom_type"))
  }
}

extension JSONWriter {
  /// Writes a user with its metadata, if there is one.
  fileprivate mutating func member(_ name: StaticString, ifKnown user: User?) {
    guard let user else { return }
    self.name(name)
    user.encode(into: &self)
  }
}
