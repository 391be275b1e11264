/// Addresses that viewers follow or load.
extension Parameters {
  /// An `http` or `https` URL, if given; it may be empty.
  ///
  /// Clients put these into links and images, so a URL that a browser would run as a script is
  /// refused.
  package func webURL(_ name: String, limit: Int) throws(ServiceError) -> String? {
    guard let url = try text(name, limit: limit), !url.isEmpty else {
      return value(name) == nil ? nil : ""
    }
    try Self.checkWebURL(url, name)
    return url
  }

  /// An `http` or `https` URL, which must be given.
  package func requiredWebURL(_ name: String, limit: Int) throws(ServiceError) -> String {
    let url = try requiredText(name, limit: limit)
    try Self.checkWebURL(url, name)
    return url
  }

  private static func checkWebURL(_ url: String, _ name: String) throws(ServiceError) {
    guard let colon = url.firstIndex(of: ":"),
      ["http", "https"].contains(url[..<colon].lowercased()),
      url[colon...].hasPrefix("://"), url[colon...].utf8.count > 3
    else { throw .invalid(name, url, expected: "a URL of http or https") }
  }
}
