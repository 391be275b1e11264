extension MessageFile {
  /// Reads `url`, which must be given, `file_name`, `file_type` and `file_size`.
  ///
  /// - Throws: One of 400100 to 400151; 400111 unless `url` is one of http or https.
  init(_ parameters: Fields) throws(ServiceError) {
    self.init(
      url: try parameters.requiredWebURL("url", limit: Limits.fileURLLength),
      name: try parameters.name("file_name", limit: Limits.fileNameLength) ?? "",
      type: try parameters.text("file_type", limit: Limits.fileTypeLength) ?? "",
      size: try parameters.integer("file_size", in: 0...Limits.messageIDs.upperBound) ?? 0)
  }
}
