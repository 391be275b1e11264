import ParleyProtocol

/// The requests and responses of LibreTranslate.
enum LibreTranslate {
  static func translation(
    of text: String, into code: String, at service: TranslationEndpoint
  ) -> EngineRequest {
    .post(
      service.base + "/translate",
      JSONWriter.bytes {
        $0.object {
          $0.member("q", text)
          $0.member("source", service.source ?? "auto")
          $0.member("target", code)
          $0.member("format", "text")
          if let apiKey = service.apiKey { $0.member("api_key", apiKey) }
        }
      })
  }

  static func translation(in root: JSONNode) -> (text: String, source: String?)? {
    root["translatedText"]?.string.map { ($0, root["detectedLanguage"]?["language"]?.string) }
  }

  /// Returns the possible target languages of all sources, or of the given source.
  static func codes(in root: JSONNode, source: String?) -> [String]? {
    guard root.kind == .array else { return nil }
    var codes: [String] = []
    for language in root.elements {
      guard let code = language["code"]?.string else { continue }
      if let source, source.lowercased() != code.lowercased() { continue }
      // Old versions list no targets: they translate between all languages.
      guard let targets = language.present("targets") else {
        return root.elements.compactMap { $0["code"]?.string }
      }
      codes += targets.elements.compactMap(\.string)
    }
    return codes
  }
}
