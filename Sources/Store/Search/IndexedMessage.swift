import Search

/// A message as the index of search has it.
struct IndexedMessage {
  /// Counted up when the tokens of a text change: an index of another version is built again.
  static let version: Int64 = 1

  var text: String
  /// `nil` without a file.
  var fileName: String?
  var channelID: Int64
  /// Whether the channel is an open one.
  var isOpen: Bool

  /// Its tokens, separated by spaces.
  var tokens: String {
    let places: [SearchPlace] = isOpen ? [.open, .channel(channelID)] : [.channel(channelID)]
    return (SearchedText(text: text, fileName: fileName).tokens + places.map(\.token))
      .joined(separator: " ")
  }

  /// The name in the column `file` of a message.
  static func fileName(in column: String?) throws -> String? {
    try column.map { try StoredJSON.decode(StoredFile.self, from: $0).name }
  }
}
