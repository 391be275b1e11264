internal import ParleyProtocol

/// Counters, for people.
enum MetacounterText {
  static func lines(_ counters: JSONNode) -> [String] {
    var fields = FieldList()
    for (key, number) in counters.members { fields.add(key, number.integer.map { String($0) }) }
    let lines = fields.lines()
    return lines.isEmpty ? ["no counters"] : lines
  }
}
