@testable import ParleyClient

/// The parameters of a call as text.
func params<Value>(_ call: Call<Value>) -> String {
  String(decoding: call.request.params, as: UTF8.self)
}

/// JSON of the kinds that servers send.
enum Sample {
  static let user =
    #"{"user_id":"jeff","nickname":"Jeff","profile_url":"","metadata":{"team":"red"},"later":1}"#

  static func message(
    id: Int64 = 7, type: String = "MESG", text: String = "hi", user: String? = Sample.user,
    ordinal: Int64? = nil
  ) -> String {
    let author = user.map { #""user":\#($0),"# } ?? ""
    let place = ordinal.map { #""ordinal":\#($0),"silent":false,"# } ?? ""
    return """
      {"type":"\(type)","message_id":\(id),"channel_url":"lobby",\(author)\(place)"message":"\(text)",
      "data":"d","custom_type":"c","mention_type":"channel","mentioned_users":[\(Sample.user)],
      "sorted_metaarray":[{"key":"games","value":["soccer"]}],
      "og_tag":{"og:title":"T","og:url":"https://a.b","og:description":null,
      "og:image":{"url":"https://a.b/i.png","width":12,"height":6}},"translations":{"de":"he"},
      "file":null,"req_id":"r","created_at":1000,"updated_at":2000,"later":[]}
      """
  }

  static func channel(
    _ url: String = "lobby", name: String = "Lobby", isFrozen: Bool = false, count: Int = 3
  ) -> String {
    """
    {"channel_url":"\(url)","name":"\(name)","cover_url":"https://a.b/c.png","data":"d",
    "custom_type":"c","is_ephemeral":true,"freeze":\(isFrozen),"participant_count":\(count),
    "max_length_message":4000,"operators":[\(user)],"created_at":1000,"later":null}
    """
  }

  /// A group of three members as an answer has it; `kim` is invited.
  ///
  /// - Parameter my: The membership of the current user; `nil` for one who is not a member.
  static func group(
    _ url: String = "trip", seq: Int64 = 4, epoch: String = "e",
    last: Int64 = 2, my: String? = Sample.membership
  ) -> String {
    let view = my.map {
      """
      "my":\($0),"members":[\(member("jeff", role: "operator")),\(member("ann")),
      \(member("kim", state: "invited"))],
      """
    }
    return """
      \(groupEvent(url).dropLast()),"last_message":\(message(id: 20)),"last_ordinal":\(last),\(view ?? "")
      "epoch":"\(epoch)","seq":\(seq)}
      """
  }

  /// A group as events have it.
  static func groupEvent(_ url: String = "trip", name: String = "Trip") -> String {
    """
    {"channel_url":"\(url)","channel_type":"group_channels","name":"\(name)","cover_url":"","data":"",
    "custom_type":"","is_ephemeral":false,"freeze":false,"is_distinct":false,"is_public":true,
    "is_super":false,"is_access_code_required":true,"member_count":3,"joined_member_count":2,
    "created_by":\(user),"max_length_message":5000,"operators":[\(user)],"created_at":1000,"later":1}
    """
  }

  /// The membership of a user without a role.
  static let membership = membership()

  /// - Parameters:
  ///   - read: The position of the user, an ordinal.
  ///   - unread: The number of messages after it.
  ///   - mentions: The number of those that mention the user.
  ///   - last: The last message of the group.
  static func membership(
    read: Int64 = 1, unread: Int64 = 1, mentions: Int64 = 0, last: Int64 = 2,
    from visibleFrom: Int64 = 8, hidden: String = "unhidden", counting preference: String = "all"
  ) -> String {
    """
    {"state":"joined","role":"none","inviter":\(user),"invited_at":7,"joined_at":8,
    "visible_from":\(visibleFrom),"last_ordinal":\(last),"unread_message_count":\(unread),
    "unread_mention_count":\(mentions),"read_ordinal":\(read),
    "read_at":\(read * 100),"hidden_state":"\(hidden)","count_preference":"\(preference)",
    "is_muted":false,"muted_until":0}
    """
  }

  static func member(
    _ userID: String, state: String = "joined", role: String = "none"
  ) -> String {
    let receipt = state == "joined" ? #","read_at":100"# : ""
    return """
      {"user_id":"\(userID)","nickname":"","profile_url":"","state":"\(state)","role":"\(role)",
      "is_muted":false,"joined_at":\(state == "joined" ? 8 : 0),"invited_at":7\(receipt)}
      """
  }
}

extension String {
  /// The bytes as the engine hands them on.
  var json: [UInt8] { Array(utf8) }
}

extension ClientCore {
  /// Unconnected, for tests of what it does with events.
  convenience init(bufferedEvents: Int) {
    var configuration = ParleyClientConfiguration(serverURL: "ws://127.0.0.1:1")
    configuration.maximumBufferedEvents = bufferedEvents
    self.init(configuration)
  }

  /// A channel as if it had been entered.
  func enteredChannel(_ url: String = "lobby") throws -> OpenChannel {
    let snapshot = try ChannelSnapshot(json: AnswerReader.document(Sample.channel(url).json))
    let channel = channel(snapshot)
    channels.enter(channel)
    return channel
  }

  /// The group of ``Sample/group(_:seq:epoch:my:)``, after `group.ready`.
  func knownGroup(_ json: String = Sample.group()) throws -> GroupChannel {
    receive("group.ready", #"{"ts":1,"token":"t"}"#)
    return group(try groupProperties(json))
  }

  /// The properties in an answer.
  func groupProperties(_ json: String) throws -> ChannelProperties {
    try groupCalls.get("trip").read(AnswerReader.document(#"{"channel":\#(json)}"#.json))
  }

  /// An event of the server.
  func receive(_ method: String, _ params: String) {
    receive(.notification(method: method, params: try? AnswerReader.document(params.json)))
  }
}
