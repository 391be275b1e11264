/// A row of the load display: figures under one name.
struct LoadRow {
  /// A figure with its name.
  struct Cell {
    let name: String
    let value: String
    /// Whether the figure needs an operator's attention.
    var isBad = false

    var text: String { "\(name) \(value)" + (isBad ? "!" : "") }
  }

  private static let nameWidth = 12
  private static let gap = "   "

  let name: String
  let cells: [Cell]

  /// Returns the row as lines that fit into a width; remaining figures continue on further lines.
  func lines(width: Int, style: TextStyle) -> [String] {
    let room = max(1, width - Self.nameWidth)
    var lines: [[String]] = [[]]
    var used = 0
    for cell in cells {
      let text = DisplayWidth.fit(cell.text, into: room)
      let needed = DisplayWidth.of(text) + (used == 0 ? 0 : Self.gap.count)
      if used > 0, used + needed > room {
        lines.append([])
        used = 0
      }
      used += used == 0 ? DisplayWidth.of(text) : needed
      lines[lines.count - 1].append(cell.isBad ? style.red(text) : text)
    }
    return lines.enumerated().map { index, texts in
      (index == 0 ? name : "").padding(to: Self.nameWidth) + texts.joined(separator: Self.gap)
    }
  }
}

/// The course of some figures over the last minute.
struct LoadHistory {
  /// The length of the history in seconds.
  private static let span = 60.0
  private static let longest = 30
  private static let bars = Array("▁▂▃▄▅▆▇█")

  private var loads: [(seconds: Double, messages: Double, deliveries: Double)] = []

  /// Adds an interval, and removes those before the last minute.
  mutating func add(_ load: GatewayLoad) {
    loads.append(
      (
        load.seconds, load.rate("parley_messages_total", where: "outcome", is: "accepted"),
        load.rate("parley_deliveries_total")
      ))
    while loads.count > 1,
      loads.count > Self.longest || loads.reduce(0, { $0 + $1.seconds }) > Self.span
    {
      loads.removeFirst()
    }
  }

  /// The history as cells of a row.
  var cells: [LoadRow.Cell] {
    [
      Self.cell("messages/s", loads.map(\.messages)),
      Self.cell("deliveries/s", loads.map(\.deliveries)),
    ]
  }

  private static func cell(_ name: String, _ values: [Double]) -> LoadRow.Cell {
    let peak = values.max() ?? 0
    return LoadRow.Cell(
      name: name, value: "\(course(values, peak: peak)) peak \(LoadText.fixed(peak, digits: 1))")
  }

  /// Returns one bar for each value, the tallest for the peak.
  static func course(_ values: [Double], peak: Double) -> String {
    String(
      values.map { value in
        guard peak > 0, value.isFinite else { return bars[0] }
        let top = Double(bars.count - 1)
        return bars[Int(min(max(0, value / peak * top), top).rounded())]
      })
  }
}
