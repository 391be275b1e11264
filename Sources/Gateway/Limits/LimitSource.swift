/// Who set a limit that holds; the narrowest that did decides.
enum LimitSource: String, Sendable {
  case channel
  case customType = "custom_type"
  /// Set for the deployment while it runs.
  case deployment
  /// The settings with which the gateway was started, or their defaults.
  case settings
}
