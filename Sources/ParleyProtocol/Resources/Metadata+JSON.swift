extension [String: String] {
  /// Reads an object of texts, such as a user's metadata; `nil` for anything else.
  package init?(json: JSONNode) {
    guard json.kind == .object else { return nil }
    self.init()
    for (name, value) in json.members {
      guard let text = value.string else { return nil }
      self[name] = text
    }
  }

  /// Writes an object of texts, by name, so that equal values are equal bytes.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      for (name, text) in sorted(by: { $0.key < $1.key }) {
        $0.name(escaping: name)
        $0.value(text)
      }
    }
  }
}
