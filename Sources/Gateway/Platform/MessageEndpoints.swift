import Channels
import ParleyProtocol
import Reactor
import ShardMessages
import Store

/// Messages, below `/v3/open_channels/{url}/messages`.
enum MessageEndpoints {
  /// `POST`: sends on a user's behalf, or as the administrator.
  static func send(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    send(
      try MessageSubmission(call.body), toChannel: try call.channelURL, call.services, completion)
  }

  /// Sends a message, with the file that came with it if there is one; on any thread.
  ///
  /// The author is read on the way to the channel, once. A file is removed with a message that is not
  /// sent.
  static func send(
    _ submission: MessageSubmission, with upload: FileRecord? = nil, toChannel url: String,
    _ services: GatewayServices, _ completion: Completion
  ) {
    let order = MessageOrder(
      .success(submission.draft), requestID: submission.requestID, upload: upload,
      arrival: SystemClock.monotonicNanoseconds)
    let send: @Sendable (Result<User?, ServiceError>) -> Void = { author in
      services.shards.send(
        .channel(
          url: url, .submit(order, onBehalfOf: author, replyTo: completion.address)))
    }
    guard let userID = submission.userID else { return send(.success(nil)) }
    services.store.lookUp {
      guard let account = try $0.account(userID) else {
        throw ServiceError.notFound(.user, userID)
      }
      guard account.isActive else { throw ServiceError.deactivated(userID) }
      return account.user
    } completion: { result in
      send(result.serviceResult)
    }
  }

  /// `GET`: the messages around a place.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let command = try MessageList(inChannel: call.channelURL, query: call.query)
    let authors =
      try call.query.choice("operator_filter", of: MessageQuery.OperatorFilter.self) ?? .all
    let caller = call.caller
    try call.inChannel(completion) { channel in
      let operatorIDs = channel.operatorIDs
      channel.messages(command, from: authors, for: caller) { transaction, message in
        let authors = try MessageAuthors(of: [message], operatorIDs, in: transaction)
        return JSONWriter.bytes { message.encodeForPlatform(authors, into: &$0) }
      } then: { _, result in
        completion(result)
      }
    }
  }

  /// `GET …/total_count`: how many the channel holds.
  static func count(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.inChannel(completion) { channel in
      let id = channel.place.id
      channel.lookUp {
        try $0.messageCount(channelID: id)
      } then: { _, result in
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

  /// `PUT …/{message_id}`: changes what is given, whoever wrote it.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let id = try call.messageID
    let body = try call.body
    _ = try body.choice("message_type", of: MessageType.self)
    let changes = try MessageChanges(body, mentionLimit: Limits.platformMentionedUserCount)
    guard !changes.isEmpty else { throw .missing("message") }
    try call.inChannel(completion) { channel in
      channel.perform(.updateMessage(id, changes)) { $0.answer($1, by: .unknown, completion) }
    }
  }

  /// `DELETE …/{message_id}`.
  static func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.perform(.deleteMessage(call.messageID), completion)
  }

  /// `POST …/{message_id}/translation`: refused because there is no translator, once the request is
  /// in order.
  static func translate(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let id = try call.messageID
    let languages = try call.body.languages("target_langs")
    guard languages?.isEmpty == false else { throw .missing("target_langs") }
    try call.inChannel(completion) { channel in
      channel.perform(.viewMessage(id)) { _, result in
        completion.empty(
          result.flatMap { _ in Result<Void, _>.failure(.noTranslator("target_langs")) })
      }
    }
  }
}

extension Shard {
  /// Gives a message of the Platform API to its channel, which is at home here.
  ///
  /// - Parameter author: The author as it was found on the way; a missing channel is reported first.
  func submit(
    _ order: MessageOrder, onBehalfOf author: Result<User?, ServiceError>, toChannel url: String,
    replyTo address: ExchangeAddress
  ) {
    let completion = Completion(address, services.shards)
    let upload = order.upload.map { UploadedFile($0, in: services.files) }
    channels.withChannel(url) { channel in
      do throws(ServiceError) {
        let (channel, author) = (try channel.get(), try author.get())
        channel.perform(.send(order), onBehalfOf: author, upload) { channel, result in
          channel.answer(result, by: .active, completion)
        }
      } catch {
        completion.fail(error)
      }
    }
  }
}

/// The state of a message's author at its answer.
private enum AuthorState {
  /// Checked on the way.
  case active
  case unknown
}

extension ChannelHost {
  /// Answers with a message and what is known of those named in it.
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
      let authors = MessageAuthors(allActive: operatorIDs)
      return completion { message.encodeForPlatform(authors, into: &$0) }
    }
    lookUp {
      try MessageAuthors(of: [message], operatorIDs, in: $0)
    } then: { _, result in
      completion(result) { message.encodeForPlatform($0, into: &$1) }
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
