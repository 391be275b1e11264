package import ParleyProtocol

/// The calls about which the app's back end is asked, and the rules of asking.
package struct HookConfiguration: Sendable {
  /// The URL for each hook; http or https, without credentials.
  package var urls: [HookName: String]
  /// The key that signs bodies.
  package var secret: [UInt8]
  package var userAgent = "parley"
  /// The maximum time from a call to the answer, in milliseconds.
  package var timeout: Int64 = 1_000
  /// The maximum number of concurrent requests.
  package var concurrency = 256
  /// The maximum number of calls that wait for a request.
  package var waitingLimit = 1_024
  /// The maximum bytes of their bodies.
  package var waitingBytes = 16_777_216
  /// The treatment of calls without a valid answer; `deny` for others.
  package var policies: [HookName: HookPolicy] = [:]
  /// The time in seconds for which permission to open a session is kept; 0 keeps none.
  package var sessionCacheSeconds: Int64 = 0
  /// A PEM file with the trusted certificate authorities; `nil` for those of the system.
  package var certificateAuthorities: String?

  package init(urls: [HookName: String], secret: [UInt8]) {
    self.urls = urls
    self.secret = secret
  }

  func policy(_ hook: HookName) -> HookPolicy { policies[hook] ?? .deny }
}
