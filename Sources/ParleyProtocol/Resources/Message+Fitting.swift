extension Message {
  /// Bytes for a message in an event, beside the event's own members.
  static let byteLimit = Limits.eventByteCount - 512

  /// The message as it fits into an event.
  ///
  /// Nearly always itself. Else, in this order, until it fits: a shorter preview, mentioned users
  /// without their pictures or fewer of them, the author without its picture. Of messages that were
  /// stored before their size was limited, metaarrays, translations and `data` are left out.
  func fitted() -> Message {
    guard byteCountBound > Self.byteLimit else { return self }
    var message = self
    message.openGraphTag = openGraphTag?.fitted(toBytes: Limits.previewByteCount)
    message.leaveOutExcess()
    var rest = Self.byteLimit - MessageSize(message).total
    rest -= message.openGraphTag?.byteCount ?? 0
    if let user = message.user {
      if user.referenceByteCount > rest { message.user = user.withoutPicture() }
      rest -= message.user?.referenceByteCount ?? 0
    }
    message.mentionedUsers = mentionedUsers.fitted(
      toBytes: min(rest, Limits.userListByteCount))
    return message
  }

  private mutating func leaveOutExcess() {
    if MessageSize(self).total > Limits.messageByteCount { metaArrays = [] }
    if MessageSize(self).total > Limits.messageByteCount { translations = [:] }
    if MessageSize(self).total > Limits.messageByteCount { data = "" }
  }

  /// The most that the message can take, found without looking into its texts.
  private var byteCountBound: Int {
    var texts = text.utf8.count + data.utf8.count + customType.utf8.count + requestID.utf8.count
    var members = 512
    if let user { texts += user.referenceTextByteCount }
    for user in mentionedUsers {
      texts += user.referenceTextByteCount
      members += 48
    }
    for array in metaArrays {
      texts += array.key.utf8.count
      members += 24
      for value in array.values {
        texts += value.utf8.count
        members += 3
      }
    }
    for (language, text) in translations {
      texts += language.utf8.count + text.utf8.count
      members += 6
    }
    if let file { texts += file.url.utf8.count + file.name.utf8.count + file.type.utf8.count }
    if let openGraphTag { texts += openGraphTag.textByteCount }
    return JSONSize.bound(ofBytes: texts) + members
  }
}
