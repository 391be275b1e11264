extension MessageFile {
  /// Writes the file as the contract shows it.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", url)
      $0.member("name", name)
      $0.member("type", type)
      $0.member("size", size)
    }
  }

  /// Reads a file; all but its address may be absent.
  package init(json: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("file", json)
    self.init(
      url: try reader.text("url"), name: try reader.optionalText("name"),
      type: try reader.optionalText("type"),
      size: json.present("size") == nil ? 0 : try reader.integer("size"))
  }
}
