import HTTP1
import ParleyProtocol

/// The query's parameters, checked; an empty one counts as absent.
extension PlatformRequest {
  /// A text of at most `limit` characters, if given.
  func text(_ name: String, limit: Int) throws(ServiceError) -> String? {
    guard let text = query[name], !text.isEmpty else { return nil }
    try check(text, name, limit: limit)
    return text
  }

  /// `true` or `false`, if given.
  func boolean(_ name: String) throws(ServiceError) -> Bool? {
    guard let text = query[name], !text.isEmpty else { return nil }
    switch text.lowercased() {
    case "true": return true
    case "false": return false
    default: throw .notBoolean(name)
    }
  }

  /// A whole number in `range`, if given.
  func number(_ name: String, in range: ClosedRange<Int64>) throws(ServiceError) -> Int64? {
    guard let text = query[name], !text.isEmpty else { return nil }
    guard let number = Int64(text) else { throw .notNumber(name) }
    guard number >= 0 || range.lowerBound < 0 else { throw .negative(name, number) }
    guard range.contains(number) else { throw .outOfRange(name, number, range) }
    return number
  }

  /// Texts between commas, each of at most `limit` characters; empty when not given.
  func texts(_ name: String, limit: Int) throws(ServiceError) -> [String] {
    let texts = try parts(name)
    for text in texts { try check(text, name, limit: limit) }
    return texts.withoutRepetitions()
  }

  /// A user's id, if given.
  func userID(_ name: String) throws(ServiceError) -> String? {
    guard let id = query[name], !id.isEmpty else { return nil }
    try UserID.check(id, name)
    return id
  }

  /// Users' ids between commas; empty when not given.
  func userIDs(_ name: String) throws(ServiceError) -> [String] {
    let ids = try parts(name)
    for id in ids { try UserID.check(id, name) }
    return ids.withoutRepetitions()
  }

  /// One of the names of a set of choices, if given.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of: Choice.Type
  ) throws(ServiceError) -> Choice? where Choice.RawValue == String {
    guard let text = query[name], !text.isEmpty else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let expected = Choice.allCases.map(\.rawValue).joined(separator: " or ")
      throw .invalid(name, text, expected: expected)
    }
    return choice
  }

  /// `limit`: the items of a page.
  func pageSize() throws(ServiceError) -> Int {
    Int(try number("limit", in: Limits.pageSizes) ?? Limits.defaultPageSize)
  }

  /// `token`: where the page before ended.
  func pageToken() throws(ServiceError) -> String? {
    try text("token", limit: Limits.pageTokenLength)
  }

  private func parts(_ name: String) throws(ServiceError) -> [String] {
    let parts = (query[name] ?? "").split(separator: ",").map(String.init)
    guard parts.count <= Limits.filterCount else {
      throw .tooMany(name, limit: Limits.filterCount)
    }
    return parts
  }

  private func check(_ text: String, _ name: String, limit: Int) throws(ServiceError) {
    guard text.unicodeScalars.count <= limit else { throw .tooLong(name, limit: limit) }
    guard !text.utf8.contains(0) else {
      throw .character("\u{0}", in: name, allowed: "all but U+0000")
    }
  }
}
