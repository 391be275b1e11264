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
  /// - Parameter fileURL: ``StoreOptions/fileURL``.
  init(row: StoreRow, channelURL: String, fileURL: StoreOptions.FileURL) throws {
    let type = MessageType(rawValue: row[2])
    let mentionType = MentionType(rawValue: row[7])
    guard let type, let mentionType else {
      throw StoreError.damaged(path: "the table messages", reason: "an unknown type")
    }
    seq = row[0]
    userID = row[3]
    mentionedIDs = try Self.json(row[8]) ?? []
    let metaArrays: [StoredMetaArray]? = try Self.json(row[9])
    let tag: StoredOpenGraphTag? = try Self.json(row[10])
    let file: StoredFile? = try Self.json(row[15])
    message = Message(
      id: row[1], type: type, channelURL: channelURL, user: nil, text: row[4],
      file: file?.file(fileURL), data: row[5],
      customType: row[6], mentionType: mentionType,
      metaArrays: metaArrays?.map(\.metaArray) ?? [], openGraphTag: tag?.tag,
      translations: try Self.json(row[11]) ?? [:], requestID: row[12] ?? "",
      isOperatorMessage: row[16],
      createdAt: row[13], updatedAt: row[14], ordinal: row[18])
    if let languages: [String] = try Self.json(row[17]) { message.languagesOnDemand = languages }
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
