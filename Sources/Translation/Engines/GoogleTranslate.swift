import ParleyProtocol

/// The requests and responses of Google Cloud Translation, version 2.
enum GoogleTranslate {
  static func translation(
    of text: String, into code: String, at service: TranslationEndpoint
  ) -> EngineRequest {
    .post(
      service.base + "/language/translate/v2",
      JSONWriter.bytes {
        $0.object {
          $0.member("q", [text])
          if let source = service.source { $0.member("source", source) }
          $0.member("target", code)
          $0.member("format", "text")
        }
      }, fields: fields(of: service))
  }

  static func fields(of service: TranslationEndpoint) -> [String] {
    service.apiKey.map { ["X-goog-api-key: \($0)"] } ?? []
  }

  static func translation(in root: JSONNode) -> (text: String, source: String?)? {
    guard let list = root["data"]?["translations"], list.kind == .array else { return nil }
    let found = Array(list.elements)
    // The request contained one text.
    guard found.count == 1, let text = found[0]["translatedText"]?.string else { return nil }
    return (text, found[0]["detectedSourceLanguage"]?.string)
  }

  /// Returns whether an error is about the API key, for which Google uses the status of a bad request.
  static func refusesKey(in root: JSONNode) -> Bool {
    guard let error = root["error"] else { return false }
    return reasons(error["details"]).contains { $0.hasPrefix("API_KEY_") }
      || reasons(error["errors"]).contains("keyInvalid")
  }

  private static func reasons(_ list: JSONNode?) -> [String] {
    guard let list, list.kind == .array else { return [] }
    return list.elements.compactMap { $0["reason"]?.string }
  }

  static func codes(in root: JSONNode) -> [String]? {
    guard let list = root["data"]?["languages"], list.kind == .array else { return nil }
    return list.elements.compactMap { $0["language"]?.string }
  }
}
