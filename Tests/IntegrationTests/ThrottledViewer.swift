import ParleyProtocol
import Testing
import TestPeers

/// A participant, and what it was shown since it entered.
struct ThrottledViewer {
  let userID: String
  let client: WireClient
  /// The channel's position when it entered.
  let enteredAt: Int64
  private let url: String

  init(entering url: String, _ userID: String, _ client: WireClient) throws {
    self.url = url
    self.userID = userID
    self.client = client
    enteredAt = try #require(try client.enter(url)["seq"]?.integer)
  }

  /// The ids of the messages that came, in order, until the channel got a new name.
  ///
  /// Notices stay behind for ``expectNotices(of:)``.
  func received(until name: String) throws -> [Int64] {
    let end = try client.event("channel.changed") {
      $0.params?["channel"]?["name"]?.string == name
    }
    return client.events.filter { $0.method == "message.received" && $0.ordinal < end.ordinal }
      .compactMap(\.messageID)
  }

  /// Waits until as many messages are accounted for as were withheld, and checks that each notice
  /// names the right ones.
  func expectNotices(of withheld: [Int64]) throws {
    var rest = withheld[...]
    while !rest.isEmpty {
      let notice = try client.event("channel.throttled").params
      let count = try #require(notice?["withheld"]?.integer)
      try #require((1...rest.count).contains(Int(count)), "\(userID) missed \(rest.count) more")
      let told = rest.prefix(Int(count))
      #expect(notice?["first_message_id"]?.integer == told.first)
      #expect(notice?["last_message_id"]?.integer == told.last)
      rest = rest.dropFirst(told.count)
    }
    try client.call("session.ping")
    #expect(!client.events.contains { $0.method == "channel.throttled" })
  }
}
