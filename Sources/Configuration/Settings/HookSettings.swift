package import ParleyProtocol

/// The settings for asking the app's back end before calls are carried out.
package struct HookSettings: Sendable, Equatable {
  /// The URL of hooks without one of their own.
  package var url: String?
  /// The URLs of some hooks.
  package var urls: [HookURL] = []
  /// The calls that are asked about.
  package var events: [HookName] = []
  /// The secret that signs the bodies; present when there are ``events``.
  package var secret: Secret?
  /// The time from a call to the answer.
  package var timeoutMilliseconds: Int64 = 1_000
  /// The largest number of simultaneous requests.
  package var concurrency = 256
  /// The treatment of calls without a valid answer; the last rule for a hook counts.
  package var onFailure = [HookFailureRule(hook: nil, policy: .deny)]
  /// The time for which permission to open a session is kept; 0 keeps none.
  package var sessionCacheSeconds: Int64 = 0
  /// Whether calls of the Platform API are asked about.
  package var asksPlatform = false

  /// The URL of a hook; `nil` when there is none.
  package func url(of hook: HookName) -> String? {
    urls.last { $0.hook == hook }?.url ?? url
  }

  /// The treatment of a hook's calls without a valid answer.
  package func policy(of hook: HookName) -> HookPolicy {
    let rule = onFailure.last { $0.hook == hook } ?? onFailure.last { $0.hook == nil }
    return rule?.policy ?? .deny
  }
}

/// The URL of a hook, `message.send=https://…` in a list.
package struct HookURL: Sendable, Hashable, CustomStringConvertible {
  package let hook: HookName
  package let url: String

  package init(hook: HookName, url: String) {
    self.hook = hook
    self.url = url
  }

  init?(_ text: String) {
    guard let (name, value) = HookEntry.split(text), let hook = HookName(rawValue: name),
      let url = WebhookURLText.read(value)
    else { return nil }
    self.init(hook: hook, url: url)
  }

  package var description: String { "\(hook.rawValue)=\(url)" }
}

/// The treatment of calls without a valid answer, `message.send=allow` in a list, or `allow` for all
/// hooks without a rule of their own.
package struct HookFailureRule: Sendable, Hashable, CustomStringConvertible {
  /// `nil` for all other hooks.
  package let hook: HookName?
  package let policy: HookPolicy

  package init(hook: HookName?, policy: HookPolicy) {
    self.hook = hook
    self.policy = policy
  }

  init?(_ text: String) {
    guard let (name, value) = HookEntry.split(text) else {
      guard let policy = HookPolicy(rawValue: text) else { return nil }
      self.init(hook: nil, policy: policy)
      return
    }
    guard let hook = HookName(rawValue: name), let policy = HookPolicy(rawValue: value) else {
      return nil
    }
    self.init(hook: hook, policy: policy)
  }

  package var description: String { (hook.map { "\($0.rawValue)=" } ?? "") + policy.rawValue }
}

private enum HookEntry {
  /// Splits a text at its first equals sign.
  static func split(_ text: String) -> (name: String, value: String)? {
    guard let sign = text.firstIndex(of: "=") else { return nil }
    return (String(text[..<sign]), String(text[text.index(after: sign)...]))
  }
}
