import ParleyProtocol
import Testing

@Suite("Resources")
struct ResourceTests {
  private let jeff = User(
    id: "jeff", nickname: "Jeff", profileURL: "https://p.example/j", metadata: ["b": "2", "a": "1"])
  private let userJSON =
    #"{"user_id":"jeff","nickname":"Jeff","profile_url":"https://p.example/j","#
    + #""metadata":{"a":"1","b":"2"}}"#

  private let referenceJSON =
    #"{"user_id":"jeff","nickname":"Jeff","profile_url":"https://p.example/j"}"#
  /// The user as others than its own resource show it.
  private let reference = User(
    id: "jeff", nickname: "Jeff", profileURL: "https://p.example/j")

  private var preview: OpenGraphTag {
    OpenGraphTag(
      title: "T", url: "https://a.b/", description: nil,
      image: OpenGraphImage(
        url: "https://a.b/i.png", type: "image/png", width: 1200, height: 630, alt: "x"))
  }

  private var message: Message {
    Message(
      id: 17_300_000_000_001, channelURL: "lobby", user: reference, text: "see \"parley.dev\"",
      mentionedUsers: [reference], metaArrays: [MetaArray(key: "games", values: ["soccer"])],
      openGraphTag: preview, translations: ["de": "sieh"], requestID: "r",
      createdAt: 1_730_000_000_000)
  }

  @Test("a user has the shape of the contract")
  func user() throws {
    #expect(written(jeff.encode) == userJSON)
    #expect(try User(json: node(userJSON)) == jeff)
    #expect(try User(json: node(#"{"user_id":"x","nickname":null}"#)) == User(id: "x"))
  }

  @Test("a reference to a user has no metadata")
  func references() {
    #expect(written(jeff.encodeReference) == referenceJSON)
    #expect(written([jeff].encodeReferences) == "[\(referenceJSON)]")
  }

  @Test("a message has the shape of the contract, member by member")
  func messageShape() throws {
    let expected =
      #"{"type":"MESG","message_id":17300000000001,"channel_url":"lobby","#
      + #""channel_type":"open_channels","user":"# + referenceJSON
      + #","message":"see \"parley.dev\"","data":"","custom_type":"","mention_type":"users","#
      + #""mentioned_users":["# + referenceJSON
      + #"],"sorted_metaarray":[{"key":"games","value":["soccer"]}],"#
      + #""og_tag":{"og:title":"T","og:url":"https://a.b/","og:description":null,"#
      + #""og:image":{"url":"https://a.b/i.png","secure_url":null,"type":"image/png","#
      + #""width":1200,"height":630,"alt":"x"}},"translations":{"de":"sieh"},"file":null,"#
      + #""req_id":"r","created_at":1730000000000,"updated_at":0}"#
    #expect(written(message.encode) == expected)
  }

  @Test("a message without a preview has a null one, an admin message no user")
  func adminMessage() throws {
    let message = Message(
      id: 1, type: .admin, channelURL: "lobby", user: nil, text: "hi", createdAt: 5)
    let json = try node(written(message.encode))
    #expect(json["og_tag"]?.isNull == true)
    #expect(json["file"]?.isNull == true)
    #expect(json["user"] == nil)
    #expect(json["type"]?.string == "ADMM")
  }

  @Test("messages are read back as they were written")
  func messageRoundTrip() throws {
    #expect(try Message(json: node(written(message.encode))) == message)
    var other = message
    other.type = .admin
    other.user = nil
    other.openGraphTag = nil
    other.mentionType = .channel
    other.updatedAt = 9
    other.data = "{\"x\":\"\\u0000\"}"
    #expect(try Message(json: node(written(other.encode))) == other)
  }

  @Test("a channel has the shape of the contract")
  func channel() throws {
    let channel = Channel(
      url: "lobby", name: "Lobby", isFrozen: true, operators: [reference], createdAt: 7)
    let text = written(ChannelInfo(channel, participantCount: 3).encode)
    #expect(
      text
        == #"{"channel_url":"lobby","name":"Lobby","cover_url":"","data":"","custom_type":"","#
        + #""is_ephemeral":false,"freeze":true,"participant_count":3,"max_length_message":5000,"#
        + #""operators":["# + referenceJSON + #"],"created_at":7}"#)
    #expect(try Channel(json: node(text)) == channel)
  }

  @Test("a preview without a picture has a null picture")
  func previewWithoutPicture() throws {
    let text = written(OpenGraphTag(title: "T").encode)
    #expect(
      text == #"{"og:title":"T","og:url":null,"og:description":null,"og:image":null}"#)
    #expect(OpenGraphTag(json: try node(text)) == OpenGraphTag(title: "T"))
  }

  @Test("an external preview is read as far as it is valid")
  func previewFromOutside() throws {
    let tag = OpenGraphTag(
      json: try node(
        #"{"og:title":5,"og:url":"u","og:image":{"width":-1,"height":1e20,"url":[]}}"#))
    #expect(tag == OpenGraphTag(url: "u", image: OpenGraphImage()))
    #expect(OpenGraphTag(json: try node("[]")) == nil)
  }

  @Test(
    "a resource without a required member is refused by name",
    arguments: [
      (#"[]"#, nil), (#"{}"#, "message_id"), (#"{"message_id":1}"#, "type"),
      (#"{"message_id":1,"type":"X"}"#, "type"),
      (#"{"message_id":1,"type":"MESG","channel_url":"c","message":"m","data":1}"#, "data"),
      (#"{"message_id":1,"type":"MESG","channel_url":"c","message":"m"}"#, "created_at"),
      (
        #"{"message_id":1,"type":"MESG","channel_url":"c","message":"m","translations":{"a":1}}"#,
        "translations"
      ),
    ] as [(String, String?)])
  func refused(_ text: String, _ member: String?) throws {
    let json = try node(text)
    let error = #expect(throws: ResourceError.self) { try Message(json: json) }
    #expect(error?.member == member)
  }

  @Test("metaarrays and lists of users are read back")
  func lists() throws {
    let arrays = [MetaArray(key: "a", values: ["1", "2"]), MetaArray(key: "b")]
    #expect(try [MetaArray](json: node(written(arrays.encode))) == arrays)
    #expect(try [User](json: node(written([jeff].encode))) == [jeff])
    let json = try node(#"[{"key":"a","value":[1]}]"#)
    #expect(throws: ResourceError.self) { try [MetaArray](json: json) }
  }
}
