internal import ParleyProtocol

/// The requests about groups.
struct GroupCalls: Sendable {
  let reader: MessageReader

  func create(_ params: GroupChannelCreateParams.Values) -> Call<ChannelProperties> {
    Call("group.create", .once, params: params.write, reading: group)
  }

  func get(_ url: String) -> Call<ChannelProperties> {
    Call("group.get", .safe, params: { $0.member("channel_url", url) }, reading: group)
  }

  func update(
    _ url: String, _ params: GroupChannelUpdateParams.Values
  ) -> Call<ChannelProperties> {
    Call(
      "group.update", .once,
      params: {
        $0.member("channel_url", url)
        params.write(into: &$0)
      }, reading: group)
  }

  func invite(_ url: String, _ userIDs: [String]) -> Call<(ChannelProperties, InvitationResult)> {
    Call(
      "group.invite", .once,
      params: {
        $0.member("channel_url", url)
        $0.member("user_ids", userIDs)
      },
      reading: { [group] (node: JSONNode) throws(ParleyError) in
        (try group(node), try InvitationResult(json: node))
      })
  }

  func list(
    _ source: GroupChannelListQuery.Source, _ token: String?
  ) -> Call<LoadedPage<ChannelProperties>> {
    Call(
      "group.list", .safe,
      params: {
        switch source {
        case .mine(let params): params.write(into: &$0)
        case .publicGroups(let channels):
          $0.member("public_only", true)
          channels.write(into: &$0)
        }
        if let token { $0.member("token", token) }
      },
      reading: { [reader] (node: JSONNode) throws(ParleyError) in
        let groups = try AnswerReader.list("channels", of: node) {
          (channel: JSONNode) throws(ParleyError) in
          try ChannelProperties(json: channel, reader)
        }
        return LoadedPage(
          items: source.channels.includeMembers ? groups : groups.map(\.withoutMembers),
          next: try AnswerReader.text("next", of: node))
      })
  }

  func accept(_ url: String) -> Call<ChannelProperties> {
    Call("group.accept", .once, params: { $0.member("channel_url", url) }, reading: group)
  }

  func join(_ url: String, accessCode: String?) -> Call<ChannelProperties> {
    Call(
      "group.join", .once,
      params: {
        $0.member("channel_url", url)
        if let accessCode { $0.member("access_code", accessCode) }
      }, reading: group)
  }

  /// - Returns: `nil` if the caller removed itself from a private group.
  func remove(_ url: String, _ userIDs: [String]) -> Call<ChannelProperties?> {
    Call(
      "group.remove", .once,
      params: {
        $0.member("channel_url", url)
        $0.member("user_ids", userIDs)
      },
      reading: { [group] (node: JSONNode) throws(ParleyError) in
        node.present("channel") == nil ? nil : try group(node)
      })
  }

  static func decline(_ url: String) -> Call<Void> { plain("group.decline", url) }

  static func leave(_ url: String) -> Call<Void> { plain("group.leave", url) }

  static func delete(_ url: String) -> Call<Void> { plain("group.delete", url) }

  static func members(
    _ url: String, _ params: MemberListQueryParams.Values, _ token: String?
  ) -> Call<LoadedPage<Member>> {
    Call(
      "group.members", .safe,
      params: {
        $0.member("channel_url", url)
        params.write(into: &$0)
        if let token { $0.member("token", token) }
      },
      reading: { (node: JSONNode) throws(ParleyError) in
        LoadedPage(
          items: try AnswerReader.list("members", of: node, Member.init(json:)),
          next: try AnswerReader.text("next", of: node))
      })
  }

  private static func plain(_ method: String, _ url: String) -> Call<Void> {
    Call(
      method, .once, params: { $0.member("channel_url", url) },
      reading: { (_: JSONNode) throws(ParleyError) in })
  }

  /// Parses the member `channel`.
  private var group: @Sendable (JSONNode) throws(ParleyError) -> ChannelProperties {
    { [reader] (node: JSONNode) throws(ParleyError) in
      try ChannelProperties(json: AnswerReader.member("channel", of: node), reader)
    }
  }
}

extension ChannelProperties {
  /// Parses a group.
  init(json: JSONNode, _ reader: MessageReader) throws(ParleyError) {
    self.init(try ChannelSnapshot(json: json), try GroupView(json: json, reader))
  }

  /// The same for an answer in which the server has left out the members.
  var withoutMembers: ChannelProperties {
    var properties = self
    properties.view.members = nil
    return properties
  }
}

/// The effect of inviting users to a group, as lists of user ids.
public struct InvitationResult: Sendable, Hashable {
  /// The users who were invited, and may accept.
  public let invitedUserIDs: [String]
  /// The users who joined at once, because they accept invitations automatically.
  public let joinedUserIDs: [String]
  /// The users who were members before.
  public let skippedUserIDs: [String]

  init(json: JSONNode) throws(ParleyError) {
    func ids(_ name: String) throws(ParleyError) -> [String] {
      try AnswerReader.list(name, of: json) { (node: JSONNode) throws(ParleyError) in
        guard let id = node.string else {
          throw .malformedAnswer("'\(name)' has an element that is no text")
        }
        return id
      }
    }
    invitedUserIDs = try ids("invited")
    joinedUserIDs = try ids("joined")
    skippedUserIDs = try ids("skipped")
  }
}
