import Configuration
import ParleyProtocol
import Reactor
import Translation
import Translator

/// The translation service, below `/v3/parley/translation`.
enum TranslationEndpoints {
  /// `GET …/languages`: the available target languages.
  static func listLanguages(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let translator = call.services.translator
    let mode = call.services.settings.translation.mode
    completion {
      $0.object {
        $0.member("mode", mode.rawValue)
        $0.member("languages", translator?.languages ?? [])
        $0.member("per_message", Limits.languageCount)
        $0.member("service_up", translator?.figures.isUp ?? false)
      }
    }
  }

  /// `POST …/test`: translates a text, and reports how long the translation took.
  static func test(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    let text = try body.requiredText("message", limit: Limits.messageLength)
    let languages = try body.targetLanguages()
    guard let translator = call.services.translator else {
      throw ServiceError(
        .combinationNotAcceptable, "translations are turned off: translation.mode is off")
    }
    let startedAt = SystemClock.monotonicMilliseconds
    let unsupported = translator.lookUp(text, in: languages).unsupported
    translator.translate(text, into: languages, for: nil) { result in
      let duration = SystemClock.monotonicMilliseconds - startedAt
      completion {
        $0.object {
          $0.member("translations", result.texts)
          $0.member("unsupported", unsupported)
          $0.member("problem", result.failure?.rawValue ?? "")
          $0.member("duration_ms", duration)
        }
      }
    }
  }
}
