/// `message.report`, `user.report` and `channel.report`: a complaint that moderators will read.
package struct AbuseReportDraft: Sendable, Hashable {
  /// The channel of the message, or the one in which the user was noticed.
  package var channelURL: String
  package var subject: AbuseReportSubject
  package var reason: AbuseReportReason

  package init(channelURL: String, _ subject: AbuseReportSubject, _ reason: AbuseReportReason) {
    self.channelURL = channelURL
    self.subject = subject
    self.reason = reason
  }

  /// Reads the parameters of a call about a kind of thing.
  package init(_ type: AbuseReportType, _ fields: Fields) throws(ServiceError) {
    channelURL = try fields.channelURL()
    subject =
      switch type {
      case .message: .message(try fields.messageID())
      case .user: .user(try fields.userID())
      case .channel: .channel
      }
    reason = try AbuseReportReason(
      fields, category: "category", customCategory: "custom_category", description: "description")
  }
}

/// The thing that is reported.
package enum AbuseReportSubject: Sendable, Hashable {
  case message(Int64)
  case user(String)
  /// The channel of the report.
  case channel

  package var type: AbuseReportType {
    switch self {
    case .message: .message
    case .user: .user
    case .channel: .channel
    }
  }
}

/// The reason for a report (`report_category` on the wire).
package enum AbuseReportCategory: String, Sendable, CaseIterable {
  case suspicious
  case harassing
  case inappropriate
  case spam
  /// A category of the application, which has a name of its own.
  case custom
}

/// The reason for a report, with the words of the reporter.
package struct AbuseReportReason: Sendable, Hashable {
  package var category: AbuseReportCategory
  /// The name of a custom category; empty for others.
  package var customCategory: String
  /// Up to 1,000 characters; may be empty.
  package var description: String

  package init(
    _ category: AbuseReportCategory, customCategory: String = "", description: String = ""
  ) {
    self.category = category
    self.customCategory = customCategory
    self.description = description
  }

  /// - Throws: 400105 for a custom category without a name, 400920 for the name of another one.
  init(
    _ fields: Fields, category categoryField: String, customCategory nameField: String,
    description descriptionField: String
  ) throws(ServiceError) {
    guard let category = try fields.choice(categoryField, of: AbuseReportCategory.self) else {
      throw .missing(categoryField)
    }
    let name = try fields.name(nameField, limit: Limits.reportCategoryLength) ?? ""
    guard category == .custom || name.isEmpty else {
      throw .notCombinable(nameField, "it is the name of the category 'custom'")
    }
    guard category != .custom || !name.isEmpty else { throw .missing(nameField) }
    self.category = category
    customCategory = name
    description =
      try fields.text(descriptionField, limit: Limits.reportDescriptionLength) ?? ""
  }

  /// Reads the members of a body of the Platform API.
  package static func platform(_ body: Fields) throws(ServiceError) -> AbuseReportReason {
    try AbuseReportReason(
      body, category: "report_category", customCategory: "custom_report_category_name",
      description: "report_description")
  }
}
