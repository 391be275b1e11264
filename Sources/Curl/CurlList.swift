import CCurl

/// Lines that an option takes, such as header fields; they must outlive the transfers that use them.
package final class CurlList {
  let list: UnsafeMutablePointer<curl_slist>?

  /// - Parameter lines: Without line breaks.
  package init(_ lines: [String]) {
    list = lines.reduce(nil) { list, line in curl_slist_append(list, line) ?? list }
  }

  deinit { curl_slist_free_all(list) }
}
