/// The addresses of pictures: `cover_url` of channels and `profile_url` of users.
///
/// They are stored as composed or sent. The address of a file of the channel or user is recomposed when
/// it is read, like that of a message's file, so that a change of `files.public_url` applies. An address
/// that was only sent stays unchanged, even if it looks like that of a file.
enum PictureAddress {
  /// Precedes the address of a file in the columns below; no address begins with it.
  private static let mark: UInt8 = 1
  private static let pathBeginning = "/files/"
  private static let idLength = 32

  /// The column `profile_url` of the table `users`.
  static let ofUser = column("profile_url", of: "users", key: "user_id", kind: "u")
  /// The column `cover_url` of the table `channels`.
  static let ofChannel = column("cover_url", of: "channels", key: "channel_id", kind: "c")

  /// The address to show.
  ///
  /// - Parameters:
  ///   - column: The value of one of the columns.
  ///   - fileURL: ``StoreOptions/fileURL``.
  static func shown(_ column: String, _ fileURL: StoreOptions.FileURL) -> String {
    guard column.utf8.first == mark else { return column }
    let stored = String(column.dropFirst())
    guard let beginning = stored.firstRange(of: pathBeginning) else { return stored }
    return fileURL(stored, String(stored[beginning.upperBound...].prefix(idLength)))
  }

  private static func column(
    _ name: String, of table: String, key: String, kind: String
  ) -> StoreStatement {
    let (column, holder) = ("\(table).\(name)", "'\(kind)' || \(table).\(key)")
    func marked(_ position: String, _ character: String) -> String {
      """
      CASE WHEN \(position)(\(column), '\(pathBeginning)') > 0
        AND EXISTS (SELECT 1 FROM file_pictures WHERE file_pictures.holder = \(holder))
        THEN \(character)(\(mark)) || \(column) ELSE \(column) END
      """
    }
    return StoreStatement(sqlite: marked("instr", "char"), postgreSQL: marked("strpos", "chr"))
  }
}
