extension User {
  /// Bytes of a reference to the user as JSON.
  package var referenceByteCount: Int { bareReferenceByteCount + JSONSize.quoted(profileURL) - 2 }

  /// The same without its picture.
  fileprivate var bareReferenceByteCount: Int {
    Self.emptyReferenceByteCount + JSONSize.quoted(id) + JSONSize.quoted(nickname)
  }

  /// `{"user_id":,"nickname":,"profile_url":""}` and a comma.
  private static var emptyReferenceByteCount: Int { 42 }

  /// The UTF-8 bytes of what a reference shows.
  var referenceTextByteCount: Int { id.utf8.count + nickname.utf8.count + profileURL.utf8.count }

  /// The user with an empty `profile_url`.
  func withoutPicture() -> User {
    var user = self
    user.profileURL = ""
    return user
  }
}

extension [User] {
  /// Bytes of a list of references as JSON.
  var referencesByteCount: Int { reduce(2) { $0 + $1.referenceByteCount } }

  /// The users as far as their references fit into a size: where they do not, the pictures of
  /// the last ones are left out, and where that is not enough, all pictures and the last users.
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
