/// The extra data of messages, in the three forms that requests give it.
extension Parameters {
  /// Whole lists, `[{"key": "games", "value": ["soccer"]}]`, if given; values each once, in order.
  package func metaArrays(_ name: String) throws(ServiceError) -> [MetaArray]? {
    guard let nodes = try list(name, limit: Limits.metaArrayKeyCount) else { return nil }
    var arrays: [MetaArray] = []
    for node in nodes {
      guard node.kind == .object else { throw .notObject(name) }
      let item = try Parameters(node)
      let key = try item.requiredText("key", limit: Limits.metaArrayKeyLength)
      guard !arrays.contains(where: { $0.key == key }) else {
        throw .invalid(name, key, expected: "each key once")
      }
      let values = try item.value("value").map(Self.metaArrayValues) ?? []
      arrays.append(MetaArray(key: key, values: values))
    }
    try arrays.checkByteCount(name)
    return arrays
  }

  /// Keys alone, `["games"]`: 1 to 10, each once.
  package func metaArrayKeys(_ name: String) throws(ServiceError) -> [String] {
    let nodes = try Self.list(required(name), name, limit: Limits.metaArrayKeyCount)
    guard !nodes.isEmpty else { throw .missing(name) }
    let keys = try Self.texts(nodes, name, limit: Limits.metaArrayKeyLength)
    guard !keys.contains("") else { throw .missing(name) }
    return keys.withoutRepetitions()
  }

  /// Values by key, `{"games": ["soccer"]}`: 1 to 10 keys, in the order given.
  package func metaArrayTable(_ name: String) throws(ServiceError) -> [MetaArray] {
    let node = try required(name)
    guard node.kind == .object else { throw .notObject(name) }
    var arrays: [MetaArray] = []
    for (key, value) in node.members where !value.isNull {
      guard arrays.count < Limits.metaArrayKeyCount else {
        throw .tooMany(name, limit: Limits.metaArrayKeyCount)
      }
      try Self.checkKey(key, name, limit: Limits.metaArrayKeyLength)
      arrays.append(MetaArray(key: key, values: try Self.metaArrayValues(value)))
    }
    guard !arrays.isEmpty else { throw .missing(name) }
    return arrays
  }

  private static func metaArrayValues(_ node: JSONNode) throws(ServiceError) -> [String] {
    let nodes = try list(node, "value", limit: Limits.metaArrayValueCount)
    return try texts(nodes, "value", limit: Limits.metaArrayValueLength).withoutRepetitions()
  }
}
