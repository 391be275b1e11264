extension MetaArray {
  /// Writes one key with its values, `{"key":"games","value":["soccer"]}`.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("key", key)
      $0.member("value", values)
    }
  }

  /// Reads one key with its values.
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

  /// Reads a message's extra data.
  package init(json: JSONNode) throws(ResourceError) {
    guard json.kind == .array else {
      throw ResourceError("message", member: "sorted_metaarray")
    }
    self.init()
    for element in json.elements { append(try MetaArray(json: element)) }
  }
}
