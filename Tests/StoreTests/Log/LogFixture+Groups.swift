import Channels
import ParleyProtocol
import Testing

@testable import Store

/// Groups of the fixture's users.
extension LogFixture {
  /// A group that is to be created at 10.
  static func group(
    _ url: String, by creatorID: String? = "ann", isDistinct: Bool = false, operators: [String] = []
  ) -> Channel {
    Channel(
      url: url, operators: operators.map { User(id: $0) }, createdAt: 10,
      group: Group(isDistinct: isDistinct, createdBy: creatorID.map { User(id: $0) }))
  }

  /// The user as reads return it.
  static func user(_ id: String) -> User { users.first { $0.id == id } ?? User(id: id) }

  /// Creates a group, of ann's unless another creator is given.
  func create(
    _ url: String = "den", by creatorID: String? = "ann", isDistinct: Bool = false,
    inviting ids: [String] = []
  ) async -> LogResult {
    let group = Self.group(url, by: creatorID, isDistinct: isDistinct)
    return await perform(.create(group, epoch: "e", inviting: ids))
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
      return members.map { "\($0.member.state.rawValue) \($0.member.user.id) \($0.seq)" }
    }
  }
}
