internal import Basics

/// The base URL of a push service.
enum PushServiceURLText {
  /// Returns the text without a slash at its end when it is an `https` URL, or `http` on this machine,
  /// without credentials and a query.
  static func read(_ text: String) -> String? {
    guard let text = WebhookURLText.read(text), let url = URLParts(text), url.query == nil else {
      return nil
    }
    let endpoint = Endpoint("\(url.host):\(url.port ?? 443)")
    guard url.scheme == "https" || endpoint?.isLoopback == true else { return nil }
    return String(text.reversed().drop { $0 == "/" }.reversed())
  }
}

/// The contact address of an operator for push services (RFC 8292 §2.1).
enum PushSubjectText {
  private static let mail = "mailto:"

  /// Returns the text when it is a `mailto:` address or an `https` URL.
  static func read(_ text: String) -> String? {
    guard text.utf8.count <= 512, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return nil
    }
    if text.hasPrefix(mail) {
      let parts = text.dropFirst(mail.count).split(separator: "@", omittingEmptySubsequences: false)
      return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } ? text : nil
    }
    guard let url = URLParts(text), url.scheme == "https", url.userInfo == nil else { return nil }
    return text
  }
}
