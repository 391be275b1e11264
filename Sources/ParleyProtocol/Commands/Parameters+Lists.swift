/// Lists, and objects that are used as tables.
extension Parameters {
  /// A list's values, if given, at most `limit` of them.
  package func list(_ name: String, limit: Int) throws(ServiceError) -> [JSONNode]? {
    guard let node = value(name) else { return nil }
    return try Self.list(node, name, limit: limit)
  }

  /// A list of texts, if given.
  ///
  /// - Parameters:
  ///   - name: The parameter's name.
  ///   - countLimit: Texts in the list at most.
  ///   - limit: Characters in a text at most.
  package func texts(
    _ name: String, countLimit: Int, limit: Int
  ) throws(ServiceError) -> [String]? {
    guard let nodes = try list(name, limit: countLimit) else { return nil }
    return try Self.texts(nodes, name, limit: limit)
  }

  /// A list of users' ids, if given, each once.
  package func userIDs(_ name: String, limit: Int) throws(ServiceError) -> [String]? {
    guard let nodes = try list(name, limit: limit) else { return nil }
    var ids: [String] = []
    for node in nodes { ids.append(try Self.userID(node, name)) }
    return ids.withoutRepetitions()
  }

  /// A user's metadata, if given: at most 25 texts by name.
  package func metadata(_ name: String = "metadata") throws(ServiceError) -> [String: String]? {
    guard let node = value(name) else { return nil }
    guard node.kind == .object else { throw .notObject(name) }
    var items: [String: String] = [:]
    for (key, value) in node.members where !value.isNull {
      guard items.count < Limits.metadataItemCount else {
        throw .tooMany(name, limit: Limits.metadataItemCount)
      }
      try Self.checkKey(key, name, limit: Limits.metadataKeyLength)
      items[key] = try Self.text(value, name, limit: Limits.metadataValueLength)
    }
    return items
  }

  static func list(_ node: JSONNode, _ name: String, limit: Int) throws(ServiceError) -> [JSONNode]
  {
    guard node.kind == .array else { throw .notList(name) }
    var nodes: [JSONNode] = []
    for element in node.elements {
      guard nodes.count < limit else { throw .tooMany(name, limit: limit) }
      nodes.append(element)
    }
    return nodes
  }

  static func texts(
    _ nodes: [JSONNode], _ name: String, limit: Int
  ) throws(ServiceError) -> [String] {
    var texts: [String] = []
    for node in nodes { texts.append(try text(node, name, limit: limit)) }
    return texts
  }

  /// Refuses a key that is empty, too long or holds U+0000.
  package static func checkKey(_ key: String, _ name: String, limit: Int) throws(ServiceError) {
    guard !key.isEmpty else { throw .missing(name) }
    guard key.unicodeScalars.count <= limit else { throw .tooLong(name, limit: limit) }
    guard !key.utf8.contains(0) else {
      throw .character("\u{0}", in: name, allowed: "all but U+0000")
    }
  }
}

extension [String: String] {
  /// - Throws: ``ErrorCode/tooLong`` when a user's metadata is longer together than 4,096 bytes.
  package func checkUserByteCount(_ name: String = "metadata") throws(ServiceError) {
    let count = reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    guard count <= Limits.userMetadataByteCount else {
      throw .tooLongTogether(name, byteCount: count, limit: Limits.userMetadataByteCount)
    }
  }
}

extension [String] {
  /// The texts in order, each where it came first.
  package func withoutRepetitions() -> [String] {
    // Comparing is faster than hashing until there are a few.
    if count < 8 {
      return reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
