extension MessageFile {
  /// Reads `url`, which must be given, `file_name`, `file_type` and `file_size`.
  ///
  /// - Throws: One of 400100 to 400113; 400111 unless `url` is one of http or https.
  init(_ parameters: Parameters) throws(ServiceError) {
    self.init(
      url: try parameters.fileURL(),
      name: try parameters.text("file_name", limit: Limits.fileNameLength) ?? "",
      type: try parameters.text("file_type", limit: Limits.fileTypeLength) ?? "",
      size: try parameters.integer("file_size", in: 0...Limits.messageIDs.upperBound) ?? 0)
  }
}

extension Parameters {
  /// Viewers follow the address, so it may be none that a browser would take for a script.
  fileprivate func fileURL() throws(ServiceError) -> String {
    let url = try requiredText("url", limit: Limits.fileURLLength)
    guard let colon = url.firstIndex(of: ":"),
      ["http", "https"].contains(url[..<colon].lowercased()),
      url[colon...].hasPrefix("://"), url[colon...].utf8.count > 3
    else { throw .invalid("url", url, expected: "a URL of http or https") }
    return url
  }
}
