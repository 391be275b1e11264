/// What must hold between settings that are each well-formed.
enum SettingsChecks {
  static func problems(in settings: Settings) -> [SettingsProblem] {
    listeners(settings) + tls(settings) + unfurl(settings)
  }

  private static func listeners(_ settings: Settings) -> [SettingsProblem] {
    var problems: [SettingsProblem] = []
    if settings.listen.isEmpty, settings.tls.listen.isEmpty {
      problems.append(problem("listen", "expected at least one address here or in tls.listen"))
    }
    var seen: Set<SocketAddressText> = []
    for address in settings.allListeners where address.port != 0 && !seen.insert(address).inserted {
      problems.append(problem("listen", "expected \(address) for one listener only"))
    }
    return problems
  }

  private static func tls(_ settings: Settings) -> [SettingsProblem] {
    let tls = settings.tls
    let isWanted = !tls.listen.isEmpty
    var problems: [SettingsProblem] = []
    if tls.certificate == nil, isWanted || tls.privateKey != nil {
      let reason = isWanted ? "tls.listen" : "tls.private_key"
      problems.append(problem("tls.certificate", "expected a PEM file, because \(reason) is set"))
    }
    if tls.privateKey == nil, isWanted || tls.certificate != nil {
      let reason = isWanted ? "tls.listen" : "tls.certificate"
      problems.append(problem("tls.private_key", "expected a PEM file, because \(reason) is set"))
    }
    return problems
  }

  private static func unfurl(_ settings: Settings) -> [SettingsProblem] {
    guard settings.unfurl.mode == .http, settings.unfurl.url == nil else { return [] }
    return [problem("unfurl.url", "expected the service's URL, because unfurl.mode is http")]
  }

  private static func problem(_ setting: String, _ explanation: String) -> SettingsProblem {
    SettingsProblem(setting: setting, source: .combination, explanation: explanation)
  }
}
