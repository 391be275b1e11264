package import LinkPreview
import ParleyProtocol

/// A query to a preview service: the body of `POST`.
///
///     {"url": "https://…", "timeout_ms": 5000}
package struct UnfurlQuestion: Sendable, Hashable {
  /// The page to look up.
  package let link: Link
  /// The time limit of the answer, in milliseconds within ``timeouts``; `nil` uses the service's
  /// default.
  package let timeout: Int64?

  /// The allowed time limits, in milliseconds.
  package static let timeouts: ClosedRange<Int64> = 1...30_000
  /// The maximum body size to accept, in bytes.
  package static let maximumBytes = 16_384

  /// Creates a query about a page.
  ///
  /// - Parameter timeout: Milliseconds; clamped to ``timeouts``.
  package init(_ link: Link, timeout: Int64? = nil) {
    self.link = link
    self.timeout = timeout.map { min(max($0, Self.timeouts.lowerBound), Self.timeouts.upperBound) }
  }

  /// Parses a query.
  ///
  /// - Throws: ``UnfurlQuestionError`` with the name of the missing or invalid member.
  package init(json: [UInt8]) throws(UnfurlQuestionError) {
    let root = try Self.object(json)
    guard let url = root.present("url") else { throw .init("url: a link is required") }
    guard let text = url.string else { throw .init("url: expected a string") }
    guard let link = Link(text) else {
      throw .init("url: expected an absolute http or https URL, without userinfo")
    }
    self.link = link
    timeout = try Self.timeout(root.present("timeout_ms"))
  }

  /// The query as JSON.
  package var json: [UInt8] {
    JSONWriter.bytes { writer in
      writer.object {
        $0.member("url", link.url)
        if let timeout { $0.member("timeout_ms", timeout) }
      }
    }
  }

  private static func object(_ json: [UInt8]) throws(UnfurlQuestionError) -> JSONNode {
    let limits = JSONLimits(byteCount: maximumBytes, depth: 8, nodeCount: 1_000)
    do throws(JSONError) {
      let root = try JSONDocument(json, limits: limits).root
      guard root.kind == .object else { throw JSONError(.syntax, at: 0, "an object is expected") }
      return root
    } catch {
      throw .init("the body is not a JSON object: \(error)")
    }
  }

  private static func timeout(_ node: JSONNode?) throws(UnfurlQuestionError) -> Int64? {
    guard let node else { return nil }
    guard let value = node.integer, timeouts.contains(value) else {
      throw .init(
        "timeout_ms: expected a whole number from \(timeouts.lowerBound) to \(timeouts.upperBound)")
    }
    return value
  }
}

/// An invalid query, with the problem as text.
package struct UnfurlQuestionError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
