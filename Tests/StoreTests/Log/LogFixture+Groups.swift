import ParleyProtocol
import Testing

@testable import Channels
@testable import Store

/// Groups of the fixture's users.
extension LogFixture {
  /// A group that is to be created at 10.
  static func group(
    _ url: String, by creatorID: String? = "ann", isDistinct: Bool = false, isSuper: Bool = false,
    operators: [String] = []
  ) -> Channel {
    Channel(
      url: url, operators: operators.map { User(id: $0) }, createdAt: 10,
      group: Group(
        isDistinct: isDistinct, isSuper: isSuper, createdBy: creatorID.map { User(id: $0) }))
  }

  /// The user as reads return it.
  static func user(_ id: String) -> User { users.first { $0.id == id } ?? User(id: id) }

  /// Creates a group, of ann's unless another creator is given.
  func create(
    _ url: String = "den", by creatorID: String? = "ann", isDistinct: Bool = false,
    inviting ids: [String] = [], under rules: GroupRules = GroupRules()
  ) async -> LogResult {
    let group = Self.group(url, by: creatorID, isDistinct: isDistinct)
    return await perform(.create(group, epoch: "e", inviting: ids, under: rules))
  }

  /// Changes a channel at 20.
  func change(_ place: LogChannel, _ changes: ChannelChange...) async -> LogResult {
    await perform(.write(.change(changes, at: 20), place))
  }

  func state(_ url: String) async -> ChannelState? { await read(.channel(url: url))?.state }

  /// The events of a channel after a number, in short.
  func events(_ place: LogChannel, after seq: Int64 = 0) async throws -> [String] {
    let missed = try #require(await read(.missed(place, after: seq))?.missed)
    return try missed.map { missed in
      guard case .channel(let logged) = missed else { return "\(missed.seq) message" }
      return "\(logged.seq) \(try logged.summary)"
    }
  }
}

extension LoggedEvent {
  /// An event about members as it is stored, in short: its kind or reason, the users, and the numbers of
  /// members, joined ones last.
  fileprivate var summary: String {
    get throws {
      let payload = try JSONDocument(payload ?? "{}").root
      let users = payload["users"]?.elements.map { $0["user_id"]?.string ?? "" } ?? []
      let counts = payload["channel"] ?? payload
      let words = [
        payload["reason"]?.string ?? String(name.rawValue.drop { $0 != "." }.dropFirst()),
        payload["user"]?["user_id"]?.string, users.isEmpty ? nil : users.joined(separator: ","),
        users.isEmpty ? nil : "by \(payload["inviter"]?["user_id"]?.string ?? "-")",
        counts["member_count"]?.integer.map { count in
          "\(count)/\(counts["joined_member_count"]?.integer ?? -1)"
        },
      ]
      return words.compactMap(\.self).joined(separator: " ")
    }
  }
}

extension [RecordedChange] {
  /// The members of the changes in short: state, id and number.
  var members: [[String]] {
    map { change in
      guard case .members(let members) = change else { return [] }
      return members.map {
        "\($0.member.state.rawValue) \($0.member.user.id) \($0.seq.map(String.init) ?? "-")"
      }
    }
  }
}

/// Messages of groups and their readers.
extension LogFixture {
  /// A message that counts, of the time of ten times its number.
  func counted(
    _ id: Int64, by userID: String?, role: UnsequencedMessage.Role = .counted
  ) -> UnsequencedMessage {
    var message = message(id, by: userID, at: id * 10)
    (message.isCounted, message.role) = (true, role)
    return message
  }

  /// Appends messages that count to a group, each of an author: `nil` for an admin message.
  func post(
    _ authors: [String?], from first: Int64, to place: LogChannel,
    role: UnsequencedMessage.Role = .counted
  ) async throws {
    let entries = authors.enumerated().map { index, author in
      LogEntry.write(.append(counted(first + Int64(index), by: author, role: role)), place)
    }
    #expect(await perform(entries).allSatisfy { $0.appendedSeq != nil })
  }

  func delete(_ id: Int64, in place: LogChannel) async {
    let result = await perform(.write(.delete(messageID: id, at: 900), place))
    #expect(result.error == nil)
  }

  /// Changes a member's own part.
  func changeOwn(
    _ change: OwnChange, of userID: String, in place: LogChannel, visibleFrom: Int64 = 0
  ) async -> LogResult {
    await perform(.write(.changeOwn(change, userID: userID, visibleFrom: visibleFrom), place))
  }

  /// The unread messages of the joined members, after a comparison with the messages that are there.
  func unread(in place: LogChannel) async throws -> [String: Int64] {
    let state = try #require(await state(place.url))
    let members = Members(
      state.members, lastOrdinal: state.lastOrdinal, uncounted: state.uncounted,
      floor: state.floorOrdinal)
    let query = MessageQuery(
      channelID: place.id, anchor: .time(.max), previousLimit: 200, center: .excluded)
    guard case .page(let page)? = await list(query) else { return [:] }
    var counts: [String: Int64] = [:]
    for member in state.members where member.state == .joined {
      let count = members.unreadCount(of: member, last: state.lastOrdinal)
      let later = page.items.count { message in
        (message.ordinal ?? 0) > max(member.position.ordinal, member.position.floor)
          && message.user?.id != member.user.id
      }
      #expect(count == Int64(later), "\(member)")
      counts[member.user.id] = count
    }
    return counts
  }

  func member(_ userID: String, of place: LogChannel) async throws -> Member {
    try #require(await state(place.url)?.members.first { $0.user.id == userID })
  }
}

extension LogResult {
  /// A member after a change of its own part.
  var own: Member? {
    if case .success(.own(let reading)) = self { reading.member } else { nil }
  }
}
