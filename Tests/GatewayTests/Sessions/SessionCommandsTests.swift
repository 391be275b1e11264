import Channels
import ParleyProtocol
import Testing

@testable import Gateway

@Suite("Commands of sessions for channels")
struct SessionCommandsTests {
  /// Parameters that every method about a channel or a message accepts.
  private static let parameters = """
    {"channel_url": "lobby", "user_id": "ann", "user_ids": ["ann"], "message_id": 7,
     "message": "hi", "keys": ["tea"], "values": {"tea": ["x"]}, "name": "n", "req_id": "r",
     "target_langs": ["es"]}
    """

  private func command(_ method: String) throws -> ChannelCommand? {
    let params = try JSONDocument(Array(Self.parameters.utf8)).root
    return ChannelCommand(try Command(method: method, params: params), arrival: 5)
  }

  /// The methods that are carried out where the session, the user or the stage is.
  private static let elsewhere: Set<String> = [
    "session.open", "session.refresh", "session.ping", "session.close", "user.get", "user.update",
    "channel.create", "channel.list", "channel.enter", "channel.exit", "channel.participants",
    "message.list", "message.send_files", "file.create", "file.get",
    "file.list",
    "file.cancel", "preview.fetch", "preview.cancel",
  ]

  @Test(
    "every method about a channel is a command of its judge",
    arguments: Command.methodNames.filter { !elsewhere.contains($0) })
  func covers(method: String) throws {
    #expect(try command(method) != nil)
  }

  @Test(
    "the other methods are carried out elsewhere",
    arguments: [
      "session.ping", "session.close", "user.get", "channel.create", "channel.list",
      "channel.enter", "channel.exit", "channel.participants", "message.list", "file.list",
    ])
  func leavesOut(method: String) throws {
    #expect(try command(method) == nil)
  }

  @Test("values come through")
  func values() throws {
    guard case .send(let order)? = try command("message.send"),
      case .ban(let ban)? = try command("channel.ban"),
      case .changeMetaArrays(ofMessage: 7, .addValues(let values))? = try command(
        "message.add_metaarray_values"),
      case .updateMessage(7, let changes)? = try command("message.update")
    else {
      Issue.record("commands became others")
      return
    }
    #expect(try order.draft.get().text == "hi" && order.requestID == "r" && order.arrival == 5)
    #expect(ban.userID == "ann" && ban.seconds == -1 && changes.text == "hi")
    #expect(values == [MetaArray(key: "tea", values: ["x"])])
  }
}
