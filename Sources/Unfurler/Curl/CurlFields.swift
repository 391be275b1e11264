import CCurl

/// Header fields of requests; they must outlive the transfers that use them.
final class CurlFields {
  let list: UnsafeMutablePointer<curl_slist>?

  /// - Parameter lines: Fields as `Name: value`, without line breaks.
  init(_ lines: [String]) {
    list = lines.reduce(nil) { list, line in curl_slist_append(list, line) ?? list }
  }

  deinit { curl_slist_free_all(list) }
}
