internal import Bytes
internal import ParleyProtocol

/// What holds for a user in a channel, for people.
enum LimitExplanationText {
  static func lines(_ explanation: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("user", explanation.text("user_id") + role(explanation))
    fields.add("channel", explanation.text("channel_url"))
    fields.add("flood", flood(explanation["flood"]))
    if let changes = explanation["changes"] { fields.add("changes", flood(changes)) }
    fields.add("throttle", throttle(explanation["throttle"]))
    return fields.lines() + verdict(explanation.list("refusals"))
  }

  private static func role(_ explanation: JSONNode) -> String {
    explanation.isTrue("is_operator") ? ", an operator" : ""
  }

  private static func flood(_ window: JSONNode?) -> String {
    guard let window else { return "" }
    return limit(window, count: "\(window.number("used")) used")
  }

  private static func throttle(_ window: JSONNode?) -> String {
    guard let window else { return "" }
    let withheld = window["withheld"]?.integer ?? 0
    let count = "\(window.number("shown")) shown"
    return limit(window, count: withheld > 0 ? "\(count), \(withheld) withheld since told" : count)
  }

  private static func limit(_ window: JSONNode, count: String) -> String {
    let source = window.text("source").replacing("_", with: " ")
    let exemption = window.text("exemption")
    let exempt = exemption.isEmpty ? "" : "; does not hold: \(exemption)"
    return "\(LimitsText.text(window)), by \(source); \(count)\(exempt)"
  }

  /// One line for each reason, the first being what the sender would be told.
  private static func verdict(_ refusals: [JSONNode]) -> [String] {
    guard !refusals.isEmpty else { return ["a message would pass"] }
    return refusals.map { DisplayText.shortened("would be refused: \(reason($0))", limit: 2_500) }
  }

  private static func reason(_ refusal: JSONNode) -> String {
    var text = "\(refusal.text("message")) (\(refusal.number("code")))"
    let end = refusal.time("end_at")
    if !end.isEmpty { text += ", until \(end)" }
    let description = refusal.text("description")
    if !description.isEmpty { text += ": \(description)" }
    return text
  }
}
