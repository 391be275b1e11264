internal import Foundation

/// The URL of a service that is called over HTTP.
enum ServiceURLText {
  /// Returns the text when it is an `http` or `https` URL with a host and without a fragment.
  static func read(_ text: String) -> String? {
    guard text.utf8.count <= 2048, let url = URLComponents(string: text),
      url.scheme == "http" || url.scheme == "https",
      let host = url.host, !host.isEmpty, url.fragment == nil
    else { return nil }
    return text
  }
}
