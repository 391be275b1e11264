import Channels
import ParleyProtocol
import Uploads

/// A row of the messages table, its users known by their ids only.
struct StoredMessage {
  static let columns = """
    seq, message_id, type, user_id, text, data, custom_type, mention_type, mentioned_users,
    metaarray, og_tag, translations, req_id, created_at, updated_at, file,
    is_operator
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
      createdAt: row[13], updatedAt: row[14])
  }

  /// Its author and those that it mentions.
  var userIDs: Set<String> {
    var ids = Set(mentionedIDs)
    if let userID { ids.insert(userID) }
    return ids
  }

  /// The message with its users; an author whose record is gone is shown by the id alone.
  func sequenced(_ users: [String: User]) -> SequencedMessage {
    var message = message
    message.user = userID.map { users[$0] ?? User(id: $0) }
    message.mentionedUsers = mentionedIDs.compactMap { users[$0] }
    return SequencedMessage(message: message, seq: seq)
  }

  private static func json<T: Decodable>(_ text: String?) throws -> T? {
    try text.map { try StoredJSON.decode(T.self, from: $0) }
  }
}

/// A metaarray as stored.
struct StoredMetaArray: Codable {
  var key: String
  var value: [String]

  init(_ array: MetaArray) {
    key = array.key
    value = array.values
  }

  var metaArray: MetaArray { MetaArray(key: key, values: value) }
}

/// The file of a file message as stored.
struct StoredFile: Codable {
  /// As its sender gave it; for an uploaded file, by the base that the request with it named.
  var url: String
  var name: String
  var type: String
  var size: Int64
  /// Of the record of an uploaded file; `nil` when the file is somewhere else.
  var id: String?
  /// Whether it needs a key; `nil` when it does not.
  var auth: Bool?
  /// `nil` for none.
  var thumbnails: [StoredThumbnail]?

  init(_ file: MessageFile, _ upload: FileRecord?) {
    thumbnails = Self.stored(file.thumbnails)
    url = upload?.url ?? file.url
    name = file.name
    type = file.type
    size = file.size
    id = upload?.id
    auth = file.requiresAuthorization ? true : nil
  }

  /// The file; the address of an uploaded one is composed anew.
  func file(_ fileURL: StoreOptions.FileURL) -> MessageFile {
    let shown = id.map { fileURL(url, $0) } ?? url
    return MessageFile(
      id: id ?? "", url: shown, name: name, type: type, size: size,
      requiresAuthorization: auth ?? false,
      thumbnails: thumbnails?.map { $0.thumbnail(ofFile: id, at: shown) } ?? [])
  }

  static func stored(_ thumbnails: [MessageThumbnail]) -> [StoredThumbnail]? {
    thumbnails.isEmpty ? nil : thumbnails.map(StoredThumbnail.init)
  }
}

/// A thumbnail of a message's file as stored.
struct StoredThumbnail: Codable {
  /// The address, of a picture that the sender gave; that of any other follows from the file's.
  var url: String?
  var type: String?
  var size: Int64?
  var maxWidth: Int?
  var maxHeight: Int?
  var width: Int?
  var height: Int?

  init(_ thumbnail: MessageThumbnail) {
    guard thumbnail.size > 0 else {
      url = thumbnail.url
      return
    }
    type = thumbnail.type
    size = thumbnail.size
    (maxWidth, maxHeight) = (thumbnail.bounds.maxWidth, thumbnail.bounds.maxHeight)
    (width, height) = (thumbnail.width, thumbnail.height)
  }

  func thumbnail(ofFile id: String?, at fileURL: String) -> MessageThumbnail {
    let bounds = ThumbnailSize(maxWidth: maxWidth ?? 0, maxHeight: maxHeight ?? 0)
    let made = id.flatMap { id in
      type.map { ThumbnailAddress(of: fileURL, fileID: id).url(within: bounds, type: $0) }
    }
    return MessageThumbnail(
      url: url ?? made ?? "", type: type ?? "", size: size ?? 0, bounds: bounds, width: width ?? 0,
      height: height ?? 0)
  }
}

/// A link preview as stored.
struct StoredOpenGraphTag: Codable {
  var title: String?
  var url: String?
  var description: String?
  var image: StoredOpenGraphImage?

  init(_ tag: OpenGraphTag) {
    title = tag.title
    url = tag.url
    description = tag.description
    image = tag.image.map(StoredOpenGraphImage.init)
  }

  var tag: OpenGraphTag {
    OpenGraphTag(title: title, url: url, description: description, image: image?.image)
  }
}

/// The picture of a link preview as stored.
struct StoredOpenGraphImage: Codable {
  var url: String?
  var secureURL: String?
  var type: String?
  var width: Int32
  var height: Int32
  var alt: String?
  var originURL: String?

  init(_ image: OpenGraphImage) {
    originURL = image.originURL
    url = image.url
    secureURL = image.secureURL
    type = image.type
    width = image.width
    height = image.height
    alt = image.alt
  }

  var image: OpenGraphImage {
    OpenGraphImage(
      url: url, secureURL: secureURL, type: type, width: width, height: height, alt: alt,
      originURL: originURL)
  }
}
