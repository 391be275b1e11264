package import ParleyProtocol

/// A command that a channel's judge carries out, by whichever door it came.
package enum ChannelCommand: Sendable {
  case view
  case update(ChannelFields)
  case delete
  case freeze
  case unfreeze
  case addOperators([String])
  case removeOperators([String])
  case removeAllOperators

  case mute(ChannelRestriction)
  case unmute(userID: String)
  case ban(ChannelRestriction)
  /// Changes a ban in force; `nil` leaves the end, or the description, as it is.
  case changeBan(userID: String, seconds: Int64?, description: String?)
  case unban(userID: String)

  case send(MessageOrder)
  case updateMessage(Int64, MessageChanges)
  case deleteMessage(Int64)
  case viewMessage(Int64)
  case translateMessage(Int64, into: [String])
  case changeMetaArrays(ofMessage: Int64, MetaArrayChange)
}

/// A message to be sent, with the file that came with it.
///
/// A reference: it passes through several hands, and is large.
package final class MessageOrder: Sendable {
  /// The message, or the error of its values: the sender is judged before them.
  package let draft: Result<MessageDraft, ServiceError>
  /// The sender's own name of the send, by which a repetition is recognised.
  package let requestID: String?
  /// A file that is safe on disk; the message that is stored keeps it.
  package let upload: FileRecord?
  /// When it arrived, on a clock of the host's: handed back when the message is durable.
  package let arrival: Int64

  package init(
    _ draft: Result<MessageDraft, ServiceError>, requestID: String?, upload: FileRecord? = nil,
    arrival: Int64 = 0
  ) {
    self.draft = draft
    self.requestID = requestID
    self.upload = upload
    self.arrival = arrival
  }
}

/// A message of the past with its own time, which a back end imports.
package struct MessageImport: Sendable {
  package let order: MessageOrder
  /// Unix milliseconds.
  package let createdAt: Int64
  /// `nil` for an admin message.
  package let author: User?

  package init(_ order: MessageOrder, createdAt: Int64, author: User?) {
    self.order = order
    self.createdAt = createdAt
    self.author = author
  }
}

/// The work that a command is for a judge.
enum JudgeTask: Sendable {
  case view
  case send(MessageOrder)
  case operation(ChannelOperation)
  case change(ofMessage: Int64, MessageChange)
  case viewMessage(Int64)
  case translate(messageID: Int64, into: [String])
}

extension ChannelCommand {
  /// The work that the command is when it comes from a principal.
  func task(of principal: Principal) -> JudgeTask {
    switch self {
    case .view: .view
    case .update(let fields): .operation(.update(fields))
    case .delete: .operation(.delete)
    case .freeze: .operation(.freeze(true))
    case .unfreeze: .operation(.freeze(false))
    case .addOperators(let ids):
      .operation(.addOperators(ids, field: principal.operatorsField))
    case .removeOperators(let ids): .operation(.removeOperators(ids))
    case .removeAllOperators: .operation(.removeAllOperators)
    case .mute(let mute): .operation(.restrict(.mute, mute))
    case .unmute(let userID): .operation(.lift(.mute, userID: userID))
    case .ban(let ban): .operation(.restrict(.ban, ban))
    case .changeBan(let userID, let seconds, let description):
      .operation(.changeBan(userID: userID, seconds: seconds, description: description))
    case .unban(let userID): .operation(.lift(.ban, userID: userID))
    case .send(let order): .send(order)
    case .updateMessage(let id, let changes): .change(ofMessage: id, .edit(changes))
    case .deleteMessage(let id): .change(ofMessage: id, .deletion)
    case .changeMetaArrays(let id, let change): .change(ofMessage: id, .metaArrays(change))
    case .viewMessage(let id): .viewMessage(id)
    case .translateMessage(let id, let languages): .translate(messageID: id, into: languages)
    }
  }
}

extension Principal {
  /// The parameter that names operators to be added.
  fileprivate var operatorsField: String {
    switch self {
    case .session, .background: "user_ids"
    case .platform: "operator_ids"
    }
  }
}
