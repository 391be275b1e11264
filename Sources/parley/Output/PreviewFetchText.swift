internal import Basics
internal import ParleyProtocol

/// Formats a fetched preview as text.
enum PreviewFetchText {
  static func lines(of answer: JSONNode) -> [String] {
    var lines = [DisplayText.shortened(answer["url"]?.string ?? "")]
    if let name = answer["site_name"]?.string, !name.isEmpty {
      lines.append("  site: \(shown(name))")
    }
    if let tag = answer["og_tag"] {
      for (name, value) in tag.members {
        guard let text = value.string ?? value["url"]?.string else { continue }
        lines.append("  \(name): \(shown(text))")
      }
    }
    if let problem = answer["problem"]?.string, !problem.isEmpty {
      lines.append("  problem: \(shown(problem))")
    } else if answer["og_tag"] == nil {
      lines.append("  the page offers no preview")
    }
    if answer["cached"]?.bool == true { lines.append("  from the cache") }
    return lines
  }

  private static func shown(_ text: String) -> String { DisplayText.shortened(text, limit: 100) }
}
