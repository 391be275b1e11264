import Testing

@testable import ParleyClient

@Suite("A request about a message")
struct MessageCallsTests {
  private let calls = MessageCalls(
    reader: MessageReader(fileKeys: FileKeys(serverURL: "wss://a.b")))
  private let reference = MessageReference(channelURL: "lobby", messageID: 7)

  @Test("sends all given values, with the request ID of the send")
  func send() {
    let given = UserMessageCreateParams(message: "hi\n")
    given.customType = "c"
    given.data = "d"
    given.mentionType = .channel
    given.mentionedUserIDs = ["ann"]
    given.metaArrays = [MessageMetaArray(key: "games", value: ["soccer", "go"])]
    given.translationTargetLanguages = ["de"]
    given.pushNotificationDeliveryOption = .suppress
    let call = calls.send(given.values, to: "lobby", requestID: "r-1")
    #expect(
      params(call) == #"{"channel_url":"lobby","req_id":"r-1","message":"hi\n","custom_type":"c","#
        + #""data":"d","mention_type":"channel","mentioned_user_ids":["ann"],"#
        + #""metaarray":[{"key":"games","value":["soccer","go"]}],"#
        + #""translation_target_langs":["de"],"push_option":"suppress"}"#)
    #expect(call.request.repeatability == .identified)
  }

  @Test("omits values that are the default")
  func plain() {
    let call = calls.send(.init(message: "hi"), to: "lobby", requestID: "r")
    #expect(params(call) == #"{"channel_url":"lobby","req_id":"r","message":"hi"}"#)
  }

  @Test("sends a file by its address, with all given values")
  func sendFile() throws {
    let given = FileMessageCreateParams(fileURL: "https://a.b/c.png", message: "look")
    given.fileName = "c.png"
    given.mimeType = "image/png"
    given.fileSize = 7
    given.customType = "c"
    let call = calls.send(given.values, to: "lobby", requestID: "r-1")
    #expect(
      params(call) == #"{"channel_url":"lobby","req_id":"r-1","message_type":"FILE","#
        + #""url":"https://a.b/c.png","file_name":"c.png","file_type":"image/png","file_size":7,"#
        + #""message":"look","custom_type":"c"}"#)
    #expect(call.request.repeatability == .identified)
    let answer = #"{"message":\#(Sample.message(type: "MESG"))}"#
    #expect(throws: ParleyError.malformedAnswer("'message' is no file message")) {
      try call.outcome(.success(answer.json)).get()
    }
  }

  @Test("changes only the given fields")
  func update() {
    let changes = UserMessageUpdateParams(message: "new")
    changes.mentionedUserIDs = []
    #expect(
      params(calls.update(reference, changes.values))
        == #"{"channel_url":"lobby","message_id":7,"message":"new","mentioned_user_ids":[]}"#)
  }

  @Test("mentions users by their IDs, in addition to the given IDs")
  func mentions() {
    let given = UserMessageCreateParams(message: "hi")
    given.mentionedUsers = [User(userID: "bob"), User(userID: "kim")]
    #expect(
      params(calls.send(given.values, to: "lobby", requestID: "r"))
        == #"{"channel_url":"lobby","req_id":"r","message":"hi","#
        + #""mentioned_user_ids":["bob","kim"]}"#)
    given.mentionedUserIDs = ["ann"]
    let both = params(calls.send(given.values, to: "lobby", requestID: "r"))
    #expect(both.hasSuffix(#""mentioned_user_ids":["ann","bob","kim"]}"#))
    let pending = MessageRecord(pending: given.values, in: "lobby", by: nil, "r")
    #expect(pending.mentionedUsers.map(\.userID) == ["bob", "kim"])
    let changes = UserMessageUpdateParams()
    changes.mentionedUsers = [User(userID: "bob")]
    #expect(
      params(calls.update(reference, changes.values))
        == #"{"channel_url":"lobby","message_id":7,"mentioned_user_ids":["bob"]}"#)
  }

  @Test("lists around a position")
  func list() {
    let given = MessageListParams()
    given.previousResultSize = 0
    given.nextResultSize = 200
    given.isInclusive = false
    given.order = .newestFirst
    given.messageType = .admin
    given.customTypes = ["c"]
    given.senderUserIDs = ["ann"]
    #expect(
      params(calls.list("lobby", around: .timestamp(5), given.values))
        == #"{"channel_url":"lobby","message_ts":5,"prev_limit":0,"next_limit":200,"include":false,"#
        + #""reverse":true,"message_type":"ADMM","custom_types":["c"],"sender_ids":["ann"]}"#)
    let found = MessageListParams()
    found.mentionedUserID = "ann"
    found.hasFile = false
    found.hasLink = true
    found.updatedSince = 3
    found.createdFrom = 1
    found.createdTo = 9
    #expect(
      params(calls.list("lobby", around: .now, found.values))
        == #"{"channel_url":"lobby","prev_limit":15,"next_limit":0,"include":true,"#
        + #""mentioned_user_id":"ann","has_file":false,"has_link":true,"updated_since":3,"#
        + #""from_ts":1,"to_ts":9}"#)
    let usual = params(calls.list("lobby", around: .now, MessageListParams.Values()))
    #expect(usual == #"{"channel_url":"lobby","prev_limit":15,"next_limit":0,"include":true}"#)
  }

  @Test("contains each key of extra data once")
  func values() {
    let values = [
      MessageMetaArray(key: "a", value: ["1"]), MessageMetaArray(key: "b", value: []),
      MessageMetaArray(key: "a", value: ["2"]),
    ]
    #expect(
      params(calls.addValues(reference, values))
        == #"{"channel_url":"lobby","message_id":7,"values":{"a":["1","2"],"b":[]}}"#)
    #expect(
      params(calls.createKeys(reference, ["a"]))
        == #"{"channel_url":"lobby","message_id":7,"keys":["a"]}"#)
  }

  @Test("a translation contains its languages, and returns the user message")
  func translate() throws {
    let call = calls.translateUserMessage(reference, to: ["es", "de"])
    #expect(
      params(call) == #"{"channel_url":"lobby","message_id":7,"target_langs":["es","de"]}"#)
    let answer = #"{"message":\#(Sample.message())}"#
    #expect(try call.outcome(.success(answer.json)).get().translations["de"] == "he")
  }

  @Test("reads a user message with all its fields")
  func userMessage() throws {
    let answer = #"{"message":\#(Sample.message())}"#
    let outcome = calls.get(reference).outcome(.success(answer.json))
    let message = try #require(try outcome.get() as? UserMessage)
    #expect(message.messageID == 7)
    #expect(message.id == 7)
    #expect(message.sender?.metadata == ["team": "red"])
    #expect(message.message == "hi")
    #expect(message.mentionType == .channel)
    #expect(message.mentionedUsers.map(\.userID) == ["jeff"])
    #expect(message.metaArrays == [MessageMetaArray(key: "games", value: ["soccer"])])
    #expect(message.ogMetaData?.title == "T")
    #expect(message.ogMetaData?.desc == nil)
    #expect(message.ogMetaData?.defaultImage?.width == 12)
    #expect(message.translations == ["de": "he"])
    #expect(message.requestID == "r")
    #expect(message.createdAt == 1000)
    #expect(message.updatedAt == 2000)
    #expect(message.sendingStatus == .succeeded)
  }

  @Test("reads messages of all kinds in the given order")
  func kinds() throws {
    let answer = """
      {"messages":[\(Sample.message(id: 1)),\(Sample.message(id: 2, type: "ADMM", user: nil)),
      \(Sample.message(id: 3, type: "FILE"))]}
      """
    let call = calls.list("lobby", around: .now, MessageListParams.Values())
    let messages = try call.outcome(.success(answer.json)).get().messages
    #expect(messages.map(\.messageID) == [1, 2, 3])
    #expect(messages[0] is UserMessage)
    #expect(messages[1] is AdminMessage)
    #expect(messages[1].sender == nil)
    #expect(messages[2] is FileMessage)
  }

  @Test("reads the position of the next page, if there is one")
  func edges() throws {
    let call = calls.list("lobby", around: .now, MessageListParams.Values())
    let cut =
      #"{"messages":[],"has_previous":true,"has_next":false,"previous_from":9,"next_from":0}"#
    let page = try call.outcome(.success(cut.json)).get()
    #expect(page.previous == .messageID(9))
    #expect(page.next == nil)
    let old = try call.outcome(.success(#"{"messages":[]}"#.json)).get()
    #expect(old.previous == nil)
    #expect(old.next == nil)
  }

  @Test("stops when a server returns the same position again without messages")
  func repeatedPlaces() async throws {
    let call = calls.list("lobby", around: .now, MessageListParams.Values())
    let answer = #"{"messages":[],"has_previous":true,"previous_from":9}"#
    let page = try call.outcome(.success(answer.json)).get()
    var places: [MessageAnchor] = []
    let messages = try await OpenChannel.messages(around: .now, MessageListParams.Values()) {
      (place, _) async throws(ParleyError) in
      places.append(place)
      return page
    }
    #expect(messages.isEmpty)
    #expect(places == [.now, .messageID(9)])
  }

  @Test("does not accept another kind as a user message")
  func wrongKind() {
    let answer = #"{"message":\#(Sample.message(type: "ADMM", user: nil))}"#
    let call = calls.send(.init(message: "hi"), to: "lobby", requestID: "r")
    let outcome = call.outcome(.success(answer.json))
    #expect(throws: ParleyError.malformedAnswer("'message' is no user message")) {
      try outcome.get()
    }
  }
}
