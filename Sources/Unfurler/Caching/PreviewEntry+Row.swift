import SQLite
import LinkPreview
import ParleyProtocol

extension PreviewEntry {
  /// The entry in a row; `nil` when the row holds no such thing.
  init?(_ row: Row) {
    guard let link = row.text("link").flatMap({ Link($0) }),
      let fetchedAt = row.number("fetched_at"), let expiresAt = row.number("expires_at"),
      let staleUntil = row.number("stale_until")
    else { return nil }
    self.init(
      link: link, tag: row.number("is_found") == 1 ? OpenGraphTag(row) : nil,
      problem: row.text("problem"), fetchedAt: fetchedAt, expiresAt: expiresAt,
      staleUntil: staleUntil)
  }

  /// Stores the entry in place of an earlier one for its link.
  ///
  /// - Returns: How many rows there are more than before.
  func store(in database: Database) throws -> Int {
    try database.execute("DELETE FROM preview WHERE link = ?", [link.url])
    let growth = 1 - database.changesCount
    let image = tag?.image
    try database.execute(
      "INSERT INTO preview VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      [
        link.url, HostKey(link).text, fetchedAt, expiresAt, staleUntil, problem,
        tag != nil, tag?.title, tag?.url, tag?.description,
        image != nil, image?.url, image?.secureURL, image?.type,
        image?.width ?? 0, image?.height ?? 0, image?.alt,
      ])
    return growth
  }
}

extension OpenGraphTag {
  fileprivate init(_ row: Row) {
    self.init(
      title: row.text("title"), url: row.text("url"), description: row.text("description"),
      image: row.number("has_image") == 1 ? OpenGraphImage(row) : nil)
  }
}

extension OpenGraphImage {
  fileprivate init(_ row: Row) {
    self.init(
      url: row.text("image_url"), secureURL: row.text("image_secure_url"),
      type: row.text("image_type"),
      width: row.number("image_width").flatMap { Int32(exactly: $0) } ?? 0,
      height: row.number("image_height").flatMap { Int32(exactly: $0) } ?? 0,
      alt: row.text("image_alt"))
  }
}

extension Row {
  /// A column's text; `nil` for anything else, which the file must not be able to end us with.
  fileprivate func text(_ column: String) -> String? {
    if case .text(let text)? = self[named: column] { text } else { nil }
  }

  /// A column's number; `nil` for anything else.
  fileprivate func number(_ column: String) -> Int64? {
    if case .integer(let number)? = self[named: column] { number } else { nil }
  }
}
