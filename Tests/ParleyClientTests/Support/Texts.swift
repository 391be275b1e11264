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
    id: Int64 = 7, type: String = "MESG", text: String = "hi", user: String? = Sample.user
  ) -> String {
    let author = user.map { #""user":\#($0),"# } ?? ""
    return """
      {"type":"\(type)","message_id":\(id),"channel_url":"lobby",\(author)"message":"\(text)",
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

  /// An event of the server.
  func receive(_ method: String, _ params: String) {
    receive(.notification(method: method, params: try? AnswerReader.document(params.json)))
  }
}
