import ParleyProtocol
import TestSupport
import Testing

@testable import Translation

@Suite("Translation engines")
struct EngineTests {
  private let service = TranslationEndpoint(
    url: "http://127.0.0.1:5000/", apiKey: "k", source: "en")

  private func outcome(
    _ engine: TranslationEngine, _ answer: String, status: Int = 200, of text: String = "The house",
    into code: String = "es"
  ) -> TranslationOutcome {
    engine.outcome(status: status, body: Array(answer.utf8), of: text, into: code)
  }

  private func isFailure(_ outcome: TranslationOutcome) -> Bool {
    if case .failed = outcome { true } else { false }
  }

  @Test("LibreTranslate receives a text by POST, and detects its language")
  func libreTranslate() throws {
    let request = TranslationEngine.libreTranslate.translation(
      of: "a \"b\"\u{0} <c> &amp;", into: "es", at: TranslationEndpoint(url: "http://h/base"))
    #expect(request.url == "http://h/base/translate")
    let body = try JSONDocument(#require(request.body)).root
    #expect(body["q"]?.string == "a \"b\"\u{0} <c> &amp;")
    #expect(body["source"]?.string == "auto")
    #expect(body["target"]?.string == "es")
    #expect(body["format"]?.string == "text")
    #expect(body["api_key"] == nil)
    #expect(
      outcome(
        .libreTranslate, #"{"translatedText":"La casa","detectedLanguage":{"language":"en"}}"#)
        == .text("La casa"))
    #expect(
      outcome(
        .libreTranslate, #"{"translatedText":"La casa","detectedLanguage":{"language":"ES"}}"#)
        == .same)
    #expect(
      outcome(.libreTranslate, #"{"error":"es is not supported"}"#, status: 400) == .refused)
  }

  @Test("Google receives a list of one text by POST, with the key in a field")
  func google() throws {
    let request = TranslationEngine.google.translation(of: "x", into: "es", at: service)
    #expect(request.url == "http://127.0.0.1:5000/language/translate/v2")
    #expect(request.fields.contains("X-goog-api-key: k"))
    let body = try JSONDocument(#require(request.body)).root
    #expect(body["q"].map { $0.elements.map(\.string) } == ["x"])
    #expect(body["source"]?.string == "en")
    let one = #"{"translatedText":"La casa &lt;","detectedSourceLanguage":"en"}"#
    #expect(
      outcome(.google, #"{"data":{"translations":[\#(one)]}}"#) == .text("La casa &lt;"))
    #expect(isFailure(outcome(.google, #"{"data":{"translations":[\#(one),\#(one)]}}"#)))
    #expect(isFailure(outcome(.google, #"{"data":{"translations":[]}}"#)))
    #expect(isFailure(outcome(.google, #"{"error":{"code":403,"message":"no"}}"#, status: 403)))
  }

  @Test("a key that Google refuses is a failure of the service, not of the text")
  func refusedKeys() {
    let details = #"[{"@type":"ErrorInfo","reason":"API_KEY_INVALID"}]"#
    for answer in [
      #"{"error":{"code":400,"message":"API key not valid.","details":\#(details)}}"#,
      #"{"error":{"code":400,"errors":[{"reason":"keyInvalid"}]}}"#,
    ] {
      #expect(outcome(.google, answer, status: 400) == .failed("the API key is not valid"))
      #expect(outcome(.libreTranslate, answer, status: 400) == .refused)
    }
    for answer in ["", "[]", #"{"error":7}"#, #"{"error":{"details":[{"reason":"TOO_LONG"}]}}"#] {
      #expect(outcome(.google, answer, status: 400) == .refused)
    }
  }

  @Test("a tag is sent in its usual case while the languages of a service are unknown")
  func cases() {
    for engine in [TranslationEngine.libreTranslate, .google] {
      for (tag, code) in [
        ("ES", "es"), ("pt-br", "pt-BR"), ("ZH-hANT-tw", "zh-Hant-TW"), ("es-419", "es-419"),
        ("SL-ROZAJ", "sl-rozaj"),
      ] {
        #expect(engine.code(ofTag: tag) == code)
      }
    }
  }

  @Test("a target language of many source languages is listed once")
  func repeatedLanguages() {
    let codes = "abcdefghijklmnopqrstuvwxyz".flatMap { ["a\($0)", "b\($0)"] }
    let targets = codes.map { "\"\($0)\"" }.joined(separator: ",")
    let languages =
      codes.map { #"{"code":"\#($0)","targets":[\#(targets)]}"# }
      + [#"{"code":"en","targets":["zu"]}"#]
    let answer = "[" + languages.joined(separator: ",") + "]"
    let found = TranslationEngine.libreTranslate.languages(in: Array(answer.utf8), source: nil)
    #expect(found?.tags == codes.sorted() + ["zu"])
  }

  @Test("apertium is called with its own language names, and a long text by POST")
  func apertium() {
    let request = TranslationEngine.apertium.translation(
      of: "a b|c&d=é", into: "spa", at: service)
    #expect(
      request.url
        == "http://127.0.0.1:5000/translate?langpair=eng%7Cspa&markUnknown=no&q=a%20b%7Cc%26d%3D%C3%A9"
    )
    #expect(request.body == nil)
    let long = TranslationEngine.apertium.translation(
      of: String(repeating: "e\u{301}", count: 2_500), into: "spa", at: service)
    #expect(long.url == "http://127.0.0.1:5000/translate")
    #expect(long.body?.starts(with: Array("langpair=eng%7Cspa&".utf8)) == true)
    #expect(
      outcome(
        .apertium, #"{"responseData":{"translatedText":"La casa"},"responseStatus":200}"#,
        into: "spa") == .text("La casa"))
    for (tag, code) in [("es", "spa"), ("ES", "spa"), ("spa", "spa"), ("pt-BR", "por_BR")] {
      #expect(TranslationEngine.apertium.code(ofTag: tag) == code)
    }
  }

  @Test("the list of languages is read from each engine")
  func languages() {
    func learn(
      _ engine: TranslationEngine, _ answer: String, source: String? = nil
    ) -> TranslationLanguages? {
      engine.languages(in: Array(answer.utf8), source: source)
    }
    let libre = #"[{"code":"en","targets":["es","zh-Hans"]},{"code":"es","targets":["en"]}]"#
    #expect(learn(.libreTranslate, libre)?.tags == ["en", "es", "zh-Hans"])
    #expect(learn(.libreTranslate, libre, source: "EN")?.tags == ["es", "zh-Hans"])
    #expect(learn(.libreTranslate, libre)?.code(ofTag: "ZH-hans") == "zh-Hans")
    #expect(learn(.libreTranslate, #"[{"code":"en"},{"code":"de"}]"#)?.tags == ["de", "en"])
    let google = #"{"data":{"languages":[{"language":"es"},{"language":"de"},{}]}}"#
    #expect(learn(.google, google)?.tags == ["de", "es"])
    let pairs =
      #"{"responseData":[{"sourceLanguage":"spa","targetLanguage":"eng"},"#
      + #"{"sourceLanguage":"eng","targetLanguage":"spa"},"#
      + #"{"sourceLanguage":"eng","targetLanguage":"por_BR"}]}"#
    #expect(learn(.apertium, pairs, source: "en")?.tags == ["es", "pt-BR"])
    #expect(learn(.apertium, pairs, source: "en")?.code(ofTag: "es") == "spa")
    for engine in TranslationEngine.allCases {
      for answer in ["", "<html>", "null", "7", #"{"data":7,"responseData":null}"#] {
        #expect(learn(engine, answer)?.tags ?? [] == [])
      }
    }
  }

  @Test("an invalid response is a failure", arguments: TranslationEngine.allCases)
  func noAnswers(engine: TranslationEngine) {
    for answer in [
      "", "<html>no</html>", "[]", #"["La casa"]"#, "null", "{", "{}", #""text""#,
      #"{"translatedText":["a"]}"#, #"{"translatedText":7}"#, #"{"translatedText":""}"#,
      #"{"translatedText":" "}"#, #"{"translatedText":"\u200b"}"#,
      #"{"data":{"translations":{}}}"#, #"{"responseData":{"translatedText":null}}"#,
    ] {
      #expect(isFailure(outcome(engine, answer)), "\(answer)")
    }
    let large = #"{"translatedText":"\#(String(repeating: "a", count: 262_144))"}"#
    #expect(isFailure(outcome(engine, large)))
    for status in [0, 100, 204, 301, 302, 401, 403, 404, 500, 503] {
      #expect(isFailure(outcome(engine, #"{"translatedText":"a"}"#, status: status)))
    }
  }

  @Test("U+0000 is accepted only if the source contains it")
  func zero() {
    let answer = #"{"translatedText":"a\u0000b"}"#
    #expect(isFailure(outcome(.libreTranslate, answer)))
    #expect(outcome(.libreTranslate, answer, of: "c\u{0}") == .text("a\u{0}b"))
  }

  @Test("no bytes trap a parser, and only a text is returned", arguments: 0..<200)
  func anyBytes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let samples = [
      #"{"translatedText":"La casa","detectedLanguage":{"language":"en"}}"#,
      #"{"data":{"translations":[{"translatedText":"a","detectedSourceLanguage":"en"}]}}"#,
      #"{"responseData":{"translatedText":"La casa"},"responseStatus":200}"#,
    ]
    for engine in TranslationEngine.allCases {
      var bytes = Array(samples.randomElement(using: &random)!.utf8)
      for _ in 0..<Int.random(in: 0...6, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        }
      }
      switch engine.outcome(status: 200, body: bytes, of: "The house", into: "es") {
      case .text(let text): #expect(!text.isEmpty && !text.utf8.contains(0))
      case .same, .failed: break
      case let other: Issue.record("\(other)")
      }
      _ = engine.languages(in: bytes, source: "en")
    }
  }
}
