/// How deep inside `<!--` and `<script` a script is (HTML §13.2.5.15–32).
///
///     plain ──"<!--"──▶ escaped ──"<script"──▶ doubleEscaped
///       ◀─────"-->"──────┘  ◀─────"</script"──────┘
///
/// In a script that is escaped twice, `</script>` does not end the element.
struct ScriptEscape {
  enum Phase { case plain, escaped, doubleEscaped }

  private(set) var phase = Phase.plain
  private var dashes = 0

  /// `<!--` was read; its own dashes count towards a `-->`.
  mutating func begin() {
    phase = .escaped
    dashes = 2
  }

  /// A name after `<` was read in the escaped phase.
  mutating func receiveStart(of name: PackedName) {
    if name == Self.scriptName { phase = .doubleEscaped }
  }

  /// A name after `</` was read in the double escaped phase.
  mutating func receiveEnd(of name: PackedName) {
    if name == Self.scriptName { phase = .escaped }
  }

  /// A byte of the script's text.
  mutating func receive(_ byte: UInt8) {
    guard phase != .plain else { return }
    if byte == UInt8(ascii: "-") {
      dashes = min(2, dashes + 1)
    } else {
      if byte == UInt8(ascii: ">"), dashes == 2 { phase = .plain }
      dashes = 0
    }
  }

  private static let scriptName = PackedName("script")
}
