import ParleyProtocol
import Testing

@Suite("Limits on application data")
struct CustomDataLimitsTests {
  private let limits: CustomDataLimits

  init() {
    var limits = CustomDataLimits()
    limits.customTypeLength = 3
    limits.dataByteCount = 4
    limits.metaArrays.keyCount = 2
    limits.metaArrays.keyLength = 3
    limits.metaArrays.valueCount = 2
    limits.metaArrays.valueLength = 300
    limits.metaArrays.byteCount = 310
    limits.metadata.itemCount = 2
    limits.metadata.keyLength = 3
    limits.metadata.valueLength = 300
    limits.metadata.userByteCount = 310
    self.limits = limits
  }

  /// Why a request is refused under these limits; a message's own fault counts, too.
  private func refusal(_ method: String, _ members: String) throws -> Refusal? {
    let params = try node("{\(members)}")
    do throws(ServiceError) {
      let command = try Command(method: method, params: params, limits: limits)
      if case .channel(_, .send(let send)) = command { _ = try send.draft.get() }
      if case .messageSendFiles(let files) = command {
        for send in files.orders { _ = try send.draft.get() }
      }
      return nil
    } catch {
      return Refusal(error)
    }
  }

  @Test(
    "a member at its limit is accepted, and beyond it refused",
    arguments: [
      (#""custom_type":"typ""#, nil), (#""custom_type":"type""#, Refusal(400110, "custom_type")),
      (#""data":"date""#, nil), (#""data":"dates""#, Refusal(400110, "data")),
      (#""data":"éé""#, nil), (#""data":"ééé""#, Refusal(400110, "data")),
      (#""metaarray":[{"key":"a"},{"key":"b"}]"#, nil),
      (#""metaarray":[{"key":"a"},{"key":"b"},{"key":"c"}]"#, Refusal(400203, "metaarray")),
      (#""metaarray":[{"key":"keys"}]"#, Refusal(400110, "key")),
      (#""metaarray":[{"key":"k","value":["1","2","3"]}]"#, Refusal(400203, "value")),
      (#""metaarray":[{"key":"k","value":["\#(text(300))"]}]"#, nil),
      (#""metaarray":[{"key":"k","value":["\#(text(301))"]}]"#, Refusal(400110, "value")),
      (
        #""metaarray":[{"key":"k","value":["\#(text(300))","\#(text(10))"]}]"#,
        Refusal(400110, "metaarray")
      ),
    ] as [(String, Refusal?)])
  func messages(members: String, expected: Refusal?) throws {
    let lobby = #""channel_url":"lobby""#
    #expect(try refusal("message.send", #"\#(lobby),"message":"x",\#(members)"#) == expected)
    let file = #"{"url":"https://a.b/c",\#(members)}"#
    #expect(try refusal("message.send_files", #"\#(lobby),"files":[\#(file)]"#) == expected)
    let message = #"{\#(lobby),\#(members)}"#
    #expect(
      try refusal("file.create", #""size":1,"name":"a","message":\#(message)"#) == expected)
  }

  @Test(
    "metadata of a user",
    arguments: [
      (#"{"a":"1","b":"2"}"#, nil), (#"{"a":"1","b":"2","c":"3"}"#, 400203),
      (#"{"keys":"1"}"#, 400110), (#"{"k":"\#(text(300))"}"#, nil),
      (#"{"k":"\#(text(301))"}"#, 400110), (#"{"k":"\#(text(300))","l":"\#(text(10))"}"#, 400110),
    ] as [(String, Int?)])
  func metadata(items: String, code: Int?) throws {
    #expect(try refusal("user.update", #""metadata":\#(items)"#)?.code == code)
  }

  @Test("filters and removals accept values that older settings allowed")
  func stored() throws {
    let message = #""channel_url":"lobby","message_id":1"#
    let keys = #""keys":["\#(text(128))","b","c"]"#
    let values = #""values":{"a":["1","2","3"],"b":["\#(text(400))"],"long":[]}"#
    #expect(try refusal("message.create_metaarray_keys", "\(message),\(keys)")?.code == 400203)
    #expect(try refusal("message.delete_metaarray_keys", "\(message),\(keys)") == nil)
    #expect(try refusal("message.add_metaarray_values", "\(message),\(values)")?.code == 400203)
    #expect(try refusal("message.remove_metaarray_values", "\(message),\(values)") == nil)
    #expect(try refusal("channel.list", #""custom_types":["\#(text(128))"]"#) == nil)
  }

  @Test("the message of an upload is read as it was accepted, whatever the current settings")
  func uploads() throws {
    let message = #"{"channel_url":"lobby","custom_type":"\#(text(512))"}"#
    let params = try node(#"{"size":1,"name":"a","message":\#(message)}"#)
    let command = try Command(method: "file.create", params: params, limits: .most)
    guard case .fileCreate(let create) = command else { throw WrongCommand() }
    let read = try UploadMessage(json: try #require(create.message))
    #expect(read.draft.customType.unicodeScalars.count == 512)
  }

  private struct WrongCommand: Error {}
}
