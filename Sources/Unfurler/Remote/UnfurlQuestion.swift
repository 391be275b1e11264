package import LinkPreview
import ParleyProtocol

/// The question to a preview service: the body of `POST`.
///
///     {"url": "https://…", "timeout_ms": 5000}
package struct UnfurlQuestion: Sendable, Hashable {
  /// The page that is asked about.
  package let link: Link
  /// How long the answer may take, in milliseconds within ``timeouts``; `nil` leaves it to the
  /// service.
  package let timeout: Int64?

  /// The times that may be asked for, in milliseconds.
  package static let timeouts: ClosedRange<Int64> = 1...30_000
  /// The longest body that is taken, in bytes.
  package static let maximumBytes = 16_384

  /// Makes a question about a page.
  ///
  /// - Parameter timeout: Milliseconds; brought into ``timeouts``.
  package init(_ link: Link, timeout: Int64? = nil) {
    self.link = link
    self.timeout = timeout.map { min(max($0, Self.timeouts.lowerBound), Self.timeouts.upperBound) }
  }

  /// Reads a question.
  ///
  /// - Throws: ``UnfurlQuestionError`` naming the member that is missing or wrong.
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

  /// The question as JSON.
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

/// A question that cannot be understood, and what is wrong with it, in words.
package struct UnfurlQuestionError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
