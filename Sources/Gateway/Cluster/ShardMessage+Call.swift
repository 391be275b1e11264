import Channels
import ParleyProtocol

/// The destination of an answer to a message.
enum AnswerAddress: Sendable {
  case session(ReplyAddress)
  case exchange(ExchangeAddress)
  /// A session that opens when the home of its user has answered.
  case opening(SessionAddress)

  /// The shard that waits for the answer.
  var shard: ShardAddress {
    switch self {
    case .session(let address): address.session.home
    case .exchange(let address): address.shard
    case .opening(let session): session.home
    }
  }

  /// The message with the answer; `nil` for an opening session, which no message can refuse.
  func answer(_ outcome: CallOutcome) -> ShardMessage? {
    switch self {
    case .session(let address): .session(address.session, .complete(address, outcome))
    case .exchange(let address): .exchange(address, outcome)
    case .opening: nil
    }
  }

  /// The name of the call on its shard.
  var key: CallKey {
    switch self {
    case .session(let address): .session(address.session.connection, address.ticket)
    case .exchange(let address): .exchange(address.connection, address.number)
    case .opening(let session): .opening(session.connection)
    }
  }
}

/// Identifies a call on the shard of its caller.
enum CallKey: Hashable, Sendable {
  case session(UInt64, CallTicket)
  case exchange(UInt64, UInt64)
  case opening(UInt64)
}

/// The way in which a lost call may be handled.
enum CallKind: Sendable, Hashable {
  /// Changes nothing, or has the same effect however often it is carried out.
  case repeatable
  /// A send, which the log recognises by its name.
  case send
  /// Another change, which may have been made.
  case change
}

extension ShardMessage {
  /// The destination of the answer; `nil` for a message that has none.
  var callAddress: AnswerAddress? {
    switch self {
    case .channel(_, let message): message.callAddress
    case .user(_, .enter(let request, _)): .session(request.address)
    case .user(_, .expect(let session)): .opening(session)
    case .stage, .user, .session, .exchange, .shard: nil
    }
  }

  /// Whether only the server that the message was sent to may handle it, even if that server is not
  /// the home that the sender assumes.
  ///
  /// Otherwise a stage could attach to a home that the receiving server is about to replace. The
  /// stage would then receive nothing, unnoticed.
  var isForAddresseeAlone: Bool {
    switch self {
    case .user(_, let message): message.isOfRegister
    case .channel(_, .report): true
    case .channel, .stage, .session, .exchange, .shard: false
    }
  }

  /// The way in which the call may be handled if it is lost.
  var callKind: CallKind {
    switch self {
    case .channel(_, let message): message.callKind
    case .stage, .user, .session, .exchange, .shard: .repeatable
    }
  }

  /// Whether the message is an unnamed send, for which the log cannot determine whether it was
  /// already carried out.
  var isUnnamedSend: Bool {
    switch self {
    case .channel(_, .command(.send(let order), _, _)),
      .channel(_, .submit(let order, _, _, _, _)):
      !order.hasName
    case .channel, .stage, .user, .session, .exchange, .shard: false
    }
  }

  /// Returns the message, with a name by which the log recognises it if it is an unnamed send.
  ///
  /// - Parameter name: Called at most once.
  func named(_ name: () -> String) -> ShardMessage {
    switch self {
    case .channel(let url, .command(.send(let order), let principal, let address))
    where !order.hasName:
      .channel(
        url: url, .command(.send(order.named(name())), by: principal, replyTo: address))
    case .channel(let url, .submit(let order, let kind, let createdAt, let author, let address))
    where !order.hasName:
      .channel(
        url: url,
        .submit(
          order.named(name()), to: kind, createdAt: createdAt, onBehalfOf: author,
          replyTo: address))
    case .channel, .stage, .user, .session, .exchange, .shard: self
    }
  }
}

extension ShardMessage {
  /// Returns the message as it arrives from another server, whose steady clock is meaningless here.
  ///
  /// - Parameter time: Nanoseconds of this server's monotonic clock.
  func arriving(at time: Int64) -> ShardMessage {
    switch self {
    case .channel(let url, .command(.send(let order), let principal, let address)):
      .channel(
        url: url, .command(.send(order.arriving(at: time)), by: principal, replyTo: address))
    case .channel(let url, .submit(let order, let kind, let createdAt, let author, let address)):
      .channel(
        url: url,
        .submit(
          order.arriving(at: time), to: kind, createdAt: createdAt, onBehalfOf: author,
          replyTo: address))
    case .channel(let url, .background(.send(let order), let user, let address)):
      .channel(
        url: url, .background(.send(order.arriving(at: time)), by: user, replyTo: address))
    case .channel, .stage, .user, .session, .exchange, .shard: self
    }
  }
}

extension ChannelMessage {
  fileprivate var callAddress: AnswerAddress? {
    switch self {
    case .command(_, _, let address), .listParticipants(_, _, _, let address),
      .listMessages(_, _, let address), .listMembers(_, _, let address),
      .listChanges(_, _, let address), .complain(_, _, let address):
      .session(address)
    case .platform(let request): .exchange(request.exchange)
    case .submit(_, _, _, _, let address), .explainLimits(_, let address),
      .viewGroup(let address):
      .exchange(address)
    case .create(_, let address), .createGroup(_, let address):
      switch address {
      case .session(let address): .session(address)
      case .exchange(let address): .exchange(address)
      }
    case .recover, .exited, .profile, .report, .dismiss, .background, .restrictionsRemoved,
      .blocked, .unblocked, .readPrivacyChanged, .metadata, .lateAddition:
      nil
    }
  }

  fileprivate var callKind: CallKind {
    switch self {
    case .command(let command, _, _): command.callKind
    case .platform(let request): request.method == "GET" ? .repeatable : .change
    case .submit: .send
    case .background(let command, _, _): command.callKind
    case .create, .createGroup: .change
    // The store keeps one open report of a user about a thing.
    case .listParticipants, .listMessages, .listMembers, .listChanges, .complain, .viewGroup,
      .recover, .exited, .profile, .report, .explainLimits, .dismiss, .restrictionsRemoved,
      .blocked, .unblocked, .readPrivacyChanged, .metadata, .lateAddition:
      .repeatable
    }
  }
}

extension ChannelCommand {
  fileprivate var callKind: CallKind {
    switch self {
    case .view, .viewMessage, .translateMessage, .group(.view): .repeatable
    case .send: .send
    case .operation, .updateMessage, .deleteMessage, .changeMetaArrays, .group: .change
    }
  }
}

extension MessageOrder {
  fileprivate var hasName: Bool { requestID?.isEmpty == false }

  fileprivate func named(_ name: String) -> MessageOrder {
    MessageOrder(
      draft, requestID: name, upload: upload, arrival: arrival, userFlood: userFlood)
  }

  fileprivate func arriving(at time: Int64) -> MessageOrder {
    MessageOrder(
      draft, requestID: requestID, upload: upload, arrival: time, userFlood: userFlood)
  }
}
