import GRDB
import LinkPreview
import ParleyProtocol

extension CachedPreview {
  init(_ row: Row) {
    expiresAt = row["expires_at"]
    guard row["is_found"] as Bool else {
      tag = nil
      return
    }
    tag = OpenGraphTag(
      title: row["title"], url: row["url"], description: row["description"],
      image: (row["has_image"] as Bool) ? OpenGraphImage(row) : nil)
  }

  func insert(for link: Link, into database: Database) throws {
    let image = tag?.image
    let statement = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO preview VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)")
    try statement.execute(arguments: [
      link.url, expiresAt, tag != nil, tag?.title, tag?.url, tag?.description,
      image != nil, image?.url, image?.secureURL, image?.type,
      image?.width ?? 0, image?.height ?? 0, image?.alt,
    ])
  }
}

extension OpenGraphImage {
  fileprivate init(_ row: Row) {
    self.init(
      url: row["image_url"], secureURL: row["image_secure_url"], type: row["image_type"],
      width: row["image_width"], height: row["image_height"], alt: row["image_alt"])
  }
}
