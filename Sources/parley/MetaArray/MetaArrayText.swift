internal import ParleyProtocol

/// A message's extra data, for people.
enum MetaArrayText {
  static func lines(_ answer: JSONNode) -> [String] {
    var fields = FieldList()
    for list in answer.list("sorted_metaarray") {
      fields.add(list.text("key"), list.list("value").compactMap(\.string).joined(separator: ", "))
    }
    let lines = fields.lines()
    return lines.isEmpty ? ["no extra data"] : lines
  }
}
