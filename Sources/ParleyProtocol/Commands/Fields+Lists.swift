/// Reads lists, and objects that are used as tables.
extension Fields {
  /// A list of texts without duplicates, if given.
  ///
  /// - Parameters:
  ///   - name: The list's name.
  ///   - countLimit: The maximum number of texts in the list.
  ///   - limit: The maximum number of characters in a text.
  package func texts(
    _ name: String, countLimit: Int = Limits.filterCount, limit: Int
  ) throws(ServiceError) -> [String]? {
    guard let items = try value(name)?.items(name, limit: countLimit) else { return nil }
    var texts: [String] = []
    for item in items { texts.append(try item.text(name, limit: limit)) }
    return texts.withoutRepetitions()
  }

  /// The filter `custom_types` without duplicates, if given.
  package func customTypes() throws(ServiceError) -> [String]? {
    try texts("custom_types", limit: CustomDataLimits.most.customTypeLength)
  }

  /// A list of user ids without duplicates, if given.
  package func userIDs(
    _ name: String, limit: Int = Limits.filterCount
  ) throws(ServiceError) -> [String]? {
    guard let items = try value(name)?.items(name, limit: limit) else { return nil }
    var ids: [String] = []
    for item in items { ids.append(try item.userID(name)) }
    return ids.withoutRepetitions()
  }

  /// Metadata, if given: texts by name.
  package func metadata(_ name: String = "metadata") throws(ServiceError) -> [String: String]? {
    guard let table = try table(name, limit: limits.metadata.itemCount) else { return nil }
    var items: [String: String] = [:]
    for (key, value) in table {
      try Self.checkKey(key, name, limit: limits.metadata.keyLength)
      items[key] = try value.text(name, limit: limits.metadata.valueLength)
    }
    return items
  }

  /// The `metadata` of a user, if given, within the limit for a user's metadata.
  package func userMetadata() throws(ServiceError) -> [String: String]? {
    guard let items = try metadata() else { return nil }
    let (count, limit) = (items.userByteCount, limits.metadata.userByteCount)
    guard count <= limit else {
      throw .tooLongTogether("metadata", byteCount: count, limit: limit)
    }
    return items
  }

  /// Counters, if given: whole numbers by name.
  package func counters(_ name: String) throws(ServiceError) -> [String: Int64]? {
    guard let table = try table(name, limit: limits.metadata.itemCount) else { return nil }
    var numbers: [String: Int64] = [:]
    for (key, value) in table {
      try Self.checkKey(key, name, limit: limits.metadata.keyLength)
      numbers[key] = try value.integer(name)
    }
    return numbers
  }

  /// Extra data of a message as complete lists, `[{"key": "games", "value": ["soccer"]}]`, if given;
  /// values are in order and without duplicates.
  package func metaArrays(
    _ name: String, within limits: MetaArrayLimits
  ) throws(ServiceError) -> [MetaArray]? {
    guard let nodes = try value(name)?.nodes(name, limit: limits.keyCount) else { return nil }
    var arrays: [MetaArray] = []
    for node in nodes {
      guard node.kind == .object else { throw .notObjects(name) }
      let item = try Fields(node)
      let key = try item.requiredText("key", limit: limits.keyLength)
      guard !arrays.contains(where: { $0.key == key }) else {
        throw .invalid(name, key, expected: "each key once")
      }
      let value = item.value("value")
      let values = try value.map { value throws(ServiceError) in
        try Self.metaArrayValues(value, within: limits)
      }
      arrays.append(MetaArray(key: key, values: values ?? []))
    }
    try arrays.checkByteCount(name, within: limits)
    return arrays
  }

  /// Keys of extra data alone, `["games"]`: at least one, without duplicates.
  package func metaArrayKeys(
    _ name: String, within limits: MetaArrayLimits
  ) throws(ServiceError) -> [String] {
    let keys = try texts(name, countLimit: limits.keyCount, limit: limits.keyLength)
    guard let keys, !keys.isEmpty, !keys.contains("") else { throw .missing(name) }
    return keys
  }

  /// Values of extra data by key, `{"games": ["soccer"]}`: at least one key, in the given order.
  package func metaArrayTable(
    _ name: String, within limits: MetaArrayLimits
  ) throws(ServiceError) -> [MetaArray] {
    var arrays: [MetaArray] = []
    for (key, value) in try table(name, limit: limits.keyCount) ?? [] {
      try Self.checkKey(key, name, limit: limits.keyLength)
      arrays.append(
        MetaArray(key: key, values: try Self.metaArrayValues(value, within: limits)))
    }
    guard !arrays.isEmpty else { throw .missing(name) }
    return arrays
  }

  /// The members of an object that are not `null`, at most `limit`, if the object is given.
  private func table(
    _ name: String, limit: Int
  ) throws(ServiceError) -> [(key: String, value: FieldValue)]? {
    guard let object = try value(name)?.object(name) else { return nil }
    var members: [(key: String, value: FieldValue)] = []
    for (key, value) in object.members where !value.isNull {
      guard members.count < limit else { throw .tooMany(name, limit: limit) }
      members.append((key, .json(value)))
    }
    return members
  }

  private static func metaArrayValues(
    _ value: FieldValue, within limits: MetaArrayLimits
  ) throws(ServiceError) -> [String] {
    let nodes = try value.nodes("value", limit: limits.valueCount) ?? []
    var texts: [String] = []
    for node in nodes {
      texts.append(try FieldValue.json(node).text("value", limit: limits.valueLength))
    }
    return texts.withoutRepetitions()
  }

  /// Refuses a key that is empty, too long or contains U+0000.
  private static func checkKey(_ key: String, _ name: String, limit: Int) throws(ServiceError) {
    guard !key.isEmpty else { throw .missing(name) }
    guard key.unicodeScalars.count <= limit else { throw .tooLong(name, limit: limit) }
    guard !key.utf8.contains(0) else {
      throw .character("\u{0}", in: name, allowed: "all but U+0000")
    }
  }
}

extension [String: String] {
  /// The bytes of all keys and values together.
  package var userByteCount: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
}

extension [String] {
  /// The texts in order of their first occurrence, without duplicates.
  package func withoutRepetitions() -> [String] {
    // For a few texts, comparing is faster than hashing.
    if count < 8 {
      return reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
