/// One result of testing the settings.
package struct SettingFinding: Sendable, Equatable {
  package enum Verdict: String, Sendable, CaseIterable {
    case fine = "ok"
    /// A start would succeed, but possibly not as intended.
    case doubtful = "warning"
    case wrong = "problem"
  }

  package let verdict: Verdict
  /// The setting's name.
  package let setting: String
  package let text: String

  package init(_ verdict: Verdict, _ setting: String, _ text: String) {
    self.verdict = verdict
    self.setting = setting
    self.text = text
  }
}
