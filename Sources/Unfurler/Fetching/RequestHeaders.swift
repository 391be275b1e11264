import CCurl

/// The header fields that every request carries; they outlive the transfers that use them.
final class RequestHeaders {
  let list: UnsafeMutablePointer<curl_slist>?

  init() {
    let fields = [
      "Accept: text/html,application/xhtml+xml;q=0.9",
      "Accept-Language: en,*;q=0.5",
    ]
    list = fields.reduce(nil) { list, field in curl_slist_append(list, field) ?? list }
  }

  deinit { curl_slist_free_all(list) }
}
