import Channels
import ParleyProtocol
import Uploads

/// The file of a file message as stored.
struct StoredFile: StoredObject {
  /// As given by its sender; for an uploaded file, with the base named by its request.
  var url = ""
  var name = ""
  var type = ""
  var size: Int64 = 0
  /// The id in the record of an uploaded file; `nil` when the file is stored elsewhere.
  var id: String?
  /// Whether the file needs a key; `nil` when it does not.
  var auth: Bool?
  /// `nil` for none.
  var thumbnails: [StoredThumbnail]?

  init() {}

  init(_ file: MessageFile, _ upload: FileRecord?) {
    thumbnails = Self.stored(file.thumbnails)
    url = upload?.url ?? file.url
    name = file.name
    type = file.type
    size = file.size
    id = upload?.id
    auth = file.requiresAuthorization ? true : nil
  }

  mutating func list<Members: StoredMembers & ~Copyable>(
    in members: inout Members
  ) throws(Members.Failure) {
    try members.member("auth", &auth)
    try members.member("id", &id)
    try members.required("name", &name)
    try members.required("size", &size)
    try members.member("thumbnails", &thumbnails)
    try members.required("type", &type)
    try members.required("url", &url)
  }

  /// The file; the address of an uploaded file is recomposed.
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
struct StoredThumbnail: StoredObject {
  /// The address of a picture given by the sender; that of any other is derived from the file's.
  var url: String?
  var type: String?
  var size: Int64?
  var maxWidth: Int?
  var maxHeight: Int?
  var width: Int?
  var height: Int?

  init() {}

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

  mutating func list<Members: StoredMembers & ~Copyable>(
    in members: inout Members
  ) throws(Members.Failure) {
    try members.member("height", &height)
    try members.member("maxHeight", &maxHeight)
    try members.member("maxWidth", &maxWidth)
    try members.member("size", &size)
    try members.member("type", &type)
    try members.member("url", &url)
    try members.member("width", &width)
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
