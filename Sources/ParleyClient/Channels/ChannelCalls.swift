internal import ParleyProtocol

/// The requests about channels.
enum ChannelCalls {
  static func create(_ params: OpenChannelCreateParams.Values) -> Call<ChannelSnapshot> {
    Call("channel.create", .once, params: params.write, reading: AnswerReader.channel)
  }

  static func get(_ url: String) -> Call<ChannelSnapshot> {
    Call(
      "channel.get", .safe, params: { $0.member("channel_url", url) },
      reading: AnswerReader.channel)
  }

  static func update(
    _ url: String, _ params: OpenChannelUpdateParams.Values
  ) -> Call<ChannelSnapshot> {
    Call(
      "channel.update", .once,
      params: {
        $0.member("channel_url", url)
        params.write(into: &$0)
      }, reading: AnswerReader.channel)
  }

  static func delete(_ url: String) -> Call<Void> {
    Call(
      "channel.delete", .once, .delete(url), params: { $0.member("channel_url", url) },
      reading: { (_: JSONNode) throws(ParleyError) in })
  }

  static func enter(_ url: String) -> Call<ChannelSnapshot> {
    Call(
      "channel.enter", .safe, .enter(url), params: { $0.member("channel_url", url) },
      reading: { (node: JSONNode) throws(ParleyError) in
        var snapshot = try AnswerReader.channel(of: node)
        snapshot.participantCount = try AnswerReader.count("participant_count", of: node)
        return snapshot
      })
  }

  static func exit(_ url: String) -> Call<Void> {
    Call(
      "channel.exit", .safe, .exit(url), params: { $0.member("channel_url", url) },
      reading: { (_: JSONNode) throws(ParleyError) in })
  }

  static func freeze(_ url: String) -> Call<ChannelSnapshot> {
    Call(
      "channel.freeze", .once, params: { $0.member("channel_url", url) },
      reading: AnswerReader.channel)
  }

  static func unfreeze(_ url: String) -> Call<ChannelSnapshot> {
    Call(
      "channel.unfreeze", .once, params: { $0.member("channel_url", url) },
      reading: AnswerReader.channel)
  }

  static func addOperators(_ url: String, _ userIDs: [String]) -> Call<ChannelSnapshot> {
    operators("channel.add_operators", url, userIDs)
  }

  static func removeOperators(_ url: String, _ userIDs: [String]) -> Call<ChannelSnapshot> {
    operators("channel.remove_operators", url, userIDs)
  }

  static func mute(_ url: String, _ restriction: UserRestriction) -> Call<Void> {
    restrict("channel.mute", url, restriction)
  }

  static func ban(_ url: String, _ restriction: UserRestriction) -> Call<Void> {
    restrict("channel.ban", url, restriction)
  }

  static func unmute(_ url: String, userID: String) -> Call<Void> {
    release("channel.unmute", url, userID)
  }

  static func unban(_ url: String, userID: String) -> Call<Void> {
    release("channel.unban", url, userID)
  }

  private static func operators(
    _ method: String, _ url: String, _ userIDs: [String]
  ) -> Call<ChannelSnapshot> {
    Call(
      method, .once,
      params: {
        $0.member("channel_url", url)
        $0.member("user_ids", userIDs)
      }, reading: AnswerReader.channel)
  }

  private static func restrict(
    _ method: String, _ url: String, _ restriction: UserRestriction
  ) -> Call<Void> {
    Call(
      method, .once,
      params: {
        $0.member("channel_url", url)
        restriction.write(into: &$0)
      }, reading: { (_: JSONNode) throws(ParleyError) in })
  }

  private static func release(_ method: String, _ url: String, _ userID: String) -> Call<Void> {
    Call(
      method, .once,
      params: {
        $0.member("channel_url", url)
        $0.member("user_id", userID)
      }, reading: { (_: JSONNode) throws(ParleyError) in })
  }
}
