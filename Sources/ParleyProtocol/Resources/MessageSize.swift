/// Bytes of a message as JSON, without its users and its preview, which come and change by
/// themselves.
package struct MessageSize: Sendable, Hashable {
  /// The names of the members, the ids and times, and `req_id` at its longest.
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
    file = draft.file?.byteCount ?? 4
  }

  /// Checks a draft, most of which need no closer look: their texts fit even if all were escapes.
  ///
  /// - Throws: As ``check(after:)``.
  package static func check(_ draft: MessageDraft) throws(ServiceError) {
    let texts = draft.text.utf8.count + draft.data.utf8.count + draft.customType.utf8.count
    let isPlain = draft.metaArrays.isEmpty && draft.file == nil
    guard !isPlain || JSONSize.bound(ofBytes: texts) + fixed + 16 > Limits.messageByteCount else {
      return
    }
    try MessageSize(draft).check()
  }

  /// All of it, in bytes.
  package var total: Int {
    Self.fixed + text + data + customType + metaArrays + translations + file
  }

  /// - Parameter previous: The size before a change: one that makes a message smaller is let through.
  /// - Throws: ``ErrorCode/tooLong`` when the message would not fit into an event; it names the
  ///   member that takes most.
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

extension [MetaArray] {
  /// As JSON.
  fileprivate var byteCount: Int {
    reduce(2) { $0 + JSONSize.quoted($1.key) + JSONSize.list($1.values) + 18 }
  }

  /// All keys and values together, in UTF-8.
  package var textByteCount: Int {
    reduce(0) { sum, array in
      array.values.reduce(sum + array.key.utf8.count) { $0 + $1.utf8.count }
    }
  }
}

extension MessageFile {
  /// As JSON.
  fileprivate var byteCount: Int {
    64 + JSONSize.quoted(url) + JSONSize.quoted(name) + JSONSize.quoted(type)
  }
}
