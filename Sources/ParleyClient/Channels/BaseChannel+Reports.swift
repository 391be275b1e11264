internal import ParleyProtocol

/// The reason for a report to the moderators.
public enum ReportCategory: Sendable, Hashable {
  case suspicious
  case harassing
  case inappropriate
  case spam
  /// A category of the application, with its name of 1 to 50 characters.
  case custom(String)
}

/// Reports to the moderators, from users who are in the channel.
///
/// Other users receive error 900020, or 400108 in a group. A repeated report of the same thing succeeds and
/// is not kept. Too many reports fail with 400203 or 500910.
extension BaseChannel {
  /// Reports a message; moderators see it as it is now, even if it is changed or deleted later.
  ///
  /// - Parameter description: The user's own words, up to 1,000 characters.
  public func report(
    message: any BaseMessage, category: ReportCategory, description: String? = nil
  ) async throws(ParleyError) {
    try await core.perform(ReportCalls.message(message.messageID, url, category, description))
  }

  /// Reports a user for its behaviour in the channel.
  ///
  /// - Parameter description: The user's own words, up to 1,000 characters.
  public func report(
    user: User, category: ReportCategory, description: String? = nil
  ) async throws(ParleyError) {
    try await core.perform(ReportCalls.user(user.userID, url, category, description))
  }

  /// Reports the channel itself.
  ///
  /// - Parameter description: The user's own words, up to 1,000 characters.
  public func report(
    category: ReportCategory, description: String? = nil
  ) async throws(ParleyError) {
    try await core.perform(ReportCalls.channel(url, category, description))
  }

  /// Reports a message; see ``report(message:category:description:)``.
  public func report(
    message: any BaseMessage, category: ReportCategory, description: String? = nil,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(
      ReportCalls.message(message.messageID, url, category, description),
      handler: completionHandler)
  }

  /// Reports a user; see ``report(user:category:description:)``.
  public func report(
    user: User, category: ReportCategory, description: String? = nil,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(
      ReportCalls.user(user.userID, url, category, description), handler: completionHandler)
  }

  /// Reports the channel itself; see ``report(category:description:)``.
  public func report(
    category: ReportCategory, description: String? = nil,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(ReportCalls.channel(url, category, description), handler: completionHandler)
  }
}

/// The calls that report something.
private enum ReportCalls {
  static func message(
    _ id: Int64, _ url: String, _ category: ReportCategory, _ description: String?
  ) -> Call<Void> {
    report("message.report", url, category, description) { $0.member("message_id", id) }
  }

  static func user(
    _ id: String, _ url: String, _ category: ReportCategory, _ description: String?
  ) -> Call<Void> {
    report("user.report", url, category, description) { $0.member("user_id", id) }
  }

  static func channel(
    _ url: String, _ category: ReportCategory, _ description: String?
  ) -> Call<Void> {
    report("channel.report", url, category, description) { _ in }
  }

  /// Can be sent again: the server keeps one open report of a user about a thing.
  private static func report(
    _ method: String, _ url: String, _ category: ReportCategory, _ description: String?,
    _ write: @escaping @Sendable (inout JSONWriter) -> Void
  ) -> Call<Void> {
    Call(
      method, .safe,
      params: {
        $0.member("channel_url", url)
        write(&$0)
        $0.member("category", category.name)
        if case .custom(let name) = category { $0.member("custom_category", name) }
        if let description { $0.member("description", description) }
      }, reading: { (_: JSONNode) throws(ParleyError) in })
  }
}

extension ReportCategory {
  /// The name of the category in calls.
  fileprivate var name: String {
    let category: AbuseReportCategory =
      switch self {
      case .suspicious: .suspicious
      case .harassing: .harassing
      case .inappropriate: .inappropriate
      case .spam: .spam
      case .custom: .custom
      }
    return category.rawValue
  }
}
