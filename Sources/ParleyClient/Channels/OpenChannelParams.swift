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

/// Changes of a channel; members that are `nil` keep their values.
public struct OpenChannelUpdateParams: Sendable, Hashable {
  /// The name shown to people.
  public var name: String?
  /// The address of a picture.
  public var coverURL: String?
  /// The application's own.
  public var data: String?
  /// The application's own name for this kind of channel.
  public var customType: String?
  /// Replaces all operators.
  public var operatorUserIDs: [String]?

  /// Names what is to change.
  public init(
    name: String? = nil, coverURL: String? = nil, data: String? = nil, customType: String? = nil,
    operatorUserIDs: [String]? = nil
  ) {
    self.name = name
    self.coverURL = coverURL
    self.data = data
    self.customType = customType
    self.operatorUserIDs = operatorUserIDs
  }

  func write(into writer: inout JSONWriter) {
    if let name { writer.member("name", name) }
    if let coverURL { writer.member("cover_url", coverURL) }
    if let data { writer.member("data", data) }
    if let customType { writer.member("custom_type", customType) }
    if let operatorUserIDs { writer.member("operator_ids", operatorUserIDs) }
  }
}
