/// The colours of a page; each is readable on its background (4.5:1 or more).
struct ReportPalette: Sendable {
  /// The names of the style variables and the colours in six digits.
  let colours: [(name: String, colour: String)]

  static let light = ReportPalette(colours: [
    ("back", "#ffffff"), ("text", "#111111"), ("faint", "#555555"), ("good", "#047857"),
    ("bad", "#b91c1c"), ("c0", "#1d4ed8"), ("c1", "#b91c1c"), ("c2", "#047857"),
    ("c3", "#7e22ce"), ("c4", "#b45309"),
  ])
  static let dark = ReportPalette(colours: [
    ("back", "#151515"), ("text", "#eeeeee"), ("faint", "#aaaaaa"), ("good", "#4ade80"),
    ("bad", "#ff8a8a"), ("c0", "#7aa2ff"), ("c1", "#ff8a8a"), ("c2", "#4ade80"),
    ("c3", "#c99cff"), ("c4", "#fbbf24"),
  ])

  /// The number of colours for lines.
  static let lineCount = 5

  var style: String { colours.map { "--\($0.name):\($0.colour)" }.joined(separator: ";") }
}
