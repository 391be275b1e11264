/// A file that came with a message, as the store knows it.
package struct FileRecord: Sendable, Hashable {
  /// 32 hexadecimal digits: who knows them may read the file.
  package var id: String
  /// For people; not a path.
  package var name: String
  /// The media type that its sender gave; empty when it gave none.
  package var type: String
  /// Bytes.
  package var size: Int64
  /// Its address by the base that the request with it named; `nil` for a record that was read.
  package var url: String?

  package init(id: String, name: String, type: String, size: Int64, url: String? = nil) {
    self.id = id
    self.name = name
    self.type = type
    self.size = size
    self.url = url
  }
}
