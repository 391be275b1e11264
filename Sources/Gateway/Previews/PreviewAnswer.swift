import LinkPreview
import ParleyProtocol
import Unfurler

extension PreviewOutcome {
  /// Writes the result of `preview.fetch`.
  ///
  /// - Parameter timeout: The time limit of the fetch, in milliseconds.
  func encode(of link: Link, within timeout: Int64, into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", link.url)
      $0.name("og_tag")
      if let tag = tag?.fitted(toBytes: Limits.previewByteCount) {
        tag.encode(into: &$0)
      } else {
        $0.null()
      }
      $0.member("site_name", orNull: siteName)
      $0.member("cached", isCached)
      $0.name("problem")
      if let problem {
        $0.object {
          $0.member("kind", problem.kind.rawValue)
          $0.member("message", problem.message(within: timeout))
        }
      } else {
        $0.null()
      }
    }
  }
}

extension PreviewProblem {
  /// The failure as clients may see it.
  ///
  /// The reason could reveal the content of an address that only this server can reach.
  fileprivate func message(within timeout: Int64) -> String {
    switch kind {
    case .cancelled: "the fetch was cancelled"
    case .failed: "the page could not be fetched"
    case .timedOut: "no answer within \(timeout) ms"
    case .unknown: "the page could not be looked up"
    }
  }
}

extension Link {
  /// The link that a caller requests: a URL, or a bare name as in a message.
  ///
  /// - Throws: 400111 for any other text.
  init(requested text: String) throws(ServiceError) {
    guard let link = Link(text) ?? Self.named(text) else {
      throw .invalid("url", text, expected: "an http or https URL of at most 2,048 bytes")
    }
    self = link
  }

  /// The link of a text that is only a bare name with its path.
  private static func named(_ text: String) -> Link? {
    guard let link = Link("http://\(text)"), LinkFinder.firstLink(in: text) == link else {
      return nil
    }
    return link
  }
}

extension GatewayServices {
  /// The previews, for a client that requests one.
  ///
  /// - Throws: 400111 when previews are off.
  func previewsForClients() throws(ServiceError) -> PreviewService {
    guard let previews else {
      throw ServiceError(
        .invalidValue, "previews are turned off: unfurl.mode is off", field: "url")
    }
    return previews
  }
}
