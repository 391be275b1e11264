import Channels
import Foundation
import ParleyProtocol

@testable import Store

/// The facts of a message to append, with the channel's number.
struct NewMessage: Sendable, Hashable {
  /// The store's own number of the channel.
  var channelID: Int64
  /// Unique in the deployment, larger than any before in the channel.
  var id: Int64
  var type: MessageType
  /// The author; `nil` for an admin message.
  var userID: String?
  var text: String
  /// The file of a file message; `nil` for others.
  var file: MessageFile?
  /// The file itself, when it was uploaded and is to go when the message goes.
  var upload: FileRecord?
  var data: String
  var customType: String
  var mentionType: MentionType
  /// In the order to show them; those that are no users are dropped.
  var mentionedUserIDs: [String]
  var metaArrays: [MetaArray]
  var openGraphTag: OpenGraphTag?
  /// Empty when the client gave none; else the sending of the same name by the same user, or by
  /// none as this one, within 10 minutes is the same message.
  var requestID: String
  /// Whether the author is an operator of the channel at this moment.
  var isOperatorMessage: Bool
  /// Unix milliseconds; not smaller than any before in the channel.
  var createdAt: Int64

  init(
    channelID: Int64, id: Int64, type: MessageType = .user, userID: String?, text: String,
    file: MessageFile? = nil, upload: FileRecord? = nil, data: String = "",
    customType: String = "", mentionType: MentionType = .users, mentionedUserIDs: [String] = [],
    metaArrays: [MetaArray] = [], openGraphTag: OpenGraphTag? = nil, requestID: String = "",
    isOperatorMessage: Bool = false, createdAt: Int64
  ) {
    self.channelID = channelID
    self.id = id
    self.type = type
    self.userID = userID
    self.text = text
    self.file = file
    self.upload = upload
    self.data = data
    self.customType = customType
    self.mentionType = mentionType
    self.mentionedUserIDs = mentionedUserIDs
    self.metaArrays = metaArrays
    self.openGraphTag = openGraphTag
    self.requestID = requestID
    self.isOperatorMessage = isOperatorMessage
    self.createdAt = createdAt
  }
}

extension NewMessage {
  /// The message in a channel of this URL.
  func unsequenced(in channelURL: String = "lobby") -> UnsequencedMessage {
    UnsequencedMessage(
      Message(
        id: id, type: type, channelURL: channelURL,
        user: userID.map { User(id: $0, nickname: $0.capitalized) }, text: text,
        file: file, data: data, customType: customType, mentionType: mentionType,
        metaArrays: metaArrays, openGraphTag: openGraphTag, requestID: requestID,
        isOperatorMessage: isOperatorMessage, createdAt: createdAt),
      mentionedUserIDs: mentionedUserIDs, upload: upload)
  }

  var channel: LogChannel { LogChannel(id: channelID, url: "lobby", term: 0) }
}

extension Store {
  func append(
    _ message: NewMessage,
    completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
  ) {
    var batch = WriteBatch()
    batch.append(message, completion: completion)
    submit(&batch)
  }
}

extension WriteTransaction {
  /// Appends a message inside a job.
  @discardableResult
  func append(_ message: NewMessage) throws -> AppendOutcome {
    try connection.session.makeAppender(for: connection)
      .append(message.unsequenced(), to: message.channel)
  }
}

extension WriteBatch {
  mutating func append(
    _ message: NewMessage,
    completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
  ) {
    submit(
      LogSubmission(
        LogTicket(number: 0), .write(.append(message.unsequenced()), message.channel)),
      to: SingleSink { result in completion(Result { try AppendOutcome(result) }) })
  }

  /// Adds a read that keeps its place among the writes.
  mutating func read(_ read: LogRead, completion: @escaping @Sendable (LogResult) -> Void) {
    let channel = LogChannel(id: 0, url: "lobby", term: 0)
    submit(
      LogSubmission(LogTicket(number: 0), .write(.read(read), channel)),
      to: SingleSink(completion))
  }
}

/// Hands the answer to one entry to a closure.
private final class SingleSink: LogSink {
  private let completion: @Sendable (LogResult) -> Void

  init(_ completion: @escaping @Sendable (LogResult) -> Void) { self.completion = completion }

  func receive(_ answers: [LogAnswer]) {
    for answer in answers { completion(answer.result) }
  }
}

extension AppendOutcome {
  /// - Throws: The store's error for the log's.
  fileprivate init(_ result: LogResult) throws {
    switch result {
    case .success(.appended(let seq, let users)): self = .stored(seq: seq, mentionedUsers: users)
    case .success(.repeated(let first)): self = .repeated(first.message, seq: first.seq)
    case .success(.withdrawn): throw StoreError.notFound(.message)
    case .failure(.unavailable(let reason)): throw StoreError.unavailable(reason: reason)
    case .failure(.overloaded): throw StoreError.overloaded
    case .failure(.closed): throw StoreError.closed
    case .failure(.unstorableText): throw StoreError.unstorableText
    case .failure(let error): throw error
    case .success(let other): throw UnexpectedOutcome(outcome: other)
    }
  }
}

private struct UnexpectedOutcome: Error {
  let outcome: LogOutcome
}
