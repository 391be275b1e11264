internal import Bytes

/// Names with values below each other, for people.
struct FieldList {
  private var fields: [(name: String, value: String)] = []

  /// Adds a field, cleaned, unless it is empty.
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
