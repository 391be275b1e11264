import Foundation
import ParleyProtocol

/// The JSON columns; their shape is the store's own and independent of the wire's.
enum StoredJSON {
  static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    do {
      return try JSONDecoder().decode(type, from: Data(text.utf8))
    } catch {
      throw StoreError.damaged(path: "a JSON column", reason: "\(error)")
    }
  }

  /// `NULL` stands for an empty list or map, by far the most common ones.
  static func encodeUnlessEmpty(_ value: some Encodable & Collection) throws -> String? {
    value.isEmpty ? nil : try encode(value)
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

  init(_ file: MessageFile, _ upload: FileRecord?) {
    url = upload?.url ?? file.url
    name = file.name
    type = file.type
    size = file.size
    id = upload?.id
  }

  /// The file, its address composed of the base that holds now.
  ///
  /// - Parameter base: The base of all uploaded files; `nil` leaves each the one that its own
  ///   request named.
  func file(base: String?) -> MessageFile {
    MessageFile(url: url(base: base), name: name, type: type, size: size)
  }

  private func url(base: String?) -> String {
    guard let base, let id, let path = url.firstRange(of: "/files/\(id)/") else { return url }
    return base + url[path.lowerBound...]
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

  init(_ image: OpenGraphImage) {
    url = image.url
    secureURL = image.secureURL
    type = image.type
    width = image.width
    height = image.height
    alt = image.alt
  }

  var image: OpenGraphImage {
    OpenGraphImage(
      url: url, secureURL: secureURL, type: type, width: width, height: height, alt: alt)
  }
}
