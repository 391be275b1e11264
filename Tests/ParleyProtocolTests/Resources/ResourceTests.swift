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

  @Test("a message of a group shows its kind, its ordinal and whether it is silent")
  func groupMessage() throws {
    var message = Message(
      id: 1, channelURL: "lobby", user: reference, text: "x", createdAt: 7, ordinal: 3)
    for (ordinal, isSilent) in [(Int64(3), false), (0, true)] {
      message.ordinal = ordinal
      let text = written(message.encode)
      #expect(text.contains(#""channel_type":"group_channels""#))
      #expect(text.hasSuffix(#","ordinal":\#(ordinal),"silent":\#(isSilent)}"#))
      #expect(try Message(json: node(text)) == message)
    }
    message.ordinal = nil
    let text = written(message.encode)
    #expect(text.contains(#""channel_type":"open_channels""#) && !text.contains("silent"))
    #expect(try Message(json: node(text)) == message)
  }

  @Test("a group has the shape of the contract, without its access code")
  func group() throws {
    let creator = User(id: "ann", nickname: "Ann", profileURL: "https://a.b/a.png")
    var channel = Channel(
      url: "lobby", name: "Lobby", operators: [reference], createdAt: 7,
      group: Group(
        isDistinct: true, isPublic: false, accessCode: "sesame", createdBy: creator,
        memberCount: 3, joinedCount: 2))
    let text = written(ChannelInfo(channel, participantCount: 3).encode)
    #expect(
      text
        == #"{"channel_url":"lobby","name":"Lobby","cover_url":"","data":"","custom_type":"","#
        + #""is_ephemeral":false,"freeze":false,"channel_type":"group_channels","#
        + #""is_distinct":true,"is_public":false,"is_super":false,"#
        + #""is_access_code_required":true,"member_count":3,"joined_member_count":2,"#
        + #""created_by":{"user_id":"ann","nickname":"Ann","profile_url":""},"#
        + #""max_length_message":5000,"operators":["# + referenceJSON + #"],"created_at":7}"#)
    channel.group?.accessCode = ""
    channel.group?.createdBy?.profileURL = ""
    #expect(try Channel(json: node(text)) == channel)
  }

  @Test("a group that the Platform API created has no creator")
  func groupWithoutCreator() throws {
    let channel = Channel(
      url: "lobby", createdAt: 7, group: Group(isPublic: true, memberCount: 1, joinedCount: 1))
    let info = ChannelInfo(channel, participantCount: 0)
    let json = try node(written(info.encode))
    #expect(json["created_by"]?.isNull == true && json["is_public"]?.bool == true)
    #expect(json["is_access_code_required"]?.bool == false)
    #expect(try Channel(json: json) == channel && (try ChannelInfo(json: json)) == info)
  }

  @Test("a group is refused with members that are no numbers, and read without them as open")
  func invalidGroup() throws {
    let members = #""channel_url":"lobby","created_at":7"#
    let numbers = #""member_count":2,"joined_member_count":1"#
    let kind = #""channel_type":"group_channels""#
    #expect(try Channel(json: node("{\(members),\(numbers)}")).group == nil)
    #expect(
      try Channel(json: node("{\(members),\(numbers),\(kind)}")).group
        == Group(memberCount: 2, joinedCount: 1))
    for wrong in [
      #""member_count":-1,"joined_member_count":1"#, #""member_count":2"#,
      #""member_count":2,"joined_member_count":"1""#, #"\#(numbers),"created_by":7"#,
    ] {
      #expect(throws: ResourceError.self) {
        try Channel(json: node("{\(members),\(kind),\(wrong)}"))
      }
    }
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
