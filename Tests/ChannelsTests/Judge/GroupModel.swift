import ParleyProtocol
import Testing

@testable import Channels

/// A group as the contract describes it, in the plainest form.
struct GroupModel {
  struct Message {
    let id: Int64
    let createdAt: Int64
    let authorID: String
  }

  private(set) var joined: [String: Int64] = [:]
  private(set) var invited: Set<String> = []
  private(set) var operators: Set<String> = []
  private(set) var banned: Set<String> = []
  private(set) var isPublic = false
  private(set) var messages: [Message] = []
  private(set) var lastOrdinal: Int64 = 0
  private(set) var lastSeq: Int64
  /// The users who accept invitations themselves.
  let asked: Set<String>

  init(
    joined: [String], invited: [String], operators: [String], asked: [String], lastSeq: Int64
  ) {
    self.joined = Dictionary(uniqueKeysWithValues: joined.map { ($0, 0) })
    self.invited = Set(invited)
    self.operators = Set(operators)
    self.asked = Set(asked)
    self.lastSeq = lastSeq
  }

  /// Whether a user is an operator who has joined: who has left keeps only the name of an operator.
  func leads(_ userID: String) -> Bool { operators.contains(userID) && joined[userID] != nil }

  private func isMember(_ userID: String) -> Bool {
    joined[userID] != nil || invited.contains(userID)
  }

  // MARK: Decisions

  /// The refusal of a change of members.
  func refusal(of change: MembershipChange, by userID: String) -> ErrorCode? {
    guard isMember(userID) || isPublic else { return .notFound }
    switch change {
    case .invite(let ids):
      guard joined[userID] != nil else { return .notInChannel }
      return ids.contains { !isMember($0) && banned.contains($0) } ? .banned : nil
    case .accept: return isMember(userID) ? nil : .combinationNotAcceptable
    case .decline: return invited.contains(userID) ? nil : .combinationNotAcceptable
    case .join:
      guard isPublic else { return .notFound }
      return banned.contains(userID) ? .banned : nil
    case .leave: return joined[userID] == nil ? .notInChannel : nil
    case .remove, .release, .forget: return leads(userID) ? nil : .notAllowed
    }
  }

  /// The refusal of a message.
  func refusalOfSend(by userID: String) -> ErrorCode? {
    guard isMember(userID) || isPublic else { return .notFound }
    guard !banned.contains(userID) else { return .banned }
    return joined[userID] == nil ? .notInChannel : nil
  }

  /// The refusal of reading a message.
  func refusal(ofReading message: Message, by userID: String) -> ErrorCode? {
    guard isMember(userID) || isPublic else { return .notFound }
    guard let visibleFrom = joined[userID] else { return .notAllowed }
    return message.createdAt < visibleFrom ? .notFound : nil
  }

  /// The refusal of the deletion of a message.
  func refusal(ofDeleting message: Message, by userID: String) -> ErrorCode? {
    refusal(ofReading: message, by: userID)
      ?? (message.authorID == userID || leads(userID) ? nil : .notAllowed)
  }

  func refusalOfOperation(by userID: String) -> ErrorCode? {
    guard isMember(userID) || isPublic else { return .notFound }
    return leads(userID) ? nil : .notAllowed
  }

  // MARK: What happened

  /// Applies a published event, which must be the next one.
  mutating func apply(_ event: ChannelEvent) throws {
    #expect(event.seq == lastSeq + 1, "events are published in their order, without gaps")
    lastSeq = event.seq
    let params = try #require(event.params)
    let userID = params["user"]?["user_id"]?.string ?? ""
    switch event.method {
    case "message.received": try receive(try #require(params["message"]))
    case "message.deleted":
      let id = try #require(params["message_id"]?.integer)
      #expect(messages.contains { $0.id == id }, "a message is deleted once")
      messages.removeAll { $0.id == id }
    case "channel.changed": isPublic = params["channel"]?["is_public"]?.bool ?? false
    case "channel.operators_changed":
      operators = Set(params["operators"]?.elements.compactMap { $0["user_id"]?.string } ?? [])
    case "channel.user_banned": banned.insert(userID)
    case "channel.user_unbanned": banned.remove(userID)
    case "group.invited":
      let ids = params["users"]?.elements.compactMap { $0["user_id"]?.string } ?? []
      for id in ids { #expect(!isMember(id) && asked.contains(id), "\(id) was no member") }
      invited.formUnion(ids)
    case "group.joined":
      #expect(joined[userID] == nil, "a user joins once")
      invited.remove(userID)
      joined[userID] = event.timestamp
      checkNumbers(params)
    case "group.declined":
      #expect(invited.contains(userID), "only invitations are declined")
      invited.remove(userID)
      checkNumbers(params)
    case "group.left":
      #expect(joined[userID] != nil, "only joined members leave")
      joined[userID] = nil
      checkNumbers(params)
    case let method: Issue.record("an unexpected event \(method ?? "without name")")
    }
  }

  /// An event about a member has the numbers of members that it leads to; users who join by the same
  /// invitation follow one by one.
  private func checkNumbers(_ params: JSONNode) {
    #expect(params["joined_member_count"]?.integer == Int64(joined.count))
    #expect(params["member_count"]?.integer == Int64(joined.count + invited.count))
  }

  private mutating func receive(_ message: JSONNode) throws {
    lastOrdinal += 1
    #expect(message["ordinal"]?.integer == lastOrdinal, "messages are counted without gaps")
    #expect(message["channel_type"]?.string == "group_channels")
    messages.append(
      Message(
        id: try #require(message["message_id"]?.integer),
        createdAt: try #require(message["created_at"]?.integer),
        authorID: message["user"]?["user_id"]?.string ?? ""))
  }
}
