import Channels
import HTTP1
import ParleyProtocol
import Reactor
import Store

/// Messages, below `/v3/open_channels/{url}/messages`.
extension PlatformCall {
  /// `POST`: sends on a user's behalf, or as the administrator.
  func sendMessage() throws(ServiceError) -> Work {
    let submission = try MessageSubmission(request.parameters)
    let upload = request.upload
    let arrival = SystemClock.monotonicNanoseconds
    return try inChannel { channel, reply in
      channel.withAuthor(submission.userID) { channel, author in
        switch author {
        case .failure(let error): reply(.failure(error))
        case .success(let user):
          let order = MessageOrder(
            .success(submission.draft), requestID: submission.requestID, upload: upload?.record,
            arrival: arrival)
          channel.perform(.send(order), onBehalfOf: user, upload) { channel, result in
            channel.reply(result, to: reply)
          }
        }
      }
    }
  }

  /// `GET`: the messages around a place.
  func listMessages() throws(ServiceError) -> Work {
    let command = try messageList()
    let authors =
      try request.choice("operator_filter", of: MessageQuery.OperatorFilter.self) ?? .all
    let caller = request.caller
    return try inChannel { channel, reply in
      let operatorIDs = channel.operatorIDs
      channel.messages(command, from: authors, for: caller) { transaction, message in
        let authors = try MessageAuthors(of: [message], operatorIDs, in: transaction)
        return JSONWriter.bytes { message.encodeForPlatform(authors, into: &$0) }
      } then: { _, result in
        reply(result)
      }
    }
  }

  /// `GET …/total_count`: how many the channel holds.
  func countMessages() throws(ServiceError) -> Work {
    try inChannel { channel, reply in
      let id = channel.place.id
      channel.lookUp {
        try $0.messageCount(channelID: id)
      } then: { _, result in
        reply(result.encoded { total, writer in writer.object { $0.member("total", total) } })
      }
    }
  }

  /// `GET …/{message_id}`.
  func viewMessage() throws(ServiceError) -> Work {
    let id = try messageID
    return try inChannel { channel, reply in
      channel.perform(.viewMessage(id)) { channel, result in channel.reply(result, to: reply) }
    }
  }

  /// `PUT …/{message_id}`: changes what is given, whoever wrote it.
  func updateMessage() throws(ServiceError) -> Work {
    let id = try messageID
    let body = try request.parameters
    _ = try body.choice("message_type", of: MessageType.self)
    let changes = try MessageChanges(
      body, mentionLimit: Limits.platformMentionedUserCount)
    guard !changes.isEmpty else { throw .missing("message") }
    return try inChannel { channel, reply in
      channel.perform(.updateMessage(id, changes)) { channel, result in
        channel.reply(result, to: reply)
      }
    }
  }

  /// `DELETE …/{message_id}`.
  func deleteMessage() throws(ServiceError) -> Work {
    try perform(.deleteMessage(messageID))
  }

  /// `POST …/{message_id}/translation`: refused because there is no translator, once the
  /// request is in order.
  func translate() throws(ServiceError) -> Work {
    let id = try messageID
    let body = try request.parameters
    let languages = try body.languages("target_langs")
    guard languages?.isEmpty == false else { throw .missing("target_langs") }
    return try inChannel { channel, reply in
      channel.perform(.viewMessage(id)) { _, result in
        reply(result.flatMap { _ in .failure(.noTranslator("target_langs")) })
      }
    }
  }

  private func messageList() throws(ServiceError) -> MessageList {
    let sizes = Limits.messagePageSizes
    return MessageList(
      channelURL: try channelURL, anchor: try messageAnchor(),
      previousLimit: Int(
        try request.number("prev_limit", in: sizes) ?? Limits.defaultPreviousLimit),
      nextLimit: Int(try request.number("next_limit", in: sizes) ?? Limits.defaultPreviousLimit),
      includesAnchor: try request.boolean("include") ?? true,
      isReversed: try request.boolean("reverse") ?? false,
      filter: MessageFilter(
        type: try request.choice("message_type", of: MessageType.self),
        customTypes: try request.texts("custom_types", limit: Limits.customTypeLength),
        senderIDs: try request.userIDs("sender_ids")))
  }

  /// A `message_id` above 0 decides; one of the two is required.
  private func messageAnchor() throws(ServiceError) -> MessageAnchor {
    let ids = 0...Limits.messageIDs.upperBound
    let id = try request.number("message_id", in: ids) ?? 0
    let time = try request.number("message_ts", in: Limits.timestamps)
    if id > 0 { return .message(id: id) }
    guard let time else { throw .missing("message_ts") }
    return .time(time)
  }
}

extension HomeChannel {
  /// Looks up on whose behalf something is done; an admin message is nobody's.
  fileprivate func withAuthor(
    _ userID: String?,
    _ body: @escaping @Sendable (HomeChannel, Result<User?, ServiceError>) -> Void
  ) {
    guard let userID else { return body(self, .success(nil)) }
    lookUp({ try $0.account(userID) }) { channel, result in
      body(
        channel,
        result.flatMap { account in
          guard let account else { return .failure(.notFound(.user, userID)) }
          return account.isActive ? .success(account.user) : .failure(.deactivated(userID))
        })
    }
  }

  /// Answers with a message and what is known of its author.
  fileprivate func reply(
    _ result: Result<JudgeAnswer, ServiceError>, to reply: @escaping PlatformCall.Reply
  ) {
    switch result.map(\.message) {
    case .failure(let error): reply(.failure(error))
    case .success(nil): reply(.failure(.internalError))
    case .success(let message?):
      let operatorIDs = operatorIDs
      lookUp {
        try MessageAuthors(of: [message], operatorIDs, in: $0)
      } then: { _, result in
        reply(result.encoded { message.encodeForPlatform($0, into: &$1) })
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
    case .done, .channel, .imposed, .lifted: nil
    }
  }
}
