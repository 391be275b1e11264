internal import Basics

/// The devices of the current user that receive pushes.
///
/// While no session of the user is in the foreground, messages of its groups are pushed to its devices. The
/// types that the server pushes to are in ``ServerFeatures/push-swift.property``.
extension ParleyClient {
  /// Registers a device of Apple for pushes to the current user.
  ///
  /// Register the device at each start of the application: tokens change, and the server forgets those that
  /// are no longer valid. A token belongs to the user who registered it last.
  ///
  /// - Parameters:
  ///   - token: The bytes of the device token, as APNs gave it to the application.
  ///   - unique: Whether the user's other devices of Apple are removed.
  ///   - deviceID: The device, whose earlier token is replaced; at most 128 characters.
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400111 on a server without APNs.
  public func registerDevicePushToken(
    _ token: some Sequence<UInt8>, unique: Bool = false, deviceID: String? = nil
  ) async throws(ParleyError) {
    try await core.perform(
      PushCalls.register(token.hexadecimal, .apns, isUnique: unique, deviceID: deviceID))
  }

  /// Registers a device for pushes to the current user, by the token of its service as text.
  ///
  /// Browsers have no single token: they register with `parley.js`.
  ///
  /// - Parameters:
  ///   - type: The service; not ``PushTokenType/web``.
  ///   - unique: Whether the user's other tokens of the type are removed.
  ///   - deviceID: The device, whose earlier token is replaced; at most 128 characters.
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400111 for a type that the server does not
  ///   push to, and with 400110 for a token of more than 4,096 characters.
  public func registerPushToken(
    _ token: String, type: PushTokenType, unique: Bool = false, deviceID: String? = nil
  ) async throws(ParleyError) {
    try await core.perform(
      PushCalls.register(token, type, isUnique: unique, deviceID: deviceID))
  }

  /// Ends pushes to a device of Apple; of no effect if it is not registered.
  public func unregisterPushToken(_ token: some Sequence<UInt8>) async throws(ParleyError) {
    try await core.perform(PushCalls.unregister(token.hexadecimal, .apns))
  }

  /// Ends pushes to a device, by the token of its service as text; of no effect if it is not registered.
  ///
  /// - Parameter token: The token, or the endpoint of a browser.
  public func unregisterPushToken(
    _ token: String, type: PushTokenType
  ) async throws(ParleyError) {
    try await core.perform(PushCalls.unregister(token, type))
  }

  /// Ends pushes to all devices of the current user.
  public func unregisterAllPushToken() async throws(ParleyError) {
    try await core.perform(PushCalls.unregisterAll)
  }

  /// Fetches the devices of the current user, those registered first in front.
  public func pushTokens() async throws(ParleyError) -> [PushToken] {
    try await core.perform(PushCalls.tokens)
  }
}

/// The calls with completion handlers in the style of other chat SDKs.
///
/// Each handler is called once, on the client's callback queue, with a value or an error.
extension ParleyClient {
  /// Registers a device of Apple; see ``registerDevicePushToken(_:unique:deviceID:)``.
  public func registerDevicePushToken(
    _ token: some Sequence<UInt8>, unique: Bool = false, deviceID: String? = nil,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(
      PushCalls.register(token.hexadecimal, .apns, isUnique: unique, deviceID: deviceID),
      handler: completionHandler)
  }

  /// Registers a device; see ``registerPushToken(_:type:unique:deviceID:)``.
  public func registerPushToken(
    _ token: String, type: PushTokenType, unique: Bool = false, deviceID: String? = nil,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(
      PushCalls.register(token, type, isUnique: unique, deviceID: deviceID),
      handler: completionHandler)
  }

  /// Ends pushes to a device of Apple; see ``unregisterPushToken(_:)``.
  public func unregisterPushToken(
    _ token: some Sequence<UInt8>, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(PushCalls.unregister(token.hexadecimal, .apns), handler: completionHandler)
  }

  /// Ends pushes to a device; see ``unregisterPushToken(_:type:)``.
  public func unregisterPushToken(
    _ token: String, type: PushTokenType,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(PushCalls.unregister(token, type), handler: completionHandler)
  }

  /// Ends pushes to all devices; see ``unregisterAllPushToken()``.
  public func unregisterAllPushToken(
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(PushCalls.unregisterAll, handler: completionHandler)
  }

  /// Fetches the devices of the current user; see ``pushTokens()``.
  public func pushTokens(
    completionHandler: @escaping @Sendable ([PushToken]?, ParleyError?) -> Void
  ) {
    core.start(PushCalls.tokens, handler: completionHandler)
  }
}

extension Sequence<UInt8> {
  /// The bytes as hexadecimal digits, the form of device tokens of Apple.
  fileprivate var hexadecimal: String { Hexadecimal.encode(Array(self)) }
}
