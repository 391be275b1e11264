/// A mute or ban.
package struct ChannelRestriction: Sendable, Hashable {
  package var userID: String
  /// 1 or more, or −1 for ten years.
  package var seconds: Int64
  package var description: String

  /// The duration that −1 seconds stands for.
  package static let longestSeconds: Int64 = 10 * 365 * 24 * 60 * 60

  /// The duration of the restriction.
  package var durationMilliseconds: Int64 { Self.milliseconds(ofSeconds: seconds) }

  fileprivate static func milliseconds(ofSeconds seconds: Int64) -> Int64 {
    (seconds < 0 ? longestSeconds : seconds) * 1000
  }

  package init(userID: String, seconds: Int64, description: String) {
    self.userID = userID
    self.seconds = seconds
    self.description = description
  }

  /// Reads a mute.
  package static func mute(_ fields: Fields) throws(ServiceError) -> ChannelRestriction {
    try ChannelRestriction(fields, descriptionLimit: Limits.muteDescriptionLength)
  }

  /// Reads a ban.
  package static func ban(_ fields: Fields) throws(ServiceError) -> ChannelRestriction {
    try ChannelRestriction(fields, descriptionLimit: Limits.banDescriptionLength)
  }

  private init(_ fields: Fields, descriptionLimit: Int) throws(ServiceError) {
    self.init(
      userID: try fields.userID(), seconds: try fields.restrictionSeconds() ?? -1,
      description: try fields.text("description", limit: descriptionLimit) ?? "")
  }
}

/// The kind of restriction: the action that it forbids.
package enum RestrictionKind: String, Sendable, CaseIterable {
  /// Being in the channel.
  case ban
  /// Sending to the channel.
  case mute
}

/// A change of a ban; absent values stay unchanged.
package struct BanChange: Sendable, Hashable {
  /// The duration from the change on: 1 or more, or −1 for ten years.
  ///
  /// If it is absent, the end of the ban stays unchanged, to the millisecond.
  package var seconds: Int64?
  package var description: String?

  package init(seconds: Int64?, description: String?) {
    self.seconds = seconds
    self.description = description
  }

  package init(_ fields: Fields) throws(ServiceError) {
    seconds = try fields.restrictionSeconds()
    description = try fields.text("description", limit: Limits.banDescriptionLength)
  }

  /// The duration of the ban from the change on; `nil` when its end is unchanged.
  package var durationMilliseconds: Int64? {
    seconds.map(ChannelRestriction.milliseconds(ofSeconds:))
  }
}

extension Fields {
  /// The users that become or cease to be operators: 1 to 100, without duplicates.
  package func operatorIDs(_ name: String) throws(ServiceError) -> [String] {
    let ids = try userIDs(name, limit: Limits.operatorCount) ?? []
    guard !ids.isEmpty else { throw .missing(name) }
    return ids
  }

  /// The optional `seconds` of a mute or ban: 1 or more, or −1.
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
