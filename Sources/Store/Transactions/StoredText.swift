import Glibc

extension String {
  /// - Throws: `StoreError.unstorableText` for a text with U+0000: SQLite ends texts there, so it would
  ///   be mistaken for a shorter one.
  func checkStorable() throws(StoreError) {
    let holdsNull = utf8.withContiguousStorageIfAvailable { $0.holdsNull } ?? utf8.contains(0)
    if holdsNull { throw .unstorableText }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate var holdsNull: Bool {
    baseAddress.map { memchr($0, 0, count) != nil } ?? false
  }
}
