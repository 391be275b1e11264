internal import ParleyProtocol

/// Durations, for people.
enum Milliseconds {
  /// A number of microseconds as milliseconds.
  static func text(_ node: JSONNode?) -> String {
    guard let microseconds = node?.integer, microseconds > 0 else { return "0 ms" }
    guard microseconds < 10_000 else { return "\(microseconds / 1000) ms" }
    return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }
}
