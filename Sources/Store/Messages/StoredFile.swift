import Channels
import ParleyProtocol
import Uploads

/// The file of a file message as stored.
struct StoredFile: StoredValue {
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

  init(stored node: JSONNode) throws(StoredShapeError) {
    url = try node.storedAlways("url")
    name = try node.storedAlways("name")
    type = try node.storedAlways("type")
    size = try node.storedAlways("size")
    id = try node.stored("id")
    auth = try node.stored("auth")
    thumbnails = try node.stored("thumbnails")
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.stored("auth", auth)
      $0.stored("id", id)
      $0.stored("name", name)
      $0.stored("size", size)
      $0.stored("thumbnails", thumbnails)
      $0.stored("type", type)
      $0.stored("url", url)
    }
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
struct StoredThumbnail: StoredValue {
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

  init(stored node: JSONNode) throws(StoredShapeError) {
    url = try node.stored("url")
    type = try node.stored("type")
    size = try node.stored("size")
    maxWidth = try node.stored("maxWidth")
    maxHeight = try node.stored("maxHeight")
    width = try node.stored("width")
    height = try node.stored("height")
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.stored("height", height)
      $0.stored("maxHeight", maxHeight)
      $0.stored("maxWidth", maxWidth)
      $0.stored("size", size)
      $0.stored("type", type)
      $0.stored("url", url)
      $0.stored("width", width)
    }
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
