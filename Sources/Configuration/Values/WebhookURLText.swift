internal import Foundation

/// The URL of a webhook.
enum WebhookURLText {
  /// Returns the text when it is an `http` or `https` URL with a host, and without credentials,
  /// which would be sent and logged, and fragment.
  static func read(_ text: String) -> String? {
    guard let text = ServiceURLText.read(text), let url = URLComponents(string: text),
      url.user == nil, url.password == nil
    else { return nil }
    return text
  }
}
