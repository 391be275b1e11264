internal import Basics
internal import ParleyProtocol
internal import Reactor

/// Formats the explanation of a preview as text.
struct PreviewExplanationText {
  let explanation: JSONNode

  var lines: [String] {
    let sections = [[heading], members, requests, [cached]]
    return Array(sections.filter { !$0.isEmpty }.joined(separator: [""]))
  }

  private var requests: [String] {
    var lines = elements("requests").flatMap { self.lines(ofRequest: $0) }
    if let set = explanation["trace"]?["character_set"]?.string {
      lines.append("character set: \(DisplayText.shortened(set))")
    }
    return lines
  }

  private var heading: String {
    let time = Milliseconds.text(explanation["duration_us"])
    let url = DisplayText.shortened(explanation["url"]?.string ?? "")
    guard explanation["og_tag"] == nil else { return "\(url): a preview, after \(time)" }
    let problem = DisplayText.shortened(explanation["problem"]?.string ?? "")
    return "\(url): no preview, after \(time): \(problem)"
  }

  /// Each member with its value and its source.
  private var members: [String] {
    guard let tag = explanation["og_tag"] else { return [] }
    let sources = Dictionary(
      elements("origins").map { ($0["member"]?.string ?? "", $0["source"]?.string ?? "") },
      uniquingKeysWith: { first, _ in first })
    return tag.members.flatMap { name, value -> [String] in
      guard let text = value.string ?? value["url"]?.string else { return [] }
      let label = name.padding(to: 16)
      let source = sources[name].map { "\("".padding(to: 18))from \(DisplayText.shortened($0))" }
      return ["  \(label)\(DisplayText.shortened(text, limit: 100))"] + [source].compactMap { $0 }
    }
  }

  private func lines(ofRequest request: JSONNode) -> [String] {
    let status = request["status"]?.integer.map { String($0) } ?? "no answer"
    let type = request["content_type"]?.string.map { ", \($0)" } ?? ""
    let address = request["address"]?.string.map { " from \($0)" } ?? ""
    let steps = [
      ("waiting", "waiting_us"), ("name", "name_lookup_us"), ("connect", "connect_us"),
      ("TLS", "tls_handshake_us"), ("first byte", "first_byte_us"), ("total", "total_us"),
    ]
    let times = steps.map { "\($0) \(Milliseconds.text(request[$1]))" }.joined(separator: ", ")
    return [
      "GET \(DisplayText.shortened(request["url"]?.string ?? ""))",
      "    \(DisplayText.shortened(status + type + address)), \(request["byte_count"]?.integer ?? 0) bytes: "
        + DisplayText.shortened(request["ending"]?.string ?? ""),
      "    \(times)",
    ]
  }

  private var cached: String {
    guard let cached = explanation["cached"], let until = cached["expires_at"]?.integer else {
      return "not cached before"
    }
    let what = cached["og_tag"] == nil ? "a failure" : "a preview"
    return "cached before: \(what), valid until \(UnixTime.text(until))"
  }

  private func elements(_ name: String) -> [JSONNode] {
    explanation["trace"]?[name].map { Array($0.elements) } ?? []
  }
}
