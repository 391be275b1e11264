internal import Bytes
internal import HTTP1
internal import ArgumentParser

/// Whose limits are meant: the deployment's, unless something else is given.
struct LimitScopeOptions: ParsableArguments {
  private static let root = "/v3/parley/limits"

  @Option(help: ArgumentHelp("Those of this channel.", valueName: "channel"))
  var channel: String?

  @Option(help: ArgumentHelp("Those of channels of this kind.", valueName: "type"))
  var customType: String?

  func validate() throws {
    guard channel == nil || customType == nil else {
      throw ValidationError("give one of --channel and --custom-type")
    }
    guard channel?.isEmpty != true, customType?.isEmpty != true else {
      throw ValidationError("--channel and --custom-type can't be empty")
    }
  }

  /// Its place in the Platform API.
  var path: String {
    if let channel { return Self.path(ofChannel: channel) }
    return customType.map(Self.path(ofCustomType:)) ?? Self.root
  }

  /// The place of the deployment's limits.
  static var pathOfDeployment: String { root }

  /// The place of a channel's limits.
  static func path(ofChannel url: String) -> String {
    "\(root)/channels/\(PercentEncoding.encode(pathPart: url))"
  }

  /// The place of the limits of a kind of channel.
  static func path(ofCustomType type: String) -> String {
    "\(root)/custom_types/\(PercentEncoding.encode(pathPart: type))"
  }
}
