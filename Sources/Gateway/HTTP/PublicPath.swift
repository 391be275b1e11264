import HTTP

/// The path in `files.public_url`, under which files, previews, exports and uploads are also served.
struct PublicPath: Sendable {
  /// The path with a slash at the beginning and none at the end; `nil` without a path.
  private let prefix: String?

  init(publicURL: String?) {
    guard let url = publicURL, let scheme = url.firstRange(of: "://"),
      let slash = url[scheme.upperBound...].firstIndex(of: "/")
    else {
      prefix = nil
      return
    }
    let path = url[slash...]
    let end = path.hasSuffix("/") ? path.dropLast() : path
    prefix = end.isEmpty ? nil : String(end)
  }

  /// Returns the head with the prefix removed from its path.
  func inside(_ head: HTTPRequestHead) -> HTTPRequestHead {
    guard let prefix, head.target.hasPrefix(prefix) else { return head }
    let rest = head.target.dropFirst(prefix.count)
    let outside = ["/files/", "/previews/", "/exports/", "/v1/uploads/", "/v1/files"]
    guard outside.contains(where: rest.hasPrefix) else {
      return head
    }
    var inner = head
    inner.target = String(rest)
    return inner
  }
}
