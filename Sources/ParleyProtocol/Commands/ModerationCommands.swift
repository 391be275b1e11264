/// `channel.mute`, `channel.ban`.
package struct ChannelRestriction: Sendable, Hashable {
  package var channelURL: String
  package var userID: String
  /// 1 or more, or −1 for ten years.
  package var seconds: Int64
  package var description: String

  /// What −1 seconds stands for.
  package static let longestSeconds: Int64 = 10 * 365 * 24 * 60 * 60

  /// How long the restriction holds.
  package var durationMilliseconds: Int64 {
    (seconds < 0 ? Self.longestSeconds : seconds) * 1000
  }

  package init(channelURL: String, userID: String, seconds: Int64, description: String) {
    self.channelURL = channelURL
    self.userID = userID
    self.seconds = seconds
    self.description = description
  }

  /// Reads the parameters of a mute.
  package static func mute(_ parameters: Parameters) throws(ServiceError) -> ChannelRestriction {
    try ChannelRestriction(parameters, descriptionLimit: Limits.muteDescriptionLength)
  }

  /// Reads the parameters of a ban.
  package static func ban(_ parameters: Parameters) throws(ServiceError) -> ChannelRestriction {
    try ChannelRestriction(parameters, descriptionLimit: Limits.banDescriptionLength)
  }

  private init(_ parameters: Parameters, descriptionLimit: Int) throws(ServiceError) {
    self.init(
      channelURL: try parameters.channelURL(), userID: try parameters.userID(),
      seconds: try parameters.restrictionSeconds(),
      description: try parameters.text("description", limit: descriptionLimit) ?? "")
  }
}

/// `channel.unmute`, `channel.unban`.
package struct ChannelUserReference: Sendable, Hashable {
  package var channelURL: String
  package var userID: String

  package init(_ parameters: Parameters) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    userID = try parameters.userID()
  }
}

/// `channel.add_operators`, `channel.remove_operators`.
package struct ChannelOperators: Sendable, Hashable {
  package var channelURL: String
  /// 1 to 100, each once.
  package var userIDs: [String]

  package init(_ parameters: Parameters) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    userIDs = try parameters.userIDs("user_ids", limit: Limits.operatorCount) ?? []
    guard !userIDs.isEmpty else { throw .missing("user_ids") }
  }
}

extension Parameters {
  /// `seconds` of a mute or ban: 1 or more, or −1, the default.
  package func restrictionSeconds() throws(ServiceError) -> Int64 {
    let range = -1...Limits.restrictionSeconds
    guard let seconds = try integer("seconds", in: range) else { return -1 }
    guard seconds != 0 else {
      throw ServiceError(
        .outOfRange, "'seconds' is 0; -1 or 1 to \(range.upperBound) is expected",
        field: "seconds")
    }
    return seconds
  }
}
