import Basics
import LinkPreview

/// The target of a `Location` field, or the reason why it is not followed.
enum RedirectTarget: Hashable {
  case follow(WebURL)
  case refuse(String)

  /// - Parameters:
  ///   - location: The field's value.
  ///   - path: The URLs so far, oldest first; the last one is where the redirect comes from.
  ///   - limit: How many redirects are followed.
  init(_ location: String, after path: [WebURL], limit: Int) {
    // Two programs may read a backslash in two ways.
    guard !location.utf8.contains(UInt8(ascii: "\\")),
      let url = WebURL(location, relativeTo: path.last)
    else {
      self = .refuse(
        "redirected to what is not an http or https URL: \(DisplayText.quoted(location, limit: 128))"
      )
      return
    }
    // Requests never carry anything that distinguishes them.
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
