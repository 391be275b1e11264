/// How large a preview cache is.
struct PreviewCacheFigures: Sendable, Hashable {
  /// Entries in memory.
  var entryCount = 0
  /// Bytes in memory, about.
  var byteCount = 0
  /// Rows in the file.
  var rowCount = 0
  /// Bytes of the file, without its write-ahead log.
  var fileByteCount = 0
}
