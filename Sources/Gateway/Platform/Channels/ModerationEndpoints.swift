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
    return try impose(.ban(command))
  }

  /// `PUT …/ban/{user_id}`: what is absent stays, the end to the millisecond; `seconds` count from now on.
  func updateBan() throws(ServiceError) -> Work {
    let userID = try userID(at: 1)
    let body = try request.parameters
    let seconds = body.value("seconds") == nil ? nil : try body.restrictionSeconds()
    let description = try body.text("description", limit: Limits.banDescriptionLength)
    return try impose(
      .changeBan(userID: userID, seconds: seconds, description: description))
  }

  /// `DELETE …/ban/{user_id}`.
  func unbanUser() throws(ServiceError) -> Work {
    let userID = try userID(at: 1)
    return try lift(.unban(userID: userID), else: .notFound(.ban, userID))
  }

  /// `GET …/ban/{user_id}`.
  func viewBan() throws(ServiceError) -> Work {
    let userID = try userID(at: 1)
    return try inChannel { channel, reply in
      guard let ban = channel.restriction(.ban, of: userID) else {
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
      channel.perform(.mute(command)) { channel, result in
        reply(result.map { _ in channel.view }.encodedForPlatform)
      }
    }
  }

  /// `DELETE …/mute/{user_id}`.
  func unmuteUser() throws(ServiceError) -> Work {
    let userID = try userID(at: 1)
    return try lift(.unmute(userID: userID), else: .notFound(.mute, userID))
  }

  /// `GET …/mute/{user_id}`: whether and how long.
  func viewMute() throws(ServiceError) -> Work {
    let userID = try userID(at: 1)
    return try inChannel { channel, reply in
      let now = channel.node.services.clock.now
      let mute = channel.restriction(.mute, of: userID)
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

  private func impose(_ command: ChannelCommand) throws(ServiceError) -> Work {
    try perform(command) { answer, writer in
      if case .imposed(let imposed) = answer { imposed.encodeForPlatform(into: &writer) }
    }
  }

  /// Lifts a restriction; what is not there can't be lifted.
  private func lift(
    _ command: ChannelCommand, else missing: ServiceError
  ) throws(ServiceError) -> Work {
    try inChannel { channel, reply in
      channel.perform(command) { _, result in
        guard case .success(.lifted(false)) = result else { return reply(result.encodedEmpty) }
        reply(.failure(missing))
      }
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
      let (id, now) = (channel.place.id, channel.node.services.clock.now)
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

extension ImposedRestriction {
  fileprivate init(_ entry: RestrictedUser) {
    self.init(user: entry.user, restriction: entry.restriction)
  }
}
