/// The terms that the app's back end sets for a session.
package struct SessionTerms: Sendable, Hashable {
  /// The maximum size of ``data``.
  package static let dataBytes = 4_096

  /// Replaces the stored metadata when given.
  package var metadata: [String: String]?
  /// The end of the session in Unix milliseconds, in place of that of its token.
  package var expiresAt: Int64?
  /// JSON for the client: `hook_data` in the answer.
  package var data: [UInt8]?

  package init() {}
}

/// Sessions that the app's back end is asked about.
extension SessionOpen {
  /// The parameters of the call.
  ///
  /// - Parameter showsToken: Whether the app's back end checks the token.
  package func hookParameters(showsToken: Bool) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        if !userID.isEmpty { $0.member("user_id", userID) }
        $0.member("nickname", ifKnown: nickname)
        $0.member("profile_url", ifKnown: profileURL)
        $0.member("groups", hearsGroups)
        if showsToken { $0.member("access_token", ifKnown: accessToken) }
      }
    }
  }

  /// Applies the changes of the app's back end, whose values are judged like those of a user.
  ///
  /// - Parameters:
  ///   - now: Unix milliseconds.
  ///   - namesUser: Whether the changes name the user of the session.
  /// - Throws: One of 400100 to 400151, or 400203.
  package func changed(
    by changes: HookChanges, _ limits: CustomDataLimits, at now: Int64, namesUser: Bool
  ) throws(ServiceError) -> SessionOpen {
    let fields = try changes.fields(limits)
    var open = self
    if namesUser { open.userID = try fields.userID() }
    if let new = try fields.name("nickname", limit: Limits.nicknameLength) { open.nickname = new }
    if let new = try fields.webURL("profile_url", limit: Limits.profileURLLength) {
      open.profileURL = new
    }
    open.terms.metadata = try fields.userMetadata()
    open.terms.expiresAt = try fields.integer(
      "expires_at", in: (now + 1)...Limits.messageIDs.upperBound)
    open.terms.data = try changes.json("data", byteLimit: SessionTerms.dataBytes)
    return open
  }
}

/// Channels and groups that the app's back end is asked about.
extension ChannelFields {
  fileprivate func encodeMembers(into writer: inout JSONWriter) {
    writer.member("name", ifKnown: name)
    writer.member("cover_url", ifKnown: coverURL)
    writer.member("data", ifKnown: data)
    writer.member("custom_type", ifKnown: customType)
    if let operatorIDs { writer.member("operator_ids", operatorIDs) }
    if let isPublic { writer.member("is_public", isPublic) }
  }

  fileprivate mutating func change(by fields: Fields) throws(ServiceError) {
    let new = try ChannelFields(fields)
    name = new.name ?? name
    coverURL = new.coverURL ?? coverURL
    data = new.data ?? data
    customType = new.customType ?? customType
    operatorIDs = new.operatorIDs ?? operatorIDs
  }
}

extension ChannelCreate {
  /// The parameters of the call.
  package var hookParameters: [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("channel_url", ifKnown: channelURL)
        fields.encodeMembers(into: &$0)
        $0.member("is_ephemeral", isEphemeral)
      }
    }
  }

  package func changed(
    by changes: HookChanges, _ limits: CustomDataLimits
  ) throws(ServiceError) -> ChannelCreate {
    var create = self
    try create.fields.change(by: changes.fields(limits))
    return create
  }
}

extension GroupCreate {
  /// The parameters of the call.
  package var hookParameters: [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("channel_url", ifKnown: channelURL)
        fields.encodeMembers(into: &$0)
        $0.member("user_ids", userIDs)
        $0.member("is_ephemeral", isEphemeral)
        $0.member("is_distinct", isDistinct)
        $0.member("is_super", isSuper)
      }
    }
  }

  package func changed(
    by changes: HookChanges, _ limits: CustomDataLimits
  ) throws(ServiceError) -> GroupCreate {
    let fields = try changes.fields(limits)
    var create = self
    try create.fields.change(by: fields)
    create.userIDs = try fields.fewer("user_ids", than: userIDs) ?? userIDs
    return create
  }
}

extension FileCreate {
  /// The parameters of the call.
  package var hookParameters: [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("size", size)
        $0.member("name", name)
        $0.member("type", type)
        $0.member("req_id", ifKnown: requestID)
        if let requiresAuthorization { $0.member("require_auth", requiresAuthorization) }
        if let message { $0.member("message", raw: Array(message.utf8)) }
      }
    }
  }

  package func changed(
    by changes: HookChanges, _ limits: CustomDataLimits
  ) throws(ServiceError) -> FileCreate {
    var create = self
    if let new = try changes.fields(limits).text("name", limit: Limits.fileNameLength) {
      create.name = new
    }
    return create
  }
}
