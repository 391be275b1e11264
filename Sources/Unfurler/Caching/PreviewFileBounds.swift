import LinkPreview

/// How large the file may become, and the steps in which it is written.
///
/// A quarter of the room on disk is kept for the write-ahead log, which holds the pages of one
/// transaction beside those that wait for a checkpoint; so both are kept small.
struct PreviewFileBounds: Sendable {
  let maximumRows: Int
  /// File and write-ahead log together.
  let maximumBytes: Int

  static let pageSize = 4_096
  private static let minimumBytes = 1 << 20

  init(maximumRows: Int, maximumBytes: Int) {
    self.maximumRows = max(0, maximumRows)
    self.maximumBytes = min(max(Self.minimumBytes, maximumBytes), 1 << 40)
  }

  init(_ limits: PreviewCache.Limits) {
    self.init(maximumRows: limits.maximumRows, maximumBytes: limits.maximumFileBytes)
  }

  /// The pages of the file itself.
  var maximumPages: Int { maximumBytes / 4 * 3 / Self.pageSize }

  /// After how many pages in the log they are brought to the file.
  var checkpointPages: Int { min(max(4, maximumBytes / 32 / Self.pageSize), 256) }

  /// The rows of one transaction: each may touch a page of the table and of every index.
  var rowsPerStep: Int { min(max(4, maximumBytes >> 17), 64) }

  /// The bytes of one transaction.
  var bytesPerStep: Int { min(maximumBytes / 32, 256 << 10) }

  /// An entry that is larger is not kept in the file.
  var maximumEntryBytes: Int { maximumBytes / 32 }

  /// The pages that storing an entry takes at most, about: its link is in two indexes too, its last
  /// page is seldom full, and the indexes may have to split.
  func pages(for entry: PreviewEntry) -> Int {
    (entry.byteCount + 3 * entry.link.url.utf8.count) / Self.pageSize + 4
  }
}
