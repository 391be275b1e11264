internal import ParleyProtocol

/// Limits, for people.
enum LimitsText {
  static func lines(_ limits: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("flood", text(limits["flood"]) + ": what a user gets through to a channel")
    fields.add("throttle", text(limits["throttle"]) + ": what a participant is shown of others")
    return fields.lines()
  }

  /// One limit in words.
  static func text(_ limit: JSONNode?) -> String {
    guard let messages = limit?["messages"]?.integer, let window = limit?["window_ms"]?.integer
    else { return "?" }
    guard messages > 0, window > 0 else { return "off" }
    return "\(messages) in \(window) ms"
  }
}
