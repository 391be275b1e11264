import ParleyProtocol

/// How much the application may keep with a user or a channel.
enum MetadataLimits {
  /// - Throws: `StoreError.tooManyItems`.
  static func check(count: Int) throws(StoreError) {
    guard count <= Limits.metadataItemCount else {
      throw .tooManyItems(limit: Limits.metadataItemCount)
    }
  }

  /// - Throws: `StoreError.tooLong`, or `.unstorableText`.
  static func check(key: String) throws(StoreError) {
    try key.checkStorable()
    guard key.unicodeScalars.count <= Limits.metadataKeyLength else {
      throw .tooLong(key: key, limit: Limits.metadataKeyLength)
    }
  }

  /// - Throws: `StoreError.tooLong`, or `.unstorableText`.
  static func check(value: String, of key: String) throws(StoreError) {
    try value.checkStorable()
    guard value.unicodeScalars.count <= Limits.metadataValueLength else {
      throw .tooLong(key: key, limit: Limits.metadataValueLength)
    }
  }
}
