import Basics
import CCurl
import Curl
import LinkPreview

/// The parts of a response's head relevant for previews, and their meaning for the body.
struct ResponseHead {
  var status: Int
  var contentTypes: [String]
  var location: String?

  /// The handling of the body.
  enum Verdict: Hashable {
    case read(contentType: String)
    case redirect(to: String)
    /// The body is not read; the text has the reason.
    case decline(String)
    /// The response is unrelated to the page, which may be unchanged; the text has the reason.
    case fail(String)
  }

  /// - Parameter accepts: Returns whether a content type was requested.
  /// - Parameter wanted: The requested types, as text.
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
  ///
  /// This includes an interim status (1xx) without a final response.
  private var isPassing: Bool { status >= 500 || status == 429 || status < 200 }

  /// Returns a media type without its parameters, in lower case.
  static func essence(_ contentType: String) -> String {
    let type = contentType.prefix { $0 != ";" }
    return type.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
  }
}

extension ResponseHead {
  /// Returns a `Location` as a URL reference: non-ASCII bytes, in any character set, are
  /// percent-encoded as in browsers.
  static func location(_ bytes: [UInt8]) -> String {
    PercentEncoding.encode(bytes, keeping: PercentEncoding.Literals { _ in true })
  }

  init(_ easy: CurlEasy) {
    self.init(
      status: easy.status ?? 0, contentTypes: easy.fields("content-type"),
      location: easy.fieldBytes("location").map(Self.location))
  }
}

/// The common options of an unfurler's requests, by purpose.
final class RequestForms {
  private let configuration: UnfurlerConfiguration
  private let pageFields: CurlList
  private let embedFields: CurlList
  private let pictureFields: CurlList
  private let pinnedHosts: CurlList

  init(_ configuration: UnfurlerConfiguration) {
    self.configuration = configuration
    let language = "Accept-Language: \(configuration.acceptLanguage)"
    pageFields = CurlList(["Accept: text/html,application/xhtml+xml;q=0.9", language])
    embedFields = CurlList(["Accept: application/json", language])
    pictureFields = CurlList(["Accept: image/jpeg,image/png,image/webp,image/gif,image/*;q=0.5"])
    pinnedHosts = CurlList(configuration.pinnedHosts)
  }

  func makeEasy(for purpose: Fetch.Purpose, _ decoding: BodyDecoding) -> CurlEasy? {
    guard let easy = CurlEasy() else { return nil }
    easy.set(CURLOPT_USERAGENT, to: configuration.userAgent)
    switch decoding {
    // Empty: all encodings that libcurl can decode.
    case .undone: easy.set(CURLOPT_ACCEPT_ENCODING, to: "")
    case .none:
      easy.set(CURLOPT_ACCEPT_ENCODING, to: "identity")
      easy.set(CURLOPT_HTTP_CONTENT_DECODING, to: 0)
    }
    easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, to: 1)
    switch purpose {
    case .page: easy.set(CURLOPT_HTTPHEADER, to: pageFields)
    case .embed: easy.set(CURLOPT_HTTPHEADER, to: embedFields)
    case .picture: easy.set(CURLOPT_HTTPHEADER, to: pictureFields)
    }
    if let proxy = configuration.proxy { easy.set(CURLOPT_PROXY, to: proxy) }
    if let file = configuration.certificateAuthorities { easy.set(CURLOPT_CAINFO, to: file) }
    if !configuration.pinnedHosts.isEmpty { easy.set(CURLOPT_RESOLVE, to: pinnedHosts) }
    return easy
  }
}

/// The target of a `Location` field, or the reason why it is not followed.
enum RedirectTarget: Hashable {
  case follow(WebURL)
  case refuse(String)

  /// - Parameters:
  ///   - location: The field's value.
  ///   - path: The URLs so far, oldest first; the last one sent the redirect.
  ///   - limit: The maximum number of redirects.
  init(_ location: String, after path: [WebURL], limit: Int) {
    // Two programs may interpret a backslash differently.
    guard !location.utf8.contains(UInt8(ascii: "\\")),
      let url = WebURL(location, relativeTo: path.last)
    else {
      self = .refuse(
        "redirected to what is not an http or https URL: \(DisplayText.quoted(location, limit: 128))"
      )
      return
    }
    // Requests never carry distinguishing data.
    if path.contains(where: { $0.textWithoutFragment == url.textWithoutFragment }) {
      self = .refuse("redirected in a circle, back to \(DisplayText.quoted(url.text, limit: 128))")
    } else if path.count > limit {
      self = .refuse(
        "too many redirects (\(path.count)), the last one to \(DisplayText.quoted(url.text, limit: 128))"
      )
    } else {
      self = .follow(url)
    }
  }
}
