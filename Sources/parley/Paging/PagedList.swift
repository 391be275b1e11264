internal import ParleyProtocol

/// A list of the Platform API, and how it looks to people.
struct PagedList {
  /// Where it is, from the root.
  let path: String
  /// What selects among its elements.
  let query: [(String, String)]
  /// The member of an answer that has the elements.
  let member: String
  /// What is said of a list without elements.
  let whenEmpty: String
  /// The lines for the elements of the next page.
  let lines: ([JSONNode]) -> [String]

  init(
    _ path: String, query: [(String, String)] = [], member: String, whenEmpty: String,
    lines: @escaping ([JSONNode]) -> [String]
  ) {
    self.path = path
    self.query = query
    self.member = member
    self.whenEmpty = whenEmpty
    self.lines = lines
  }

  /// A list that is shown as a table.
  init(
    _ path: String, query: [(String, String)] = [], member: String, whenEmpty: String,
    columns: [TextTable.Column], row: @escaping (JSONNode) -> [String]
  ) {
    var table = TextTable(columns)
    self.init(path, query: query, member: member, whenEmpty: whenEmpty) { elements in
      for element in elements { table.add(row(element)) }
      return table.takeLines()
    }
  }
}
