import Channels
import ParleyProtocol
import Store

/// Bans and mutes in channels of both kinds, below `…/{url}/ban` and `…/{url}/mute`.
enum ModerationEndpoints {
  /// `POST …/ban`.
  static func ban(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    _ = try body.text("agent_id", limit: Limits.userIDLength)
    try impose(.restrict(.ban, .ban(body)), call, completion)
  }

  /// `PUT …/ban/{user_id}`: changes the given members.
  static func updateBan(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try impose(
      .changeBan(userID: try call.userID, try BanChange(call.body)), call, completion)
  }

  /// `DELETE …/ban/{user_id}`.
  static func unban(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try lift(.ban, else: .ban, call, completion)
  }

  /// `GET …/ban/{user_id}`.
  static func viewBan(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    try call.inChannel(completion) { channel in
      channel.viewBan(of: userID) { _, result in
        completion(result) { $0.encodeForPlatform(into: &$1) }
      }
    }
  }

  /// `GET …/ban`: a page of the banned users.
  static func listBans(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try list(.ban, as: "banned_list", call, completion) { entry, writer in
      ImposedRestriction(user: entry.user, restriction: entry.restriction)
        .encodeForPlatform(into: &writer)
    }
  }

  /// `POST …/mute`.
  static func mute(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let mute = try ChannelRestriction.mute(call.body)
    try call.inChannel(completion) { channel in
      channel.perform(.operation(.restrict(.mute, mute)), of: completion.address.trace) {
        $0.answer(done: $1, completion)
      }
    }
  }

  /// `DELETE …/mute/{user_id}`.
  static func unmute(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try lift(.mute, else: .mute, call, completion)
  }

  /// `GET …/mute/{user_id}`: whether a user is muted, and for how long.
  static func viewMute(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    try call.inChannel(completion) { channel in
      let now = channel.shard.services.clock.now
      channel.viewMute(of: userID) { _, result in
        completion(result) { mute, writer in
          writer.object {
            $0.member("is_muted", mute != nil)
            $0.restriction(mute, at: now)
          }
        }
      }
    }
  }

  /// `GET …/mute`: a page of the muted users.
  static func listMutes(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let now = call.services.clock.now
    try list(.mute, as: "muted_list", call, completion) { entry, writer in
      entry.encodeAsMute(at: now, into: &writer)
    }
  }

  private static func impose(
    _ operation: ChannelOperation, _ call: PlatformCall, _ completion: Completion
  ) throws(ServiceError) {
    try call.perform(.operation(operation), completion) { answer, writer in
      if case .imposed(let imposed) = answer { imposed.encodeForPlatform(into: &writer) }
    }
  }

  /// Lifts a restriction.
  ///
  /// Fails when there is no such restriction.
  private static func lift(
    _ kind: RestrictionKind, else missing: ServiceError.Resource, _ call: PlatformCall,
    _ completion: Completion
  ) throws(ServiceError) {
    let userID = try call.userID
    try call.inChannel(completion) { channel in
      let command = ChannelCommand.operation(.lift(kind, userID: userID))
      channel.perform(command, of: completion.address.trace) { _, result in
        guard case .success(.lifted(false)) = result else { return completion.empty(result) }
        completion.fail(.notFound(missing, userID))
      }
    }
  }

  private static func list(
    _ kind: RestrictionKind, as name: StaticString, _ call: PlatformCall, _ completion: Completion,
    _ encode: @escaping @Sendable (RestrictedUser, inout JSONWriter) -> Void
  ) throws(ServiceError) {
    let limit = try call.query.pageSize()
    let token = try call.query.pageToken()
    let caller = call.caller
    try call.inChannel(completion) { channel in
      let (id, now) = (channel.place.id, channel.shard.services.clock.now)
      let listing = RestrictionListing(
        kind, channelID: id, at: now, limit: limit, token: token, as: JSONPageEncoder(encode))
      channel.perform(listing, for: caller) {
        $0.encoded(as: name)
      } then: { _, result in
        completion(result)
      }
    }
  }
}

extension ImposedRestriction {
  /// Writes a ban: the user, its beginning and end (Unix milliseconds), and the reason.
  fileprivate func encodeForPlatform(into writer: inout JSONWriter) {
    writer.object {
      $0.name("user")
      user.encode(into: &$0)
      $0.member("start_at", restriction.startsAt)
      $0.member("end_at", restriction.endsAt)
      $0.member("description", restriction.description)
    }
  }
}

extension RestrictedUser {
  /// Writes a muted user.
  fileprivate func encodeAsMute(at now: Int64, into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", user.id)
      $0.member("nickname", user.nickname)
      $0.member("profile_url", user.profileURL)
      $0.member("metadata", user.metadata)
      $0.restriction(restriction, at: now)
    }
  }
}

extension JSONWriter {
  /// Writes the remaining time of a mute, in milliseconds; zeros without a mute.
  fileprivate mutating func restriction(_ restriction: Restriction?, at now: Int64) {
    member("start_at", restriction?.startsAt ?? 0)
    member("end_at", restriction?.endsAt ?? 0)
    member("remaining_duration", restriction.map { max($0.endsAt - now, 0) } ?? 0)
    member("description", restriction?.description ?? "")
  }
}
