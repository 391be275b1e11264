/// The size in bytes of a message as JSON, without its users and its preview, which change
/// independently.
package struct MessageSize: Sendable, Hashable {
  /// The size of the member names, ids and times, and the maximum size of `req_id`.
  private static let fixed = 1_024

  private let text: Int
  private let data: Int
  private let customType: Int
  private let metaArrays: Int
  private let translations: Int
  private let file: Int

  package init(_ message: Message) {
    text = JSONSize.quoted(message.text)
    data = JSONSize.quoted(message.data)
    customType = JSONSize.quoted(message.customType)
    metaArrays = message.metaArrays.byteCount
    translations = message.translations.reduce(2) {
      $0 + JSONSize.quoted($1.key) + JSONSize.quoted($1.value) + 2
    }
    file = message.file?.byteCount ?? 4
  }

  package init(_ draft: MessageDraft) {
    text = JSONSize.quoted(draft.text)
    data = JSONSize.quoted(draft.data)
    customType = JSONSize.quoted(draft.customType)
    metaArrays = draft.metaArrays.byteCount
    translations = 2
    file = (draft.file?.byteCount ?? 4) + draft.roomForThumbnails
  }

  /// Checks a draft; most drafts need no exact check, because they would fit even if fully escaped.
  ///
  /// - Throws: Like ``check(after:)``.
  package static func check(_ draft: MessageDraft) throws(ServiceError) {
    let texts = draft.text.utf8.count + draft.data.utf8.count + draft.customType.utf8.count
    let isPlain = draft.metaArrays.isEmpty && draft.file == nil
    guard !isPlain || JSONSize.bound(ofBytes: texts) + fixed + 16 > Limits.messageByteCount else {
      return
    }
    try MessageSize(draft).check()
  }

  /// The total in bytes.
  package var total: Int {
    Self.fixed + text + data + customType + metaArrays + translations + file
  }

  /// - Parameter previous: The size before a change; a change that makes a message smaller is allowed.
  /// - Throws: ``ErrorCode/tooLong`` when the message would not fit into an event; the error names the
  ///   largest member.
  package func check(after previous: MessageSize? = nil) throws(ServiceError) {
    guard total > Limits.messageByteCount, total > previous?.total ?? 0 else { return }
    throw .tooLarge(
      "message", byteCount: total, limit: Limits.messageByteCount, field: largestField)
  }

  private var largestField: String {
    let members = [
      ("message", text), ("data", data), ("metaarray", metaArrays), ("file_url", file),
      ("custom_type", customType),
    ]
    return members.max { $0.1 < $1.1 }?.0 ?? "message"
  }
}

extension MessageDraft {
  /// The bytes reserved for thumbnails that do not exist yet: their addresses start like that of the
  /// file, and continue with a part of its name.
  fileprivate var roomForThumbnails: Int {
    guard let sizes = thumbnailSizes, let file else { return 0 }
    return sizes.count * (MessageThumbnail.memberByteCount + JSONSize.quoted(file.url) + 48)
  }
}

extension [MetaArray] {
  /// The size as JSON.
  fileprivate var byteCount: Int {
    reduce(2) { $0 + JSONSize.quoted($1.key) + JSONSize.list($1.values) + 18 }
  }

  /// The size of all keys and values together, in UTF-8.
  package var textByteCount: Int {
    reduce(0) { sum, array in
      array.values.reduce(sum + array.key.utf8.count) { $0 + $1.utf8.count }
    }
  }
}

extension MessageFile {
  /// The size as JSON.
  fileprivate var byteCount: Int {
    208 + JSONSize.quoted(url) + JSONSize.quoted(name) + JSONSize.quoted(type)
      + thumbnails.reduce(0) { $0 + $1.byteCount + 1 }
  }
}

extension Message {
  /// The maximum number of bytes of a message in an event, besides the event's own members.
  static let byteLimit = Limits.eventByteCount - 512

  /// The message, reduced to fit into an event.
  ///
  /// Applied in this order until it fits: a shorter preview, mentioned users without pictures or fewer
  /// of them, the author without a picture. In messages stored before their size was limited,
  /// metaarrays, translations and `data` are left out.
  func fitted() -> Message {
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

  /// Whether a part of the message may have to be left out, which is rare.
  var mayNotFit: Bool { byteCountBound > Self.byteLimit }

  /// An upper bound of the message's size, computed without examining its texts.
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
    if let file {
      texts += file.url.utf8.count + file.name.utf8.count + file.type.utf8.count
      for thumbnail in file.thumbnails {
        texts += thumbnail.url.utf8.count + thumbnail.type.utf8.count
        members += MessageThumbnail.memberByteCount
      }
    }
    if let openGraphTag { texts += openGraphTag.textByteCount }
    return JSONSize.bound(ofBytes: texts) + members
  }
}
