package import ParleyProtocol

/// Identifies a call of a channel that the app's back end is asked about.
package enum HookID: Hashable, Sendable {
  /// The waiting send with this number.
  case send(Int64)
  /// An edit of a message, or a change of members.
  case call(Int64)
}

/// The calls of a channel about which the app's back end is asked.
///
/// A reference, so that a channel without hooks compares one word.
package final class JudgeHooks: Sendable {
  private let names: Set<HookName>
  /// Whether calls of the Platform API are asked about.
  private let includesPlatform: Bool
  /// The limits on the values in changes.
  let limits: CustomDataLimits

  package init(_ names: Set<HookName>, includesPlatform: Bool, limits: CustomDataLimits) {
    self.names = names
    self.includesPlatform = includesPlatform
    self.limits = limits
  }

  /// Whether a call is asked about.
  func asks(_ hook: HookName, _ principal: Principal) -> Bool {
    switch principal {
    case .session, .background: names.contains(hook)
    case .platform: includesPlatform && names.contains(hook)
    }
  }
}

/// A question to the app's back end about a call of a channel.
package struct HookQuestion: Sendable {
  package let id: HookID
  package let hook: HookName
  package let principal: Principal
  /// See ``HookRequest/params``.
  package let params: [UInt8]
  /// See ``HookRequest/identity``.
  package let identity: String?
}
