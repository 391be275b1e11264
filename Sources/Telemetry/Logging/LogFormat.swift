/// The shape of a logged line.
package enum LogFormat: String, Sendable, CaseIterable {
  /// For people: time, level, label, message, then metadata as `key=value`.
  case text
  /// For machines: one JSON object per line.
  case json
}
