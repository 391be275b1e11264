internal import ParleyProtocol

/// A service by which pushes reach a device.
public enum PushTokenType: String, Sendable, Hashable, Codable {
  /// Web Push, for browsers; its tokens are the endpoints of subscriptions.
  case web
  /// APNs, for devices of Apple.
  case apns
  /// Firebase Cloud Messaging, for Android devices.
  case gcm
  /// Push Kit, for Huawei devices.
  case huawei
}

/// A device that is registered for pushes to the current user.
public struct PushToken: Sendable, Hashable {
  /// The service that delivers the pushes.
  public let type: PushTokenType
  /// The last 8 characters of the token, or of the endpoint of a browser.
  public let tokenSuffix: String
  /// The id that the device was registered with; empty if there was none.
  public let deviceID: String
  /// The time of the last registration in Unix milliseconds.
  public let createdAt: Int64
  /// The time of the last push that the service accepted in Unix milliseconds; 0 if there was none.
  public let lastSuccessAt: Int64

  /// - Returns: `nil` for a type that this version does not know.
  static func read(json: JSONNode) throws(ParleyError) -> PushToken? {
    guard let type = PushTokenType(rawValue: try AnswerReader.text("type", of: json)) else {
      return nil
    }
    return PushToken(
      type: type, tokenSuffix: try AnswerReader.text("token", of: json),
      deviceID: try AnswerReader.text("device_id", of: json),
      createdAt: try AnswerReader.integer("created_at", of: json),
      lastSuccessAt: try AnswerReader.integer("last_success_at", of: json))
  }
}
