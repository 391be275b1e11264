import ParleyProtocol
import Testing

@testable import Channels

/// A channel as the contract describes it, in the plainest form: what the judge's events have made
/// of it so far.
struct JudgeModel {
  private struct Send {
    let call: UInt64
    let userID: String
    let time: Int64
    /// The message, once it is durable.
    var messageID: Int64?
  }

  /// Messages of a user in any second.
  var limit = 5
  private(set) var present: Set<String> = ["ann", "ben", "cat", "boss"]
  private(set) var operators: Set<String> = ["boss"]
  private(set) var isFrozen = false
  private(set) var name = ""
  private(set) var isDeleted = false
  private var bans: [String: Int64] = [:]
  private var mutes: [String: Int64] = [:]
  /// The sends that were let through and did not fail.
  private var sends: [Send] = []
  private(set) var lastSeq: Int64 = 0
  /// By id: the text of each message that there is.
  private(set) var texts: [Int64: String] = [:]
  private var lastCreatedAt: Int64 = 0

  mutating func setPresent(_ userID: String, _ isPresent: Bool) {
    if isPresent { present.insert(userID) } else { present.remove(userID) }
  }

  // MARK: Decisions

  /// The refusal of a message, in the order of the contract.
  func refusalOfSend(by userID: String, at now: Int64) -> ErrorCode? {
    if isDeleted { return .notFound }
    if bans[userID, default: 0] > now { return .banned }
    if !present.contains(userID) { return .notInChannel }
    if isFrozen && !operators.contains(userID) { return .frozen }
    if mutes[userID, default: 0] > now { return .muted }
    let recent = sends.filter { $0.userID == userID && $0.time > now - 1000 }
    return recent.count >= limit ? .flood : nil
  }

  /// The refusal of an edit before the message is looked at, the flood window left out.
  func refusalOfEdit(by userID: String, at now: Int64) -> ErrorCode? {
    if isDeleted { return .notFound }
    if bans[userID, default: 0] > now { return .banned }
    if isFrozen && !operators.contains(userID) { return .frozen }
    return mutes[userID, default: 0] > now ? .muted : nil
  }

  /// The refusal of an operation, the flood window left out.
  func refusalOfOperation(by userID: String) -> ErrorCode? {
    if isDeleted { return .notFound }
    return operators.contains(userID) ? nil : .notAllowed
  }

  // MARK: What happened

  mutating func didAccept(_ call: UInt64, by userID: String, at now: Int64) {
    sends.append(Send(call: call, userID: userID, time: now))
  }

  mutating func didSend(_ call: UInt64, _ messageID: Int64) {
    for index in sends.indices where sends[index].call == call {
      sends[index].messageID = messageID
    }
  }

  /// Windows are rebuilt from the messages that there are.
  mutating func didReload() {
    let texts = texts
    sends.removeAll { send in send.messageID.map { texts[$0] == nil } ?? true }
  }

  /// Sends that came to nothing take no place in the window.
  mutating func didFail(_ call: UInt64) { sends.removeAll { $0.call == call } }

  /// Applies a published event, which must be the next one.
  mutating func apply(_ event: ChannelEvent) throws {
    #expect(event.seq == lastSeq + 1, "events are published in their order, without gaps")
    lastSeq = event.seq
    let params = try #require(event.params)
    let userID = params["user"]?["user_id"]?.string ?? ""
    let end = event.timestamp + (params["seconds"]?.integer ?? 0) * 1000
    switch event.method {
    case "message.received": try receive(try #require(params["message"]))
    case "message.updated":
      let message = try #require(params["message"])
      let id = try #require(message["message_id"]?.integer)
      #expect(texts[id] != nil, "only messages that there are are updated")
      texts[id] = message["message"]?.string
    case "message.deleted":
      let id = try #require(params["message_id"]?.integer)
      #expect(texts.removeValue(forKey: id) != nil, "a message is deleted once")
    case "channel.changed": name = params["channel"]?["name"]?.string ?? ""
    case "channel.frozen": isFrozen = true
    case "channel.unfrozen": isFrozen = false
    case "channel.user_banned": bans[userID] = end
    case "channel.user_unbanned": bans[userID] = nil
    case "channel.user_muted": mutes[userID] = end
    case "channel.user_unmuted": mutes[userID] = nil
    case "channel.operators_changed":
      operators = Set(params["operators"]?.elements.compactMap { $0["user_id"]?.string } ?? [])
    case "channel.deleted": isDeleted = true
    case let method: Issue.record("an unexpected event \(method ?? "without name")")
    }
  }

  private mutating func receive(_ message: JSONNode) throws {
    let id = try #require(message["message_id"]?.integer)
    let createdAt = try #require(message["created_at"]?.integer)
    #expect(texts[id] == nil && createdAt >= lastCreatedAt)
    lastCreatedAt = createdAt
    texts[id] = message["message"]?.string
  }
}
