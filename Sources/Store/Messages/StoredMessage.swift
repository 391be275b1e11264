import Channels
import ParleyProtocol

/// A row of the messages table, with its users as ids only.
struct StoredMessage {
  static let columns = """
    seq, message_id, type, user_id, text, data, custom_type, mention_type, mentioned_users,
    metaarray, og_tag, translations, req_id, created_at, updated_at, file,
    is_operator, languages_on_demand, ordinal
    """

  let seq: Int64
  /// Without user and mentioned users.
  var message: Message
  let userID: String?
  let mentionedIDs: [String]

  /// From `columns`.
  ///
  /// - Parameters:
  ///   - fileURL: ``StoreOptions/fileURL``.
  ///   - first: The place of the first of the columns.
  init(
    row: StoreRow, channelURL: String, fileURL: StoreOptions.FileURL, from first: Int = 0
  ) throws {
    let type = MessageType(rawValue: row[first + 2])
    let mentionType = MentionType(rawValue: row[first + 7])
    guard let type, let mentionType else {
      throw StoreError.damaged(path: "the table messages", reason: "an unknown type")
    }
    seq = row[first]
    userID = row[first + 3]
    mentionedIDs = try Self.json(row[first + 8]) ?? []
    let metaArrays: [StoredMetaArray]? = try Self.json(row[first + 9])
    let tag: StoredOpenGraphTag? = try Self.json(row[first + 10])
    let file: StoredFile? = try Self.json(row[first + 15])
    message = Message(
      id: row[first + 1], type: type, channelURL: channelURL, user: nil, text: row[first + 4],
      file: file?.file(fileURL), data: row[first + 5],
      customType: row[first + 6], mentionType: mentionType,
      metaArrays: metaArrays?.map(\.metaArray) ?? [], openGraphTag: tag?.tag,
      translations: try Self.json(row[first + 11]) ?? [:], requestID: row[first + 12] ?? "",
      isOperatorMessage: row[first + 16],
      createdAt: row[first + 13], updatedAt: row[first + 14], ordinal: row[first + 18])
    if let languages: [String] = try Self.json(row[first + 17]) {
      message.languagesOnDemand = languages
    }
  }

  /// Its author and the users that it mentions.
  var userIDs: Set<String> {
    var ids = Set(mentionedIDs)
    if let userID { ids.insert(userID) }
    return ids
  }

  /// The message with its users; a deleted author is shown with the id only.
  func sequenced(_ users: [String: User]) -> SequencedMessage {
    var message = message
    message.user = userID.map { users[$0] ?? User(id: $0) }
    message.mentionedUsers = mentionedIDs.compactMap { users[$0] }
    return SequencedMessage(message: message, seq: seq)
  }

  private static func json<T: StoredValue>(_ text: String?) throws -> T? {
    try text.map { try StoredJSON.decode(T.self, from: $0) }
  }
}

/// A metaarray as stored.
struct StoredMetaArray: StoredObject {
  var key = ""
  var value: [String] = []

  init() {}

  init(_ array: MetaArray) {
    key = array.key
    value = array.values
  }

  mutating func list<Members: StoredMembers & ~Copyable>(
    in members: inout Members
  ) throws(Members.Failure) {
    try members.required("key", &key)
    try members.required("value", &value)
  }

  var metaArray: MetaArray { MetaArray(key: key, values: value) }
}
