/// One key of a message's extra data, with its values in order and without duplicates.
package struct MetaArray: Sendable, Hashable {
  package var key: String
  /// A set that keeps its order.
  package var values: [String]

  package init(key: String, values: [String] = []) {
    self.key = key
    self.values = values
  }
}

extension MetaArray {
  /// Writes one key with its values, `{"key":"games","value":["soccer"]}`.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("key", key)
      $0.member("value", values)
    }
  }

  /// Parses one key with its values.
  package init(json: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("metaarray", json)
    let values = json["value"]?.elements.map(\.string) ?? []
    guard !values.contains(nil) else { throw reader.wrong("value") }
    self.init(key: try reader.text("key"), values: values.compactMap(\.self))
  }
}

extension [MetaArray] {
  /// Writes a message's extra data, `sorted_metaarray`.
  package func encode(into writer: inout JSONWriter) {
    writer.array { for array in self { array.encode(into: &$0) } }
  }

  /// Parses a message's extra data.
  package init(json: JSONNode) throws(ResourceError) {
    guard json.kind == .array else {
      throw ResourceError("message", member: "sorted_metaarray")
    }
    self.init()
    for element in json.elements { append(try MetaArray(json: element)) }
  }
}

/// Changes a message's extra data; keys and values keep their order of insertion.
extension [MetaArray] {
  /// Adds keys without values; existing keys stay unchanged.
  ///
  /// - Throws: ``ErrorCode/tooManyItems`` when there would be too many keys.
  package func creating(
    keys: [String], within limits: MetaArrayLimits
  ) throws(ServiceError) -> [MetaArray] {
    try adding(keys.map { MetaArray(key: $0) }, within: limits)
  }

  /// Removes keys with all their values; missing keys are ignored.
  package func deleting(keys: [String]) -> [MetaArray] {
    filter { !keys.contains($0.key) }
  }

  /// Appends values that are missing to the existing ones, creating keys as needed.
  ///
  /// Limits apply only to additions: a message from before a setting was lowered may keep its excess.
  ///
  /// - Throws: ``ErrorCode/tooManyItems`` when there would be too many keys, or too many values of one
  ///   key; ``ErrorCode/tooLong`` when they would together be too long.
  package func adding(
    _ additions: [MetaArray], within limits: MetaArrayLimits
  ) throws(ServiceError) -> [MetaArray] {
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
      let knownCount = index < count ? self[index].values.count : 0
      guard result[index].values.count <= Swift.max(limits.valueCount, knownCount) else {
        throw .tooMany(result[index].key, limit: limits.valueCount)
      }
    }
    guard result.count <= Swift.max(limits.keyCount, count) else {
      throw .tooMany("metaarray", limit: limits.keyCount)
    }
    if result.textByteCount > textByteCount {
      try result.checkByteCount("metaarray", within: limits)
    }
    return result
  }

  /// - Throws: ``ErrorCode/tooLong`` when keys and values are together too long.
  package func checkByteCount(
    _ name: String, within limits: MetaArrayLimits
  ) throws(ServiceError) {
    let count = textByteCount
    guard count <= limits.byteCount else {
      throw .tooLongTogether(name, byteCount: count, limit: limits.byteCount)
    }
  }

  /// Removes values; keys remain, and missing values are ignored.
  package func removing(_ removals: [MetaArray]) -> [MetaArray] {
    map { array in
      let removed = Set(removals.filter { $0.key == array.key }.flatMap(\.values))
      return MetaArray(key: array.key, values: array.values.filter { !removed.contains($0) })
    }
  }
}
