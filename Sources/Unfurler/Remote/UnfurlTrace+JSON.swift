import Basics
import LinkPreview
package import ParleyProtocol

/// A trace as JSON; what there is not is left out. Durations are microseconds, `*_us`.
extension UnfurlTrace {
  /// More parts of a page than a preview has members.
  private static let maximumOrigins = 32
  private static let maximumTextLength = 500

  /// Writes the trace.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("requests", array: { for request in requests { request.encode(into: &$0) } })
      $0.member("origins", array: { for origin in origins { origin.encode(into: &$0) } })
      $0.member("character_set", ifKnown: characterSet)
      $0.member("emptiness", ifKnown: emptiness)
    }
  }

  /// Reads a trace, passing over what is not as expected, and cutting what is too much.
  init(json: JSONNode) {
    self.init()
    requests = json.list("requests", limit: Self.maximumRequests, RequestTrace.init(json:))
    origins = json.list("origins", limit: Self.maximumOrigins, PreviewOrigin.init(json:))
    characterSet = json["character_set"]?.cleanText(limit: Self.maximumTextLength)
    emptiness = json["emptiness"]?.cleanText(limit: Self.maximumTextLength)
  }
}

extension PreviewOrigin {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("member", member)
      $0.member("source", source)
    }
  }

  fileprivate init?(json: JSONNode) {
    guard let member = json["member"]?.cleanText(limit: 64),
      let source = json["source"]?.cleanText(limit: 256)
    else { return nil }
    self.init(member: member, source: source)
  }
}

extension JSONNode {
  /// A member's first values that can be read.
  fileprivate func list<Value>(
    _ name: String, limit: Int, _ read: (JSONNode) -> Value?
  ) -> [Value] {
    guard let elements = self[name]?.elements else { return [] }
    return elements.prefix(limit).compactMap(read)
  }

  /// A string's text for people; `nil` when nothing of it is left.
  func cleanText(limit: Int) -> String? {
    guard let text = string.map({ DisplayText.line($0, limit: limit) }), !text.isEmpty else {
      return nil
    }
    return text
  }
}
