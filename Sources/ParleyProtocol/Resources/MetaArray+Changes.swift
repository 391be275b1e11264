/// Changes of a message's extra data; keys and values keep the order in which they came.
extension [MetaArray] {
  /// Adds keys without values; those that are there already stay as they are.
  ///
  /// - Throws: ``ErrorCode/tooManyItems`` when there would be more than 10 keys.
  package func creating(keys: [String]) throws(ServiceError) -> [MetaArray] {
    try adding(keys.map { MetaArray(key: $0) })
  }

  /// Leaves keys out, with all their values; those that are not there are passed over.
  package func deleting(keys: [String]) -> [MetaArray] {
    filter { !keys.contains($0.key) }
  }

  /// Adds values that are not there yet behind those that are, creating keys as needed.
  ///
  /// - Throws: ``ErrorCode/tooManyItems`` when there would be more than 10 keys, or more than 100
  ///   values of one; ``ErrorCode/tooLong`` when they would be longer together than 16,384 bytes.
  package func adding(_ additions: [MetaArray]) throws(ServiceError) -> [MetaArray] {
    var result = self
    for addition in additions {
      if let index = result.firstIndex(where: { $0.key == addition.key }) {
        result[index].values += addition.values
      } else {
        result.append(addition)
      }
    }
    for index in result.indices {
      result[index].values = result[index].values.withoutRepetitions()
      guard result[index].values.count <= Limits.metaArrayValueCount else {
        throw .tooMany(result[index].key, limit: Limits.metaArrayValueCount)
      }
    }
    guard result.count <= Limits.metaArrayKeyCount else {
      throw .tooMany("metaarray", limit: Limits.metaArrayKeyCount)
    }
    if result.textByteCount > textByteCount { try result.checkByteCount("metaarray") }
    return result
  }

  /// - Throws: ``ErrorCode/tooLong`` when keys and values are longer together than 16,384 bytes.
  package func checkByteCount(_ name: String) throws(ServiceError) {
    let count = textByteCount
    guard count <= Limits.metaArrayByteCount else {
      throw .tooLongTogether(name, byteCount: count, limit: Limits.metaArrayByteCount)
    }
  }

  /// Leaves values out; the keys stay, and what is not there is passed over.
  package func removing(_ removals: [MetaArray]) -> [MetaArray] {
    map { array in
      let removed = removals.filter { $0.key == array.key }.flatMap(\.values)
      return MetaArray(key: array.key, values: array.values.filter { !removed.contains($0) })
    }
  }
}
