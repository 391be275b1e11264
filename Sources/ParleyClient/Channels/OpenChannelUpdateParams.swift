internal import ParleyProtocol

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
