internal import ParleyProtocol

/// Moderation by operators; other users receive error 400108.
extension BaseChannel {
  /// Lets only operators send.
  public func freeze() async throws(ParleyError) {
    try await core.perform(ChannelCalls.freeze(url).map(replace))
  }

  /// Lets everyone send again.
  public func unfreeze() async throws(ParleyError) {
    try await core.perform(ChannelCalls.unfreeze(url).map(replace))
  }

  /// Lets a user read but not send.
  ///
  /// - Parameters:
  ///   - userID: The user to mute.
  ///   - seconds: The length of the mute, 1 or more; `nil` for ten years.
  ///   - description: The reason, up to 2,048 characters.
  public func muteUser(
    userID: String, seconds: Int? = nil, description: String? = nil
  ) async throws(ParleyError) {
    let restriction = UserRestriction(userID: userID, seconds: seconds, description: description)
    try await core.perform(ChannelCalls.mute(url, restriction))
  }

  /// Lets a muted user send again.
  public func unmuteUser(userID: String) async throws(ParleyError) {
    try await core.perform(ChannelCalls.unmute(url, userID: userID))
  }

  /// Removes a user from the channel and bans it.
  ///
  /// - Parameters:
  ///   - userID: The user to ban.
  ///   - seconds: The length of the ban, 1 or more; `nil` for ten years.
  ///   - description: The reason, up to 250 characters.
  public func banUser(
    userID: String, seconds: Int? = nil, description: String? = nil
  ) async throws(ParleyError) {
    let restriction = UserRestriction(userID: userID, seconds: seconds, description: description)
    try await core.perform(ChannelCalls.ban(url, restriction))
  }

  /// Lets a banned user enter again.
  public func unbanUser(userID: String) async throws(ParleyError) {
    try await core.perform(ChannelCalls.unban(url, userID: userID))
  }

  /// Makes users operators.
  public func addOperators(userIDs: [String]) async throws(ParleyError) {
    try await core.perform(ChannelCalls.addOperators(url, userIDs).map(replace))
  }

  /// Removes operators from the channel.
  public func removeOperators(userIDs: [String]) async throws(ParleyError) {
    try await core.perform(ChannelCalls.removeOperators(url, userIDs).map(replace))
  }
}

/// A mute or ban: its user, duration and reason.
struct UserRestriction: Sendable, Hashable {
  let userID: String
  /// The duration; `nil` for ten years.
  let seconds: Int?
  let description: String?

  func write(into writer: inout JSONWriter) {
    writer.member("user_id", userID)
    if let seconds { writer.member("seconds", seconds) }
    if let description { writer.member("description", description) }
  }
}
