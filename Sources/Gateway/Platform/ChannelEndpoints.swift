import Channels
import ParleyProtocol
import Store

/// Open channels themselves, below `/v3/open_channels`, and what both kinds of channels have.
enum ChannelEndpoints {
  /// `POST /open_channels`: creates a channel whose only operators are the users named.
  static func create(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    var channel = Channel(
      try ChannelCreate(body), url: Identifiers.channelURL(), at: call.services.clock.now)
    channel.survivalSeconds = try body.survivalSeconds()
    call.shard.send(
      .channel(url: channel.url, .create(channel, replyTo: .exchange(call.address))))
  }

  /// `GET /open_channels`: a page of channels, newest first.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let query = try ChannelQuery(call.query)
    call.shard.listChannels(query, for: call.caller) {
      $0.encodeForPlatform(into: &$1)
    } then: { _, result in
      completion(result)
    }
  }

  /// `GET /open_channels/{url}`.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.perform(.view, completion) { answer, writer in
      if case .channel(let info) = answer { info.encodeForPlatform(into: &writer) }
    }
  }

  /// `PUT /open_channels/{url}`: changes the given members.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let command = ChannelCommand.operation(.update(try ChannelFields(call.body)))
    try call.settingSurvival(completion) { channel in
      channel.perform(command, of: completion.address.trace) { $0.answer(done: $1, completion) }
    }
  }

  /// `DELETE /open_channels/{url}`: deletes a channel with all its contents.
  static func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.perform(.operation(.delete), completion)
  }

  /// `GET …/participants`: the users in the channel, in the order of entering.
  static func listParticipants(
    _ call: PlatformCall, _ completion: Completion
  ) throws(ServiceError) {
    let limit = try call.query.pageSize()
    let token = try call.query.pageToken()
    try call.inChannel(completion) { channel in
      do throws(ServiceError) {
        let page = try channel.participantPage(limit: limit, token: token)
        let muted = page.users.filter { channel.restriction(.mute, of: $0.id) != nil }
        completion { page.encodeForPlatform(mutedIDs: Set(muted.map(\.id)), into: &$0) }
      } catch {
        completion.fail(error)
      }
    }
  }

  /// `PUT …/freeze`: freezes, or unfreezes with `freeze` false.
  static func freeze(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let freezes = try call.body.boolean("freeze") ?? true
    try call.inChannel(completion) { channel in
      channel.perform(.operation(.freeze(freezes)), of: completion.address.trace) {
        $0.answer(done: $1, completion)
      }
    }
  }
}

/// The operators of a channel of either kind, below `…/{url}/operators`.
enum OperatorEndpoints {
  /// `POST`: adds users to the operators.
  static func add(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let ids = try call.body.operatorIDs("operator_ids")
    try call.perform(.operation(.addOperators(ids)), completion)
  }

  /// `GET`: a page of operators, in the order in which they were added.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let limit = try call.query.pageSize()
    let token = try call.query.pageToken()
    try call.inChannel(completion) { channel in
      do throws(ServiceError) {
        let page = try channel.operatorPage(limit: limit, token: token)
        completion(.success(page.encoded(as: "operators")))
      } catch {
        completion.fail(error)
      }
    }
  }

  /// `DELETE …?operator_ids=|delete_all=true`: removes the operator role.
  ///
  /// Users without the role are skipped.
  static func remove(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    if try call.query.boolean("delete_all") == true {
      return try call.perform(.operation(.removeAllOperators), completion)
    }
    let ids = try call.query.userIDs("operator_ids") ?? []
    guard !ids.isEmpty else { throw .missing("operator_ids") }
    try call.perform(.operation(.removeOperators(ids)), completion)
  }
}

extension Channel {
  /// - Parameter url: The URL for a channel that is created without one.
  fileprivate init(_ command: ChannelCreate, url: @autoclosure () -> String, at now: Int64) {
    let fields = command.fields
    self.init(
      url: command.channelURL ?? url(), name: fields.name ?? "", coverURL: fields.coverURL ?? "",
      data: fields.data ?? "", customType: fields.customType ?? "",
      isEphemeral: command.isEphemeral, operators: (fields.operatorIDs ?? []).map { User(id: $0) },
      createdAt: now)
  }
}

extension ChannelQuery {
  fileprivate init(_ query: Fields) throws(ServiceError) {
    let urlLength = Limits.channelURLLengths.upperBound
    let urls = try query.texts("channel_urls", limit: urlLength) ?? []
    self.init(
      nameContains: try query.text("name_contains", limit: Limits.channelNameLength),
      urlContains: try query.text("url_contains", limit: urlLength),
      customTypes: try query.customTypes() ?? [],
      urls: urls, freezing: try query.channelFreezing(), limit: try query.pageSize(),
      token: try query.pageToken())
  }
}

extension Completion {
  /// Answers with the channel.
  func channel(_ result: Result<ChannelInfo, ServiceError>) {
    self(result) { $0.encodeForPlatform(into: &$1) }
  }
}

extension ChannelHost {
  /// Answers a call that has changed the channel with the channel as it is now.
  func answer(done result: Result<JudgeAnswer, ServiceError>, _ completion: Completion) {
    switch (kind, result) {
    case (_, .failure(let error)): completion.fail(error)
    case (.open, .success): completion.channel(.success(info))
    case (.group, .success): viewGroup(.channel, completion)
    }
  }
}

extension ChannelInfo {
  /// Writes the open channel as the Platform API shows it, with times in seconds.
  func encodeForPlatform(into writer: inout JSONWriter) {
    writer.object {
      $0.member("channel_url", channel.url)
      $0.member("name", channel.name)
      $0.member("cover_url", channel.coverURL)
      $0.member("custom_type", channel.customType)
      $0.member("data", channel.data)
      $0.member("is_ephemeral", channel.isEphemeral)
      $0.member("is_dynamic_partitioned", false)
      $0.member("participant_count", participantCount)
      $0.member("max_length_message", maxMessageLength)
      $0.name("operators")
      channel.operators.encode(into: &$0)
      $0.member("freeze", channel.isFrozen)
      $0.member("metadata", channel.metadata)
      channel.encodeSurvival(into: &$0)
      $0.member("created_at", channel.createdAt / 1000)
    }
  }
}

extension ParticipantPage {
  /// Writes the page.
  ///
  /// A user in a channel has a session, and is therefore online.
  fileprivate func encodeForPlatform(mutedIDs: Set<String>, into writer: inout JSONWriter) {
    writer.object {
      $0.member(
        "participants",
        array: {
          for user in users {
            user.encodeAsParticipant(isMuted: mutedIDs.contains(user.id), into: &$0)
          }
        })
      $0.member("next", next)
    }
  }
}

extension User {
  fileprivate func encodeAsParticipant(isMuted: Bool, into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", id)
      $0.member("nickname", nickname)
      $0.member("profile_url", profileURL)
      $0.member("is_muted", isMuted)
      $0.member("is_online", true)
      $0.member("last_seen_at", 0)
    }
  }
}
