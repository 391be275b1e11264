import Configuration
import KeySets
import ParleyProtocol

/// Checks of the key sets of providers.
extension DeepCheck {
  /// Fetches each set.
  func keySets() -> [SettingFinding] {
    settings.auth.providers.flatMap(check)
  }

  private func check(_ source: KeySetSource) -> [SettingFinding] {
    let isOfList = settings.auth.keySets.contains(source)
    let (setting, issuer) = (isOfList ? "auth.jwks" : "auth.jwks_url", source.issuer)
    let name = shown(issuer.name)
    switch KeySetRequest.perform(source, userAgent: TokenKeys.userAgent) {
    case .failure(let failure):
      return [wrong(setting, "the keys of \(name) cannot be fetched: \(failure)")]
    case .success(let fetched):
      let count = fetched.keys.count
      var findings = [
        fine(setting, "\(name) publishes \(count) usable key\(count == 1 ? "" : "s")")
      ]
      findings += fetched.ignored.map {
        let kid = $0.keyID.map { " (kid \(shown($0)))" } ?? ""
        return doubtful(
          setting, "key \($0.index) of \(name)\(kid) is not used: \($0.reason)")
      }
      if issuer.audience == nil {
        findings.append(
          doubtful(
            setting,
            "\(name) has no audience: tokens that it issued for other applications are accepted"))
      }
      return findings
    }
  }
}
