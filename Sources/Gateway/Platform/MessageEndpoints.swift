import Channels
import Configuration
import ParleyProtocol
import Reactor
import Store

/// Messages of both kinds of channels, below `/v3/open_channels/{url}/messages` and
/// `/v3/group_channels/{url}/messages`.
enum MessageEndpoints {
  /// `POST`: sends a message on a user's behalf, or as the administrator.
  ///
  /// A moderator may send admin messages only: it speaks for no user, and imports nothing.
  static func send(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    guard let kind = call.kind else { throw .internalError }
    let submission = try MessageSubmission(call.body)
    if submission.userID != nil || submission.createdAt != nil { try call.check(for: .admin) }
    send(submission, to: kind, try call.channelURL, call.services, completion)
  }

  /// Sends a message, with the file from the same form if there is one.
  ///
  /// On any thread.
  ///
  /// The author is looked up once, before the message is sent to the channel.
  static func send(
    _ submission: MessageSubmission, with upload: FileRecord? = nil, to kind: ChannelKind,
    _ url: String, _ services: GatewayServices, _ completion: Completion
  ) {
    let order = MessageOrder(
      .success(submission.draft), requestID: submission.requestID, upload: upload,
      arrival: SystemClock.monotonicNanoseconds)
    let send: @Sendable (Result<User?, ServiceError>) -> Void = { author in
      services.shards.send(
        .channel(
          url: url,
          .submit(
            order, to: kind, createdAt: submission.createdAt, onBehalfOf: author,
            replyTo: completion.address)),
        from: completion.address)
    }
    guard let userID = submission.userID else { return send(.success(nil)) }
    services.store.perform(AccountLookup(userID)) { result in
      send(
        result.serviceResult.existing(userID).flatMap { account in
          account.isActive ? .success(account.user) : .failure(.deactivated(userID))
        })
    }
  }

  /// Sends a message with a file from the same form.
  ///
  /// On any thread.
  ///
  /// The store records the file before the message is sent. The message may be sent several times, on
  /// several servers, and the file is removed only when the store finds no message with it.
  static func sendUploaded(
    _ submission: MessageSubmission, with upload: FileRecord, to kind: ChannelKind, _ url: String,
    _ services: GatewayServices, _ completion: Completion
  ) {
    var submission = submission
    if !services.thumbnails.isOn { submission.draft.thumbnailSizes = nil }
    services.note(upload, of: submission.userID ?? "", completion) { [submission] in
      send(submission, with: upload, to: kind, url, services, completion)
    }
  }

  /// `GET`: the messages around a position.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let command = try MessageList(inChannel: call.channelURL, query: call.query)
    let authors =
      try call.query.choice("operator_filter", of: MessageQuery.OperatorFilter.self) ?? .all
    let caller = call.caller
    try call.inChannel(completion) { channel in
      let operatorIDs = channel.operatorIDs
      let encoder = JSONPageEncoder<ListedMessage> { listed, writer in
        let authors = MessageAuthors(operatorIDs, deactivatedIDs: listed.deactivatedIDs)
        listed.message.encodeForPlatform(authors, into: &writer)
      }
      channel.messages(command, from: authors, .profilesAndStates, for: caller, as: encoder) {
        completion($1)
      }
    }
  }

  /// `GET …/total_count`: the number of messages in the channel.
  static func count(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.inChannel(completion) { channel in
      channel.perform(MessageCount(channelID: channel.place.id)) { _, result in
        completion(result) { total, writer in writer.object { $0.member("total", total) } }
      }
    }
  }

  /// `GET …/{message_id}`.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let id = try call.messageID
    try call.inChannel(completion) { channel in
      channel.perform(.viewMessage(id)) { $0.answer($1, by: .unknown, completion) }
    }
  }

  /// `PUT …/{message_id}`: changes the given members, whoever the author is.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let id = try call.messageID
    let body = try call.body
    _ = try body.choice("message_type", of: MessageType.self)
    try body.refuse(UnsupportedMember.ofMessageChanges)
    let changes = try MessageChanges(body, mentionLimit: Limits.platformMentionedUserCount)
    guard !changes.isEmpty else { throw .missing("message") }
    try call.inChannel(completion) { channel in
      channel.perform(.updateMessage(id, changes), of: completion.address.trace) {
        $0.answer($1, by: .unknown, completion)
      }
    }
  }

  /// `DELETE …/{message_id}`.
  static func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.perform(.deleteMessage(call.messageID), completion)
  }

  /// `POST …/{message_id}/translation`: adds translations to a user's message.
  static func translate(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let id = try call.messageID
    let languages = try call.body.targetLanguages()
    try call.inChannel(completion) { channel in
      channel.perform(.translateMessage(id, into: languages), of: completion.address.trace) {
        $0.answer($1, by: .unknown, completion)
      }
    }
  }
}

extension Shard {
  /// Submits a message of the Platform API to its channel, which has its home on this shard.
  ///
  /// - Parameters:
  ///   - createdAt: The time of an imported message; `nil` for a message that is sent now.
  ///   - author: The result of looking up the author. A missing channel is reported first.
  func submit(
    _ order: MessageOrder, createdAt: Int64?, onBehalfOf author: Result<User?, ServiceError>,
    to kind: ChannelKind, _ url: String, replyTo address: ExchangeAddress
  ) {
    let completion = Completion(address, services.shards)
    let removal = order.upload.map(UnusedUploadRemoval.init)
    let store = services.store
    channels.withChannel(url) { channel in
      do throws(ServiceError) {
        let (channel, author) = (try channel.get(), try author.get())
        guard channel.kind == kind else { throw .notFound(.channel, url) }
        let answer: ChannelHost.Answer = { channel, result in
          channel.answer(result, by: .active, completion)
          removal?.perform(after: result, in: store)
        }
        guard let createdAt else {
          return channel.perform(
            .send(order), onBehalfOf: author, of: address.trace, then: answer)
        }
        channel.importMessage(
          MessageImport(order, createdAt: createdAt, author: author), then: answer)
      } catch {
        removal?.perform(after: .failure(error), in: store)
        completion.fail(error)
      }
    }
  }
}

/// The state of a message's author when the message is returned.
private enum AuthorState {
  /// Found active when the author was looked up.
  case active
  case unknown
}

extension ChannelHost {
  /// Answers with a message, and with the known facts about the users in it.
  ///
  /// Only accounts whose state is unknown are read.
  fileprivate func answer(
    _ result: Result<JudgeAnswer, ServiceError>, by author: AuthorState, _ completion: Completion
  ) {
    let message: Message
    switch result.map(\.message) {
    case .failure(let error): return completion.fail(error)
    case .success(nil): return completion.fail(.internalError)
    case .success(let found?): message = found
    }
    let operatorIDs = operatorIDs
    if author == .active || message.user == nil, message.mentionedUsers.isEmpty {
      let authors = MessageAuthors(operatorIDs, deactivatedIDs: [])
      return completion { message.encodeForPlatform(authors, into: &$0) }
    }
    perform(DeactivatedUsers(among: message.userIDs)) { _, result in
      completion(result) { deactivatedIDs, writer in
        let authors = MessageAuthors(operatorIDs, deactivatedIDs: deactivatedIDs)
        message.encodeForPlatform(authors, into: &writer)
      }
    }
  }
}

extension JudgeAnswer {
  /// The message that a command made, changed or viewed.
  fileprivate var message: Message? {
    switch self {
    case .sent(let sent): sent.message
    case .changed(let changed): changed.message
    case .message(let message): message
    case .done, .channel, .group, .own, .historyReset, .receipts, .imposed, .lifted: nil
    }
  }
}

/// The extra data of a message, below `…/messages/{message_id}/sorted_metaarray`.
enum MetaArrayEndpoints {
  private enum Mode: String, CaseIterable {
    case add
    case remove
  }

  /// `POST`: adds keys with their values.
  ///
  /// Values of an existing key are added to that key.
  static func create(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let arrays = try arrays(in: call.body, within: call.customDataLimits.metaArrays)
    try change(.addValues(arrays), call, completion)
  }

  /// `PUT`: adds values to keys, or removes values.
  ///
  /// With `upsert`, missing keys are created.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    let mode = try body.choice("mode", of: Mode.self) ?? .add
    let limits =
      switch mode {
      case .add: call.customDataLimits.metaArrays
      case .remove: MetaArrayLimits.most
      }
    let arrays = try arrays(in: body, within: limits)
    let makesKeys = try body.boolean("upsert") ?? false
    switch (mode, makesKeys) {
    case (.add, true): try change(.addValues(arrays), call, completion)
    case (.add, false): try change(.addValuesToKnownKeys(arrays), call, completion)
    case (.remove, true): try change(.removeValues(arrays), call, completion)
    case (.remove, false): try change(.removeValuesFromKnownKeys(arrays), call, completion)
    }
  }

  /// `DELETE …?keys=`: removes keys with all their values.
  ///
  /// Missing keys are skipped.
  static func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let keys = try call.query.texts("keys", limit: MetaArrayLimits.most.keyLength) ?? []
    guard !keys.isEmpty else { throw .missing("keys") }
    try change(.deleteKeys(keys), call, completion)
  }

  private static func arrays(
    in body: Fields, within limits: MetaArrayLimits
  ) throws(ServiceError) -> [MetaArray] {
    let arrays = try body.metaArrays("sorted_metaarray", within: limits) ?? []
    guard !arrays.isEmpty else { throw .missing("sorted_metaarray") }
    return arrays
  }

  private static func change(
    _ change: MetaArrayChange, _ call: PlatformCall, _ completion: Completion
  ) throws(ServiceError) {
    let command = ChannelCommand.changeMetaArrays(ofMessage: try call.messageID, change)
    try call.perform(command, completion) { answer, writer in
      guard case .changed(let changed) = answer else { return }
      writer.object {
        $0.name("sorted_metaarray")
        changed.message.metaArrays.encode(into: &$0)
      }
    }
  }
}
