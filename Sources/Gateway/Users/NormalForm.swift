import ParleyProtocol
@_spi(_Unicode) import Swift

/// The only accepted spelling of a user's id.
enum NormalForm {
  /// Refuses an id that is not in Unicode normalization form C.
  ///
  /// Otherwise two spellings of the same characters would be two users in the store and one in memory.
  static func require(_ id: String, _ field: String) throws(ServiceError) {
    guard id.unicodeScalars.elementsEqual(id._nfc) else {
      throw ServiceError(
        .characterNotAllowed, "'\(field)' must be in Unicode normalization form C", field: field)
    }
  }
}
