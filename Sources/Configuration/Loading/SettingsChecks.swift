internal import ParleyProtocol
internal import Translation

/// Checks combinations of settings that are valid individually.
enum SettingsChecks {
  /// A problem with the first of the settings, which exists only if the others have the given values.
  private struct Finding {
    let settings: [String]
    let explanation: String

    var problem: SettingsProblem {
      SettingsProblem(
        setting: settings[0], source: .combination, explanation: explanation)
    }
  }

  /// The problems of invalid combinations, except those that involve a refused setting: its intended
  /// value may have been valid in the combination.
  static func problems(in settings: Settings, ignoring refused: Set<String>) -> [SettingsProblem] {
    let findings =
      listeners(settings) + tls(settings) + proxies(settings) + unfurl(settings)
      + webhooks(settings) + hooks(settings) + cluster(settings) + files(settings)
      + translation(settings) + groups(settings) + push(settings) + keySets(settings.auth)
    return findings.filter { refused.isDisjoint(with: $0.settings) }.map(\.problem)
  }

  private static func listeners(_ settings: Settings) -> [Finding] {
    let names = ["listen", "tls.listen", "operations.listen", "proxy.listen"]
    var findings: [Finding] = []
    if settings.listen.isEmpty, settings.tls.listen.isEmpty, settings.proxy.listen.isEmpty {
      let explanation = "expected at least one address, here or in another listener's setting"
      findings.append(Finding(settings: names, explanation: explanation))
    }
    var seen: Set<ListenAddress> = []
    for address in settings.allListeners where address.port != 0 && !seen.insert(address).inserted {
      let explanation = "expected \(address) for one listener only"
      findings.append(Finding(settings: names, explanation: explanation))
    }
    return findings
  }

  private static func tls(_ settings: Settings) -> [Finding] {
    let certificate = (name: "tls.certificate", value: settings.tls.certificate)
    let key = (name: "tls.private_key", value: settings.tls.privateKey)
    let isWanted = !settings.tls.listen.isEmpty
    return [(certificate, key), (key, certificate)].compactMap { missing, other in
      guard missing.value == nil, isWanted || other.value != nil else { return nil }
      let reason = isWanted ? "tls.listen" : other.name
      return Finding(
        settings: [missing.name, reason],
        explanation: "expected a PEM file, because \(reason) is set")
    }
  }

  private static func proxies(_ settings: Settings) -> [Finding] {
    let proxy = settings.proxy
    guard proxy.field != .none, proxy.trusted.isEmpty else { return [] }
    return [
      Finding(
        settings: ["proxy.trusted", "proxy.field"],
        explanation:
          "expected the proxies' networks, because proxy.field is set: anyone can send it")
    ]
  }

  private static func unfurl(_ settings: Settings) -> [Finding] {
    var findings: [Finding] = []
    if settings.unfurl.mode == .http, settings.unfurl.url == nil {
      let explanation = "expected the service's URL, because unfurl.mode is http"
      findings.append(Finding(settings: ["unfurl.url", "unfurl.mode"], explanation: explanation))
    }
    if settings.unfurl.images == .proxy, settings.unfurl.mode == .http {
      let explanation =
        "expected direct, because unfurl.mode is http: with it this server fetches nothing itself"
      findings.append(
        Finding(settings: ["unfurl.images", "unfurl.mode"], explanation: explanation))
    }
    if settings.unfurl.images == .proxy, settings.unfurl.mode == .embedded,
      settings.files.publicURL == nil
    {
      let explanation =
        "expected the base URL of the pictures' addresses, because unfurl.images is proxy"
      findings.append(
        Finding(settings: ["files.public_url", "unfurl.images"], explanation: explanation))
    }
    if settings.unfurl.allowedPorts.isEmpty {
      let explanation = "expected at least one port: no page could be fetched"
      findings.append(Finding(settings: ["unfurl.allow_ports"], explanation: explanation))
    }
    return findings
  }

  private static func translation(_ settings: Settings) -> [Finding] {
    guard let engine = settings.translation.mode.engine else { return [] }
    var findings: [Finding] = []
    if settings.translation.url == nil {
      findings.append(
        Finding(
          settings: ["translation.url", "translation.mode"],
          explanation:
            "expected the service's URL, because translation.mode is \(engine.rawValue)"))
    }
    if engine == .apertium, settings.translation.source == TranslationSettings.detected {
      findings.append(
        Finding(
          settings: ["translation.source", "translation.mode"],
          explanation: "expected the language of the messages: Apertium detects none"))
    }
    return findings
  }

  private static func groups(_ settings: Settings) -> [Finding] {
    guard settings.groups.maxSuperMembers < settings.groups.maxMembers else { return [] }
    return [
      Finding(
        settings: ["groups.max_super_members", "groups.max_members"],
        explanation: "expected at least groups.max_members")
    ]
  }

  private static func push(_ settings: Settings) -> [Finding] {
    let push = settings.push
    var findings: [Finding] = []
    if push.isWebOn, push.subject == nil {
      findings.append(
        Finding(
          settings: ["push.subject", "push.web"],
          explanation:
            "expected an address of the operator, such as mailto:push@example.com, because push.web is set"
        ))
    }
    if push.url != nil, push.secret == nil {
      findings.append(
        Finding(
          settings: ["push.secret", "push.url"],
          explanation: "expected a secret to sign with, because push.url is set"))
    }
    if push.url != nil, push.urlTypes.isEmpty {
      findings.append(
        Finding(
          settings: ["push.url_types", "push.url"],
          explanation: "expected the types of tokens whose pushes are posted to push.url"))
    }
    if push.url == nil, !push.urlTypes.isEmpty {
      findings.append(
        Finding(
          settings: ["push.url", "push.url_types"],
          explanation: "expected the URL of a service, because push.url_types is set"))
    }
    if push.allowedPorts.isEmpty {
      findings.append(
        Finding(
          settings: ["push.allow_ports"],
          explanation: "expected at least one port: no push service could be reached"))
    }
    return findings + apns(push.apns)
  }

  private static func apns(_ apns: APNsSettings) -> [Finding] {
    let parts: [(name: String, value: String?, expectation: String)] = [
      ("push.apns.key_file", apns.keyFile, "the path of a .p8 file"),
      ("push.apns.key_id", apns.keyID, "the id of the key"),
      ("push.apns.team_id", apns.teamID, "the id of the team"),
      ("push.apns.topic", apns.topic, "the bundle id of the app"),
    ]
    guard let reason = parts.first(where: { $0.value != nil }) else { return [] }
    return parts.filter { $0.value == nil }.map { name, _, expectation in
      Finding(
        settings: [name, reason.name],
        explanation: "expected \(expectation), because \(reason.name) is set")
    }
  }

  private static func keySets(_ auth: AuthSettings) -> [Finding] {
    let (url, issuer) = ("auth.jwks_url", "auth.jwt_issuer")
    var findings: [Finding] = []
    if auth.keySetURL != nil, auth.tokenIssuer == nil {
      findings.append(
        Finding(
          settings: [issuer, url],
          explanation: "expected the issuer of the tokens, because \(url) is set"))
    }
    for (name, value) in [(issuer, auth.tokenIssuer), ("auth.jwt_audience", auth.tokenAudience)]
    where value != nil && auth.keySetURL == nil {
      findings.append(
        Finding(
          settings: [url, name],
          explanation: "expected the URL of the key set, because \(name) is set"))
    }
    let providers = auth.providers
    if providers.count > KeySetSource.limit {
      findings.append(
        Finding(
          settings: ["auth.jwks", url], explanation: "expected at most \(KeySetSource.limit)"))
    }
    // The issuer of a token chooses its entry.
    let names = Dictionary(grouping: providers, by: \.issuer.name)
    for name in names.filter({ $1.count > 1 }).keys.sorted() {
      findings.append(
        Finding(
          settings: ["auth.jwks", issuer], explanation: "expected the issuer \(name) only once"))
    }
    return findings
  }

  private static func files(_ settings: Settings) -> [Finding] {
    guard case .bucket = settings.files.store else { return [] }
    let keys = [
      ("files.s3_key", settings.files.bucketKey), ("files.s3_secret", settings.files.bucketSecret),
    ]
    return keys.filter { $0.1 == nil }.map { name, _ in
      Finding(
        settings: [name, "files.store"],
        explanation: "expected a key of the bucket, because files.store is in S3")
    }
  }

  private static func webhooks(_ settings: Settings) -> [Finding] {
    guard !settings.webhooks.urls.isEmpty, settings.webhooks.secret == nil else { return [] }
    return [
      Finding(
        settings: ["webhooks.secret", "webhooks.urls"],
        explanation: "expected a secret to sign with, because webhooks.urls is set")
    ]
  }

  private static func hooks(_ settings: Settings) -> [Finding] {
    let hooks = settings.hooks
    var findings: [Finding] = []
    if let hook = hooks.events.first(where: { hooks.url(of: $0) == nil }) {
      findings.append(
        Finding(
          settings: ["hooks.url", "hooks.events", "hooks.urls"],
          explanation:
            "expected the URL of the app's back end, because hooks.events has \(hook.rawValue)"))
    }
    if hooks.events.isEmpty, hooks.url != nil || !hooks.urls.isEmpty {
      findings.append(
        Finding(
          settings: ["hooks.events", "hooks.url", "hooks.urls"],
          explanation: "expected the calls to ask about, because a URL is set"))
    }
    if !hooks.events.isEmpty, hooks.secret == nil {
      findings.append(
        Finding(
          settings: ["hooks.secret", "hooks.events"],
          explanation: "expected a secret to sign with, because hooks.events is set"))
    }
    if settings.auth.mode == .hook, !hooks.events.contains(.sessionOpen) {
      findings.append(
        Finding(
          settings: ["hooks.events", "auth.mode"],
          explanation: "expected session.open, because auth.mode is hook"))
    }
    return findings
  }

  private static func cluster(_ settings: Settings) -> [Finding] {
    guard settings.cluster.bus != nil else { return [] }
    // Otherwise every server would keep its own data, which the other servers could not find.
    let shared: [(name: String, isThere: Bool, expectation: String)] = [
      ("store.url", settings.store.url != nil, "the URL of the PostgreSQL database of all servers"),
      ("auth.api_token", settings.auth.apiToken != nil, "the token of all servers"),
      ("files.public_url", settings.files.publicURL != nil, "the base URL of all servers"),
    ]
    var findings = shared.filter { !$0.isThere }.map { name, _, expectation in
      Finding(
        settings: [name, "cluster.bus"],
        explanation: "expected \(expectation), because cluster.bus is set")
    }
    if settings.files.store == .dataDirectory {
      let explanation =
        "expected a directory that all servers mount (directory:/path), or a bucket (s3://name),"
        + " because cluster.bus is set"
      findings.append(Finding(settings: ["files.store", "cluster.bus"], explanation: explanation))
    }
    let cluster = settings.cluster
    if cluster.serverTimeoutMilliseconds < 2 * cluster.beatMilliseconds {
      let explanation = "expected at least twice cluster.beat_ms: one late beat is no death"
      findings.append(
        Finding(
          settings: ["cluster.server_timeout_ms", "cluster.beat_ms", "cluster.bus"],
          explanation: explanation))
    }
    return findings
  }
}
