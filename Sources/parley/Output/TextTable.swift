internal import Basics

/// Formats rows in aligned columns.
struct TextTable {
  /// The alignment of a cell in its column.
  enum Alignment {
    case leading
    case trailing
  }

  /// A column's heading and alignment.
  struct Column {
    let title: String
    let alignment: Alignment

    /// A column of texts.
    static func text(_ title: String) -> Column { Column(title: title, alignment: .leading) }
    /// A column of numbers.
    static func number(_ title: String) -> Column { Column(title: title, alignment: .trailing) }
  }

  /// The maximum displayed width of a cell.
  private static let cellWidth = 60
  private static let gap = "  "

  private let columns: [Column]
  private var rows: [[String]] = []
  /// The width of the widest cell so far; empty before the first output.
  private var widths: [Int] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row; control characters are removed from its cells.
  mutating func add(_ cells: [String]) {
    rows.append(cells.map { DisplayWidth.fit(DisplayText.shortened($0), into: Self.cellWidth) })
  }

  /// Returns the heading and the rows, or one line for an empty table.
  func lines(whenEmpty: String, style: TextStyle = .standard) -> [String] {
    var table = self
    let lines = table.takeLines(style: style)
    return lines.isEmpty ? [whenEmpty] : lines
  }

  /// Returns the rows added since the last call, the first ones with the heading; none without rows.
  ///
  /// In a table shown in parts, columns never become narrower.
  mutating func takeLines(style: TextStyle = .standard) -> [String] {
    guard !rows.isEmpty else { return [] }
    let titles = columns.map { $0.title.uppercased() }
    let isFirst = widths.isEmpty
    if isFirst { widths = titles.map(DisplayWidth.of) }
    widths = columns.indices.map { index in
      rows.reduce(widths[index]) {
        max($0, index < $1.count ? DisplayWidth.of($1[index]) : 0)
      }
    }
    defer { rows = [] }
    return (isFirst ? [style.bold(line(titles))] : []) + rows.map { line($0) }
  }

  private func line(_ cells: [String]) -> String {
    let padded = zip(cells, widths).enumerated().map { index, pair in
      let (cell, width) = pair
      let space = String(repeating: " ", count: max(0, width - DisplayWidth.of(cell)))
      return columns[index].alignment == .leading ? cell + space : space + cell
    }
    let line = padded.joined(separator: Self.gap)
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}

/// Formats names and values in aligned lines.
struct FieldList {
  private var fields: [(name: String, value: String)] = []

  /// Adds a field with control characters removed, unless it is empty.
  mutating func add(_ name: String, _ value: String?) {
    guard let value, !value.isEmpty else { return }
    fields.append(
      (DisplayText.shortened(name, limit: 40), DisplayText.shortened(value, limit: 1_000)))
  }

  func lines(style: TextStyle = .standard) -> [String] {
    let width = (fields.map { DisplayWidth.of($0.name) }.max() ?? 0) + 2
    return fields.map { style.dim($0.name.padding(to: width)) + $0.value }
  }
}
