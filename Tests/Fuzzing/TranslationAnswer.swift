import ParleyProtocol
import Translation

/// Reads any bytes as the answers of translation services, and any text as the tags of languages.
///
/// A translation that comes out of them may stand in a message.
enum TranslationAnswerHarness: Harness {
  static func run(_ input: [UInt8]) {
    var source = ByteSource(input)
    let engine = source.choice(TranslationEngine.allCases)
    let status = source.choice([200, 200, 200, 200, 400, 403, 413, 500, 100, 0])
    let own = source.flag() ? source.choice(["en", "por_BR", "", "x|y"]) : nil
    let tag = source.text(upTo: 24)
    let body = source.rest()
    let text = "some text"

    switch engine.outcome(status: status, body: body, of: text, into: "es") {
    case .text(let translation):
      precondition(status == 200 && !translation.isEmpty && !translation.utf8.contains(0))
      precondition(translation.utf8.count <= TranslationEngine.maximumAnswerBytes)
    case .same, .refused, .failed: break
    case .overloaded, .timedOut, .notAsked: preconditionFailure("no answer means this")
    }
    if let languages = engine.languages(in: body, source: own) {
      precondition(languages.tags == languages.tags.sorted())
      precondition(Set(languages.tags.map { $0.lowercased() }).count == languages.tags.count)
      for tag in languages.tags {
        precondition(
          languages.code(ofTag: tag) != nil && languages.code(ofTag: tag.uppercased()) != nil)
        precondition((try? LanguageTag.check(tag, "")) != nil, "a name that no call can carry")
      }
    }
    let service = TranslationEndpoint(url: "http://service.example/", apiKey: "key", source: own)
    let request = engine.translation(of: tag, into: engine.code(ofTag: tag), at: service)
    precondition(request.url.utf8.allSatisfy { (0x21...0x7e).contains($0) })
    precondition(!request.fields.contains { $0.contains("\n") || $0.contains("\r") })
  }
}
