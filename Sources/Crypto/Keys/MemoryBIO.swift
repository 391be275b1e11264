internal import COpenSSL

/// Texts in memory, as OpenSSL reads them.
enum MemoryBIO {
  /// Copies a text; `nil` when out of memory.
  ///
  /// OpenSSL can also read an array's own memory, but that may be given back before it is read.
  static func make(copying bytes: [UInt8]) -> OpaquePointer? {
    guard let contents = BIO_new(BIO_s_mem()) else { return nil }
    guard BIO_write(contents, bytes, Int32(bytes.count)) == bytes.count else {
      BIO_free(contents)
      return nil
    }
    return contents
  }
}
