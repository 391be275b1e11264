internal import ParleyProtocol

/// An open channel to be created.
public struct OpenChannelCreateParams: Sendable, Hashable {
  /// The name shown to people, at most 191 characters.
  public var name = ""
  /// 4 to 100 characters of `[A-Za-z0-9_-]`; `nil` lets the server make one.
  public var channelURL: String?
  /// The address of a picture, at most 2,048 characters.
  public var coverURL = ""
  /// The application's own, at most 16,384 bytes; the server does not look inside.
  public var data = ""
  /// The application's own name for this kind of channel, at most 128 characters.
  public var customType = ""
  /// Operators beside the creator, at most 100.
  public var operatorUserIDs: [String] = []
  /// Whether its messages are not kept.
  public var isEphemeral = false

  /// Begins a channel with its name.
  public init(name: String = "", channelURL: String? = nil) {
    self.name = name
    self.channelURL = channelURL
  }

  func write(into writer: inout JSONWriter) {
    if !name.isEmpty { writer.member("name", name) }
    if let channelURL { writer.member("channel_url", channelURL) }
    if !coverURL.isEmpty { writer.member("cover_url", coverURL) }
    if !data.isEmpty { writer.member("data", data) }
    if !customType.isEmpty { writer.member("custom_type", customType) }
    if !operatorUserIDs.isEmpty { writer.member("operator_ids", operatorUserIDs) }
    if isEphemeral { writer.member("is_ephemeral", true) }
  }
}
