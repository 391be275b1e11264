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
    (SearchedText(text: text, fileName: fileName).tokens + places).joined(separator: " ")
  }

  /// Its words and places and, in a second line, its runs.
  ///
  /// PostgreSQL makes the tokens of them: see ``SearchWordsSchema``.
  var document: String {
    let searched = SearchedText(text: text, fileName: fileName)
    let words = (searched.words + places).joined(separator: " ")
    let runs = searched.runs.joined(separator: " ")
    return runs.isEmpty ? words : words + "\n" + runs
  }

  private var places: [String] {
    let places: [SearchPlace] = isOpen ? [.open, .channel(channelID)] : [.channel(channelID)]
    return places.map(\.token)
  }

  /// The name in the column `file` of a message.
  static func fileName(in column: String?) throws -> String? {
    try column.map { try StoredJSON.decode(StoredFile.self, from: $0).name }
  }
}
