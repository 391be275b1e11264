import ParleyProtocol

extension UnfurlAnswer {
  /// Enough for the longest trace, and far from what would cost much to read.
  private static let limits = JSONLimits(byteCount: maximumBytes, depth: 16, nodeCount: 8_000)

  /// Parses the answer and cleans its texts.
  ///
  /// - Throws: ``UnfurlAnswerError`` when this is no answer of the protocol's.
  package func report() throws(UnfurlAnswerError) -> UnfurlReport {
    guard status == 200 || (400...599).contains(status) else {
      throw .init("it answered with status \(status)")
    }
    let root = try object()
    let outcome = try outcome(root)
    let trace = root.present("trace").map(UnfurlTrace.init(json:))
    return UnfurlReport(outcome, freshness: freshness(of: outcome), trace: trace ?? UnfurlTrace())
  }

  private func object() throws(UnfurlAnswerError) -> JSONNode {
    do throws(JSONError) {
      let root = try JSONDocument(body, limits: Self.limits).root
      if root.kind == .object { return root }
    } catch {
      throw .init("its answer with status \(status) is not JSON: \(error)")
    }
    throw .init("its answer with status \(status) is not a JSON object")
  }

  private func outcome(
    _ root: JSONNode
  ) throws(UnfurlAnswerError) -> Result<OpenGraphTag?, UnfurlError> {
    guard status == 200 else {
      guard let error = UnfurlError(json: root) else {
        throw .init("its answer with status \(status) has no member error of the protocol's")
      }
      return .failure(error)
    }
    switch root["og_tag"] {
    case let tag? where tag.isNull: return .success(nil)
    case let tag? where tag.kind == .object:
      return .success(OpenGraphTag(json: tag)?.cleaned)
    default: throw .init("its answer has no member og_tag that is an object or null")
    }
  }

  private func freshness(of outcome: Result<OpenGraphTag?, UnfurlError>) -> Freshness {
    switch outcome {
    // A cancelled look-up says nothing about the page.
    case .failure(.cancelled): .unkept
    case .failure: Freshness(serviceCacheControl: cacheControl, isFailure: true)
    case .success: Freshness(serviceCacheControl: cacheControl, isFailure: false)
    }
  }
}

/// An answer that is none of the protocol's, and why, in words.
package struct UnfurlAnswerError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
