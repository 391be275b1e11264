extension User {
  /// Writes the user as other resources refer to it: without its metadata.
  package func encodeReference(into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", id)
      $0.member("nickname", nickname)
      $0.member("profile_url", profileURL)
    }
  }

  /// Writes the user as a resource of its own, with its metadata.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", id)
      $0.member("nickname", nickname)
      $0.member("profile_url", profileURL)
      $0.member("metadata", metadata)
    }
  }

  /// Reads a user; all but its id may be absent.
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

  /// Reads a list of users.
  package init(json: JSONNode) throws(ResourceError) {
    guard json.kind == .array else { throw ResourceError("list of users") }
    self.init()
    for element in json.elements { append(try User(json: element)) }
  }
}
