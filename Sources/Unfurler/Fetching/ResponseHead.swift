import Basics
import Curl
import LinkPreview

/// The head of a response, as far as previews care, and what it means for the body.
struct ResponseHead {
  var status: Int
  var contentTypes: [String]
  var location: String?

  /// The treatment of the body.
  enum Verdict: Hashable {
    case read(contentType: String)
    case redirect(to: String)
    /// It is not read; why, in words.
    case decline(String)
    /// It says nothing about the page, which may be as it was; why, in words.
    case fail(String)
  }

  /// - Parameter accepts: Whether a content type is one that was asked for.
  /// - Parameter wanted: The types that were asked for, in words.
  func verdict(wanted: String, accepts: (String) -> Bool) -> Verdict {
    if [301, 302, 303, 307, 308].contains(status) {
      return location.map { .redirect(to: $0) }
        ?? .decline("status \(status) without a Location to go to")
    }
    guard (200...299).contains(status) else {
      let reason = "the server answered with status \(status)"
      return isPassing ? .fail(reason) : .decline(reason)
    }
    guard let first = contentTypes.first, let last = contentTypes.last else {
      return .decline("the response has no content type")
    }
    guard contentTypes.allSatisfy({ Self.essence($0) == Self.essence(first) }) else {
      let types = contentTypes.map { DisplayText.quoted(Self.essence($0), limit: 128) }
      return .decline("the response has several content types: \(types.joined(separator: ", "))")
    }
    guard accepts(first) else {
      return .decline(
        "the content type is \(DisplayText.quoted(Self.essence(first), limit: 128)), not \(wanted)")
    }
    return .read(contentType: last)
  }

  /// Whether the status reports a problem of the server, not of the page.
  private var isPassing: Bool { status >= 500 || status == 429 }

  /// A media type without its parameters, in lower case.
  static func essence(_ contentType: String) -> String {
    let type = contentType.prefix { $0 != ";" }
    return type.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
  }
}

extension ResponseHead {
  init(_ easy: CurlEasy) {
    self.init(
      status: easy.status ?? 0, contentTypes: easy.fields("content-type"),
      location: easy.fields("location").first)
  }
}
