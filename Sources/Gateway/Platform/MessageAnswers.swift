import ParleyProtocol

/// The facts about authors that the Platform API shows with their profiles.
struct MessageAuthors: Sendable {
  private struct Facts {
    let operatorIDs: Set<String>
    let deactivatedIDs: Set<String>
  }

  private let facts: Facts?

  init(_ operatorIDs: Set<String>, deactivatedIDs: Set<String>) {
    facts = Facts(operatorIDs: operatorIDs, deactivatedIDs: deactivatedIDs)
  }

  private init() { facts = nil }

  /// The authors of a message that is kept apart from its channel: these facts are not shown.
  static let unknown = MessageAuthors()

  fileprivate func encode(_ user: User, into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", user.id)
      $0.member("nickname", user.nickname)
      $0.member("profile_url", user.profileURL)
      $0.member("metadata", user.metadata)
      guard let facts else { return }
      $0.member("is_active", !facts.deactivatedIDs.contains(user.id))
      $0.member("role", facts.operatorIDs.contains(user.id) ? "operator" : "")
    }
  }
}

extension Message {
  /// Writes the message as the Platform API shows it.
  ///
  /// Absent values are omitted, or written as the empty value of their type.
  func encodeForPlatform(_ authors: MessageAuthors, into writer: inout JSONWriter) {
    writer.object {
      encodeOrigin(authors, into: &$0)
      encodeContents(authors, into: &$0)
      $0.member("dedup_id", MessageOrigin.isName(requestID) ? "" : requestID)
      $0.member("silent", isSilent)
      $0.member("is_removed", false)
      $0.member("created_at", createdAt)
      $0.member("updated_at", updatedAt)
    }
  }

  private func encodeOrigin(_ authors: MessageAuthors, into writer: inout JSONWriter) {
    writer.member("message_id", id)
    writer.member("type", type.rawValue)
    writer.member("custom_type", customType)
    writer.member("channel_url", channelURL)
    writer.member("channel_type", channelKind.rawValue)
    guard let user else { return }
    writer.name("user")
    authors.encode(user, into: &writer)
  }

  private func encodeContents(_ authors: MessageAuthors, into writer: inout JSONWriter) {
    writer.member("mention_type", mentionType.rawValue)
    writer.member(
      "mentioned_users",
      array: { for user in mentionedUsers { authors.encode(user, into: &$0) } })
    writer.member("message", text)
    writer.member("data", data)
    writer.name("sorted_metaarray")
    metaArrays.encode(into: &writer)
    if let openGraphTag {
      writer.name("og_tag")
      openGraphTag.encodeForPlatform(into: &writer)
    }
    if isPreviewPending { writer.member("og_pending", true) }
    writer.member("translations", translations)
    writer.name("file")
    if let file { file.encode(into: &writer) } else { writer.object { _ in } }
    writer.member("is_op_msg", isOperatorMessage)
  }
}

extension OpenGraphTag {
  /// Writes the known facts.
  func encodeForPlatform(into writer: inout JSONWriter) {
    writer.object {
      $0.member("og:title", ifKnown: title)
      $0.member("og:url", ifKnown: url)
      $0.member("og:description", ifKnown: description)
      if let image {
        $0.name("og:image")
        image.encodeForPlatform(into: &$0)
      }
    }
  }
}

extension OpenGraphImage {
  func encodeForPlatform(into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", ifKnown: url)
      $0.member("secure_url", ifKnown: secureURL)
      $0.member("type", ifKnown: type)
      $0.member("width", Int64(width))
      $0.member("height", Int64(height))
      $0.member("alt", ifKnown: alt)
      $0.member("origin_url", ifKnown: originURL)
    }
  }
}
