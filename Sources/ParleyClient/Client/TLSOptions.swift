internal import ClientTransport

/// How a server is verified.
public struct TLSOptions: Sendable, Hashable {
  /// Whether the server must prove who it is.
  public enum Verification: Sendable, Hashable {
    /// Its certificate must be valid, trusted and made out to its name.
    case full
    /// Anyone is believed: for experiments only.
    case none
  }

  /// Whether the server must prove who it is.
  public var verification = Verification.full
  /// PEM files of authorities that are trusted beside the system's.
  public var authorityPaths: [String] = []
  /// PEM texts of authorities that are trusted beside the system's.
  public var authorityTexts: [String] = []
  /// The name in the server's certificate, if it is not the URL's host.
  public var serverName: String?

  /// Full verification by the system's authorities.
  public init() {}

  var settings: TLSSettings {
    var settings = TLSSettings()
    settings.verification = verification == .full ? .full : .none
    settings.authorityPaths = authorityPaths
    settings.authorityTexts = authorityTexts
    settings.serverName = serverName
    return settings
  }
}
