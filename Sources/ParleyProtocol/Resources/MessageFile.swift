/// The file of a file message: its address, and its name, type and size by the sender.
package struct MessageFile: Sendable, Hashable {
  package var url: String
  /// Empty when it was not given.
  package var name: String
  /// The media type; empty when it was not given.
  package var type: String
  /// Bytes; 0 when it was not given.
  package var size: Int64

  package init(url: String, name: String = "", type: String = "", size: Int64 = 0) {
    self.url = url
    self.name = name
    self.type = type
    self.size = size
  }
}
