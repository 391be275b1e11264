import ParleyProtocol
import Testing

@testable import Push

@Suite("Tokens of devices")
struct PushTokenTests {
  private func register(
    _ token: String, type: String = "gcm", device: String = "", unique: Bool = false
  ) throws -> PushRegister {
    let json = """
      {"type":"\(type)","token":"\(token)","device_id":"\(device)","unique":\(unique)}
      """
    return try PushRegister(Fields(JSONDocument(json).root))
  }

  private func names(_ tokens: [PushToken]) -> [String] { tokens.map(\.address.name) }

  @Test("a token replaces itself, and is then the newest")
  func itself() throws {
    var tokens: [PushToken] = []
    for (index, name) in ["a", "b", "a"].enumerated() {
      let result = tokens.registering(try register(name), at: Int64(index))
      #expect(result.removed.isEmpty)
      tokens = result.tokens
      tokens[tokens.count - 1].lastSuccessAt = 50
    }
    #expect(names(tokens) == ["b", "a"])
    #expect(tokens.map(\.createdAt) == [1, 2])
    #expect(tokens.registering(try register("b"), at: 9).tokens.last?.lastSuccessAt == 50)
  }

  @Test("the 21st token of a type replaces the oldest")
  func limit() throws {
    var tokens: [PushToken] = []
    for index in 0..<20 {
      tokens = tokens.registering(try register("t\(index)"), at: Int64(index)).tokens
    }
    tokens = tokens.registering(try register("ab", type: "apns"), at: 20).tokens
    tokens = tokens.registering(try register("t0"), at: 21).tokens
    #expect(tokens.count == 21)
    let result = tokens.registering(try register("new"), at: 22)
    #expect(names(result.removed) == ["t1"])
    #expect(result.tokens.count == 21 && result.tokens.contains { $0.type == .apns })
  }

  @Test("a new token of a device replaces its old one, of the same type")
  func devices() throws {
    var tokens = [PushToken]().registering(try register("a", device: "phone"), at: 0).tokens
    tokens = tokens.registering(try register("b", device: "tablet"), at: 1).tokens
    tokens = tokens.registering(try register("ab", type: "apns", device: "phone"), at: 2).tokens
    tokens = tokens.registering(try register("none"), at: 3).tokens
    let result = tokens.registering(try register("c", device: "phone"), at: 4)
    #expect(names(result.removed) == ["a"])
    #expect(names(result.tokens) == ["b", "ab", "none", "c"])
  }

  @Test("unique removes the others of the type")
  func unique() throws {
    var tokens = [PushToken]().registering(try register("a"), at: 0).tokens
    tokens = tokens.registering(try register("ab", type: "apns"), at: 1).tokens
    let result = tokens.registering(try register("b", unique: true), at: 2)
    #expect(names(result.removed) == ["a"] && names(result.tokens) == ["ab", "b"])
  }

  @Test("unregistering by token, by type and all")
  func removal() throws {
    var tokens = [PushToken]().registering(try register("AB12", type: "apns"), at: 0).tokens
    tokens = tokens.registering(try register("a"), at: 1).tokens
    tokens = tokens.registering(try register("b"), at: 2).tokens
    func removed(_ json: String) throws -> [String] {
      names(tokens.removed(by: try PushUnregister(Fields(JSONDocument(json).root))))
    }
    #expect(try removed(#"{"type":"gcm","token":"b"}"#) == ["b"])
    #expect(try removed(#"{"type":"apns","token":"Ab12"}"#) == ["ab12"])
    #expect(try removed(#"{"type":"gcm","token":"zz"}"#) == [])
    #expect(try removed(#"{"type":"gcm"}"#) == ["a", "b"])
    #expect(try removed(#"{"all":true}"#) == ["ab12", "a", "b"])
  }

  @Test("identifiers are the same for the same message and token, and differ for others")
  func identifiers() throws {
    let id = PushIdentifiers.uuid(messageID: 42, token: "abc")
    #expect(id == PushIdentifiers.uuid(messageID: 42, token: "abc"))
    #expect(id != PushIdentifiers.uuid(messageID: 43, token: "abc"))
    #expect(id != PushIdentifiers.uuid(messageID: 42, token: "abd"))
    let form = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
    #expect(try form.wholeMatch(in: id) != nil)
    let topic = PushIdentifiers.topic(channelURL: "team")
    #expect(try /[A-Za-z0-9_-]{32}/.wholeMatch(in: topic) != nil)
    #expect(topic != PushIdentifiers.topic(channelURL: "team2") && !topic.contains("team"))
    #expect(PushIdentifiers.tag(messageID: 42) == "42")
  }
}
