internal import ParleyProtocol

/// Durations, for people.
enum Milliseconds {
  /// A number of microseconds as milliseconds.
  static func text(_ node: JSONNode?) -> String {
    guard let microseconds = node?.integer, microseconds > 0 else { return "0 ms" }
    guard microseconds < 10_000 else { return "\(microseconds / 1000) ms" }
    return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }

  /// A length of time by its two largest units: `3 d 4 h`.
  static func inWords(_ milliseconds: Int64) -> String {
    let seconds = max(0, milliseconds) / 1000
    let parts = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"),
      (seconds % 60, "s"),
    ]
    let known = parts.drop { $0.0 == 0 }.prefix(2)
    return known.isEmpty ? "0 s" : known.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
