import CCurl
import LinkPreview

/// The head of a response, as far as previews care.
struct Response {
  private let easy: UnsafeMutableRawPointer

  init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

  private var status: Int {
    var status = 0
    _ = parley_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
    return status
  }

  var isSuccess: Bool { (200...299).contains(status) }

  /// The content type when it is a page's; a response that contradicts itself is no page.
  var pageType: String? {
    let types = fields("content-type")
    guard let first = types.first, let media = HTMLMediaType(first),
      types.allSatisfy({ HTMLMediaType($0) == media })
    else { return nil }
    return types.last
  }

  /// Where the response sends, when it sends elsewhere.
  var redirectLocation: String? {
    guard [301, 302, 303, 307, 308].contains(status) else { return nil }
    return fields("location").first
  }

  private func fields(_ name: String) -> [String] {
    var values: [String] = []
    var field: UnsafeMutablePointer<curl_header>?
    // Of several requests on one handle, -1 is the last one.
    while values.count < 8,
      curl_easy_header(easy, name, values.count, UInt32(CURLH_HEADER), -1, &field) == CURLHE_OK,
      let value = field?.pointee.value
    {
      values.append(String(cString: value))
    }
    return values
  }
}
