import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

/// Tests of translations, which begin with a channel whose languages are known.
protocol TranslationTests {}

extension TranslationTests {
  func rig(
    milliseconds: Int64 = 2_000, ephemeral: Bool = false, isOn: Bool = true
  ) throws -> JudgeRig {
    try JudgeRig(
      ephemeral: ephemeral, limit: RateLimit(count: 50, windowMilliseconds: 1_000),
      waits: SendWaits(milliseconds: milliseconds, admit: { _ in true }, end: { _, _ in }),
      translations: isOn ? TranslationKnowledge.ofSamples : nil)
  }

  func text(
    _ text: String, _ languages: String..., type: MessageType = .user, _ requestID: String? = nil
  ) -> ChannelCommand {
    let draft = MessageDraft(type: type, text: text, translationLanguages: languages)
    return .send(MessageOrder(.success(draft), requestID: requestID))
  }

  func arrive(
    _ rig: JudgeRig, _ index: Int = 0, _ texts: [String: String] = ["es": "hola"],
    failure: MessageTranslations.Failure? = nil
  ) {
    let found = MessageTranslations(texts, failure: failure)
    rig.handle(.enriched(rig.enrichments[index].id, .translations(found)))
    rig.answerAll()
  }

  func translations(_ event: ChannelEvent?) -> [String: String]? {
    guard let members = event?.params?["message"]?["translations"]?.members else { return nil }
    return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.node.string ?? "") })
  }

  /// Sends a text that is not translated.
  func plain(_ rig: JudgeRig, _ text: String = "hello") throws -> Int64 {
    try #require(try rig.perform(.send(text), by: "ann").sent).message.id
  }
}

extension TranslationKnowledge {
  /// Knows `es` and `de`; remembers the text `known` in `es`; English is what all texts are in.
  fileprivate static let ofSamples: @Sendable (String, [String]) -> TranslationKnowledge = {
    text, tags in
    var texts: [String: String] = [:]
    var (missing, unsupported): ([String], [String]) = ([], [])
    for tag in tags {
      switch tag.lowercased() {
      case "en": break
      case "es" where text.hasPrefix("known"): texts[tag] = "conocido"
      case "es", "de", "l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "l9":
        missing.append(tag)
      default: unsupported.append(tag)
      }
    }
    return TranslationKnowledge(
      texts: texts, missing: missing, unsupported: unsupported, isSlow: text.hasPrefix("slow"))
  }
}
