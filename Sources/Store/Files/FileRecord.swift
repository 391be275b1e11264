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

  package init(id: String, name: String, type: String, size: Int64) {
    self.id = id
    self.name = name
    self.type = type
    self.size = size
  }
}
