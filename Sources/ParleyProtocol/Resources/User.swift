/// A person or program that opens sessions.
package struct User: Sendable, Hashable, Identifiable {
  /// 1 to 80 characters, case-sensitive.
  package var id: String
  /// The name shown to other users; empty when none was given.
  package var nickname: String
  /// The address of a picture; empty when none was given.
  package var profileURL: String
  /// The metadata that the application stores with the user.
  package var metadata: [String: String]

  package init(
    id: String, nickname: String = "", profileURL: String = "", metadata: [String: String] = [:]
  ) {
    self.id = id
    self.nickname = nickname
    self.profileURL = profileURL
    self.metadata = metadata
  }
}

extension User {
  /// Writes the user in the form in which other resources refer to it: without its metadata.
  package func encodeReference(into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", id)
      $0.member("nickname", nickname)
      $0.member("profile_url", profileURL)
    }
  }

  /// Writes the user as a separate resource, with its metadata.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", id)
      $0.member("nickname", nickname)
      $0.member("profile_url", profileURL)
      $0.member("metadata", metadata)
    }
  }

  /// Parses a user; everything except its id may be absent.
  package init(json: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("user", json)
    self.init(
      id: try reader.text("user_id"), nickname: try reader.optionalText("nickname"),
      profileURL: try reader.optionalText("profile_url"), metadata: try reader.table("metadata"))
  }
}

extension [User] {
  /// Writes the users as a list, with their metadata.
  package func encode(into writer: inout JSONWriter) {
    writer.array { for user in self { user.encode(into: &$0) } }
  }

  /// Writes the users as a list, without their metadata.
  package func encodeReferences(into writer: inout JSONWriter) {
    writer.array { for user in self { user.encodeReference(into: &$0) } }
  }

  /// Parses a list of users.
  package init(json: JSONNode) throws(ResourceError) {
    guard json.kind == .array else { throw ResourceError("list of users") }
    self.init()
    for element in json.elements { append(try User(json: element)) }
  }
}

extension User {
  /// The size of a reference to the user as JSON, in bytes.
  package var referenceByteCount: Int { bareReferenceByteCount + JSONSize.quoted(profileURL) - 2 }

  /// The same size without the picture.
  fileprivate var bareReferenceByteCount: Int {
    Self.emptyReferenceByteCount + JSONSize.quoted(id) + JSONSize.quoted(nickname)
  }

  /// `{"user_id":,"nickname":,"profile_url":""}` and a comma.
  private static var emptyReferenceByteCount: Int { 42 }

  /// The number of UTF-8 bytes in a reference.
  var referenceTextByteCount: Int { id.utf8.count + nickname.utf8.count + profileURL.utf8.count }

  /// The user with an empty `profile_url`.
  func withoutPicture() -> User {
    var user = self
    user.profileURL = ""
    return user
  }
}

extension [User] {
  /// The users, reduced so that their references fit into a size: first the pictures of the last users
  /// are left out, and if that is not enough, all pictures and the last users.
  package func fitted(toBytes limit: Int = Limits.userListByteCount) -> [User] {
    let texts = reduce(0) { $0 + $1.referenceTextByteCount }
    guard JSONSize.bound(ofBytes: texts) + 48 * count + 2 > limit else { return self }
    var rest = limit - 2
    let kept = prefix { user in
      rest -= user.bareReferenceByteCount
      return rest >= 0
    }
    return kept.map { user in
      let picture = JSONSize.quoted(user.profileURL) - 2
      guard kept.count == count, picture <= rest else { return user.withoutPicture() }
      rest -= picture
      return user
    }
  }
}
