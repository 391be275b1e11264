import Channels
import ParleyProtocol
import Store

/// The bans and mutes of all channels, below `/v3/parley/restrictions`.
enum RestrictionEndpoints {
  /// `GET ?kind=&user_id=&channel_url=`: those in effect, newest first.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let listing = AllRestrictionsListing(
      try call.query.choice("kind", of: RestrictionKind.self),
      ofUser: try call.query.optionalUserID("user_id"),
      inChannel: try call.query.optionalChannelURL(), at: call.services.clock.now,
      limit: try call.query.pageSize(), token: try call.query.pageToken(),
      as: JSONPageEncoder<PlacedRestriction> { $0.encode(into: &$1) })
    call.perform(listing, completion) { $0.encoded(as: "restrictions") }
  }
}

extension PlacedRestriction {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("kind", kind.rawValue)
      $0.member("channel_url", channelURL)
      $0.member("channel_type", channelKind.rawValue)
      $0.name("user")
      user.encode(into: &$0)
      $0.member("start_at", restriction.startsAt)
      $0.member("end_at", restriction.endsAt)
      $0.member("description", restriction.description)
    }
  }
}
