import Channels
import HTTP1
import ParleyProtocol
import Store

/// Bans and mutes, below `/v3/open_channels/{url}`.
extension PlatformCall {
  /// `POST …/ban`.
  func banUser() throws(ServiceError) -> Work {
    let body = try request.parameters
    _ = try body.text("agent_id", limit: Limits.userIDLength)
    let command = try restriction(
      body, of: try body.userID(), descriptionLimit: Limits.banDescriptionLength)
    return try inChannel { channel, reply in
      channel.ban(command, by: .platform(onBehalfOf: nil)) { _, result in
        reply(result.encoded { $0.encodeForPlatform(into: &$1) })
      }
    }
  }

  /// `PUT …/ban/{user_id}`: what is absent stays, the end to the millisecond; `seconds` count from now on.
  func updateBan() throws(ServiceError) -> Work {
    let userID = try userID(at: 1)
    let body = try request.parameters
    let seconds = body.value("seconds") == nil ? nil : try body.restrictionSeconds()
    let description = try body.text("description", limit: Limits.banDescriptionLength)
    return try inChannel { channel, reply in
      let now = channel.now
      guard var ban = channel.bans[userID], ban.endsAt > now else {
        reply(.failure(.notFound(.ban, userID)))
        return
      }
      ban.startsAt = now
      if let seconds {
        let command = ChannelRestriction(
          channelURL: channel.url, userID: userID, seconds: seconds, description: "")
        ban.endsAt = now + command.durationMilliseconds
      }
      if let description { ban.description = description }
      channel.ban(ban, by: .platform(onBehalfOf: nil)) { _, result in
        reply(result.encoded { $0.encodeForPlatform(into: &$1) })
      }
    }
  }

  /// `DELETE …/ban/{user_id}`.
  func unbanUser() throws(ServiceError) -> Work {
    let userID = try userID(at: 1)
    return try inChannel { channel, reply in
      channel.unban(userID, by: .platform(onBehalfOf: nil)) { _, result in
        reply(result.lifted(.ban, userID).encodedEmpty)
      }
    }
  }

  /// `GET …/ban/{user_id}`.
  func viewBan() throws(ServiceError) -> Work {
    let userID = try userID(at: 1)
    return try inChannel { channel, reply in
      guard let ban = channel.bans[userID], ban.endsAt > channel.now else {
        reply(.failure(.notFound(.ban, userID)))
        return
      }
      channel.lookUp {
        ImposedRestriction(user: try $0.user(userID) ?? User(id: userID), restriction: ban)
      } then: { _, result in
        reply(result.encoded { $0.encodeForPlatform(into: &$1) })
      }
    }
  }

  /// `GET …/ban`: a page of those who are banned.
  func listBans() throws(ServiceError) -> Work {
    try listRestrictions(.ban, as: "banned_list") { entry, writer in
      ImposedRestriction(entry).encodeForPlatform(into: &writer)
    }
  }

  /// `POST …/mute`.
  func muteUser() throws(ServiceError) -> Work {
    let body = try request.parameters
    let command = try restriction(
      body, of: try body.userID(), descriptionLimit: Limits.muteDescriptionLength)
    return try inChannel { channel, reply in
      channel.mute(command, by: .platform(onBehalfOf: nil)) { channel, result in
        reply(result.map { _ in channel.view }.encodedForPlatform)
      }
    }
  }

  /// `DELETE …/mute/{user_id}`.
  func unmuteUser() throws(ServiceError) -> Work {
    let userID = try userID(at: 1)
    return try inChannel { channel, reply in
      channel.unmute(userID, by: .platform(onBehalfOf: nil)) { _, result in
        reply(result.lifted(.mute, userID).encodedEmpty)
      }
    }
  }

  /// `GET …/mute/{user_id}`: whether and how long.
  func viewMute() throws(ServiceError) -> Work {
    let userID = try userID(at: 1)
    return try inChannel { channel, reply in
      let now = channel.now
      let mute = channel.mutes[userID].flatMap { $0.endsAt > now ? $0 : nil }
      channel.lookUp {
        guard try $0.user(userID) != nil else { throw ServiceError.notFound(.user, userID) }
        return mute
      } then: { _, result in
        reply(
          result.encoded { mute, writer in
            writer.object {
              $0.member("is_muted", mute != nil)
              $0.restriction(mute, at: now)
            }
          })
      }
    }
  }

  /// `GET …/mute`: a page of those who are muted.
  func listMutes() throws(ServiceError) -> Work {
    let now = node.services.clock.now
    return try listRestrictions(.mute, as: "muted_list") { entry, writer in
      entry.encodeAsMute(at: now, into: &writer)
    }
  }

  private func restriction(
    _ body: Parameters, of userID: String, descriptionLimit: Int
  ) throws(ServiceError) -> ChannelRestriction {
    ChannelRestriction(
      channelURL: try channelURL, userID: userID, seconds: try body.restrictionSeconds(),
      description: try body.text("description", limit: descriptionLimit) ?? "")
  }

  private func listRestrictions(
    _ kind: RestrictionKind, as name: StaticString,
    _ encode: @escaping @Sendable (RestrictedUser, inout JSONWriter) -> Void
  ) throws(ServiceError) -> Work {
    let limit = try request.pageSize()
    let token = try request.pageToken()
    let caller = request.caller
    return try inChannel { channel, reply in
      let (id, now) = (channel.storeID, channel.now)
      channel.query(for: caller) {
        try $0.listRestrictions(
          kind, channelID: id, at: now, limit: limit, token: token
        ) { entry in
          PageItem { encode(entry, &$0) }
        }.encoded(as: name)
      } then: { _, result in
        reply(result)
      }
    }
  }
}

extension Result<Lifting, ServiceError> {
  /// What is not there can't be lifted.
  fileprivate func lifted(
    _ kind: ServiceError.Resource, _ userID: String
  ) -> Result<Void, ServiceError> {
    flatMap { $0 == .lifted ? .success(()) : .failure(.notFound(kind, userID)) }
  }
}

extension ImposedRestriction {
  fileprivate init(_ entry: RestrictedUser) {
    self.init(user: entry.user, restriction: entry.restriction)
  }
}
