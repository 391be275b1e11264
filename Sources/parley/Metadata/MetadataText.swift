internal import ParleyProtocol

/// Metadata, for people.
enum MetadataText {
  static func lines(_ items: JSONNode) -> [String] {
    var fields = FieldList()
    for (key, value) in items.members { fields.add(key, value.string ?? "") }
    let lines = fields.lines()
    return lines.isEmpty ? ["no metadata"] : lines
  }
}
