/// `channel.mute`, `channel.ban`.
package struct ChannelRestriction: Sendable, Hashable {
  package var channelURL: String
  package var userID: String
  /// 1 or more, or −1 for ten years.
  package var seconds: Int64
  package var description: String

  /// The length that −1 seconds stands for.
  package static let longestSeconds: Int64 = 10 * 365 * 24 * 60 * 60

  /// How long the restriction holds.
  package var durationMilliseconds: Int64 { Self.milliseconds(ofSeconds: seconds) }

  fileprivate static func milliseconds(ofSeconds seconds: Int64) -> Int64 {
    (seconds < 0 ? longestSeconds : seconds) * 1000
  }

  package init(channelURL: String, userID: String, seconds: Int64, description: String) {
    self.channelURL = channelURL
    self.userID = userID
    self.seconds = seconds
    self.description = description
  }

  /// Reads a mute.
  package static func mute(_ fields: Fields) throws(ServiceError) -> ChannelRestriction {
    try mute(fields, inChannel: fields.channelURL())
  }

  /// Reads a mute in a channel that is not named among the fields.
  package static func mute(
    _ fields: Fields, inChannel channelURL: String
  ) throws(ServiceError) -> ChannelRestriction {
    try ChannelRestriction(
      fields, inChannel: channelURL, descriptionLimit: Limits.muteDescriptionLength)
  }

  /// Reads a ban.
  package static func ban(_ fields: Fields) throws(ServiceError) -> ChannelRestriction {
    try ban(fields, inChannel: fields.channelURL())
  }

  /// Reads a ban from a channel that is not named among the fields.
  package static func ban(
    _ fields: Fields, inChannel channelURL: String
  ) throws(ServiceError) -> ChannelRestriction {
    try ChannelRestriction(
      fields, inChannel: channelURL, descriptionLimit: Limits.banDescriptionLength)
  }

  private init(
    _ fields: Fields, inChannel channelURL: String, descriptionLimit: Int
  ) throws(ServiceError) {
    self.init(
      channelURL: channelURL, userID: try fields.userID(),
      seconds: try fields.restrictionSeconds() ?? -1,
      description: try fields.text("description", limit: descriptionLimit) ?? "")
  }
}

/// A change of a ban: what is absent stays as it is.
package struct BanChange: Sendable, Hashable {
  /// The length from the change on: 1 or more, or −1 for ten years.
  ///
  /// Without it the ban ends when it did, to the millisecond.
  package var seconds: Int64?
  package var description: String?

  package init(_ fields: Fields) throws(ServiceError) {
    seconds = try fields.restrictionSeconds()
    description = try fields.text("description", limit: Limits.banDescriptionLength)
  }

  /// How long the ban holds from the change on; `nil` when its end stays.
  package var durationMilliseconds: Int64? {
    seconds.map(ChannelRestriction.milliseconds(ofSeconds:))
  }
}

/// `channel.unmute`, `channel.unban`.
package struct ChannelUserReference: Sendable, Hashable {
  package var channelURL: String
  package var userID: String

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    userID = try parameters.userID()
  }
}

/// `channel.add_operators`, `channel.remove_operators`.
package struct ChannelOperators: Sendable, Hashable {
  package var channelURL: String
  /// 1 to 100, each once.
  package var userIDs: [String]

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    userIDs = try parameters.userIDs("user_ids", limit: Limits.operatorCount) ?? []
    guard !userIDs.isEmpty else { throw .missing("user_ids") }
  }
}

extension Fields {
  /// `seconds` of a mute or ban, if given: 1 or more, or −1.
  fileprivate func restrictionSeconds() throws(ServiceError) -> Int64? {
    let range = -1...Limits.restrictionSeconds
    guard let seconds = try integer("seconds", in: range) else { return nil }
    guard seconds != 0 else {
      throw ServiceError(
        .outOfRange, "'seconds' is 0; -1 or 1 to \(range.upperBound) is expected",
        field: "seconds")
    }
    return seconds
  }
}
