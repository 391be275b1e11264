import Channels
import Logging
import ParleyProtocol
import Push
import Reactor
import Store

extension Session {
  /// Registers a device of the user.
  ///
  /// - Throws: 400111, 500910.
  func register(
    _ registration: PushRegister, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    try admitPushCall(by: caller)
    let services = shard.services
    try services.pushes.check(registration)
    let write = PushRegistration(registration, of: caller.user.id, at: services.clock.now)
    perform(write, address) { _, writer in writer.object { _ in } }
  }

  /// Removes tokens of the user, if there are any.
  ///
  /// - Throws: 500910.
  func unregister(
    _ call: PushUnregister, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    try admitPushCall(by: caller)
    perform(PushRemoval(call, of: caller.user.id), address) { _, writer in
      writer.object { _ in }
    }
  }

  /// Lists the tokens of the user.
  ///
  /// - Throws: 500910.
  func listPushTokens(
    _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    try admitPushCall(by: caller)
    let path = shard.returnPath
    shard.services.store.perform(PushTokens(of: caller.user.id)) { result in
      let outcome = result.serviceResult.map { tokens in
        JSONWriter.bytes {
          $0.object {
            $0.member(
              "tokens",
              array: { writer in
                for token in tokens { token.encode(naming: token.shownName, into: &writer) }
              })
          }
        }
      }
      path.resume { $0.reply(to: address, outcome) }
    }
  }

  /// Changes and returns the user's choices about pushes.
  ///
  /// - Throws: 400111 for a time zone that does not exist, 500910.
  func prefer(
    _ change: PushPreferencesChange, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    try admitPushCall(by: caller)
    try shard.services.pushes.check(change)
    let path = shard.returnPath
    shard.services.changePushPreferences(change, of: caller.user.id) { result in
      let outcome = result.map { preferences in
        JSONWriter.bytes {
          $0.object {
            $0.name("preferences")
            preferences.encode(into: &$0)
          }
        }
      }
      path.resume { $0.reply(to: address, outcome) }
    }
  }

  /// Ends the session, after the user's tokens are removed if the client asks for that.
  func end(unregistersPush: Bool, _ address: ReplyAddress) {
    guard unregistersPush, let caller else { return end(address) }
    let path = shard.returnPath
    shard.services.store.perform(PushRemoval(.all, of: caller.user.id)) {
      [confined = LoopBound(self)] result in
      path.resume { shard in
        if case .failure(let error) = result.serviceResult {
          return shard.reply(to: address, .failure(error))
        }
        confined.value.end(address)
      }
    }
  }

  /// Records whether the user gets pushes in spite of this session.
  func setBackground(_ isOn: Bool, _ caller: SessionPrincipal, _ address: ReplyAddress) {
    isInBackground = isOn
    shard.send(.user(id: caller.user.id, .background(reference, isOn)))
    reply(.empty, to: address)
  }

  private func admitPushCall(by caller: SessionPrincipal) throws(ServiceError) {
    try shard.services.pushes.admit(caller.user.id, at: SystemClock.monotonicMilliseconds)
  }

  private func perform<Write: StoreWrite>(
    _ write: Write, _ address: ReplyAddress,
    _ encode: @escaping @Sendable (Write.Outcome, inout JSONWriter) -> Void
  ) {
    let path = shard.returnPath
    shard.services.store.perform(write) { result in
      let outcome = result.serviceResult.map { value in
        JSONWriter.bytes { encode(value, &$0) }
      }
      path.resume { $0.reply(to: address, outcome) }
    }
  }
}

extension PushToken {
  /// The number of characters of a token that are shown: enough to recognize it, and not to send to it.
  private static let shownCount = 8

  /// The end of the token.
  fileprivate var shownName: String { String(address.name.suffix(Self.shownCount)) }

  /// - Parameter name: The token, or as much of it as may be shown.
  func encode(naming name: String, into writer: inout JSONWriter) {
    writer.object {
      $0.member("type", type.rawValue)
      $0.member("token", name)
      $0.member("device_id", deviceID)
      $0.member("created_at", createdAt)
      $0.member("last_success_at", lastSuccessAt)
    }
  }
}

extension GatewayServices {
  /// Changes the choices of a user about pushes, or reads them if nothing is to be changed.
  ///
  /// - Parameter completion: Called once, on any thread.
  func changePushPreferences(
    _ change: PushPreferencesChange, of userID: String,
    then completion: @escaping @Sendable (Result<PushPreferences, ServiceError>) -> Void
  ) {
    if change.isEmpty {
      store.perform(PushPreferencesLookup(of: userID)) { completion($0.serviceResult) }
    } else {
      store.perform(PushPreferencesUpdate(change, of: userID)) { completion($0.serviceResult) }
    }
  }

  /// Pushes what went to a connection that was lost.
  ///
  /// - Parameter since: The last sign of life of the connection, in Unix milliseconds.
  func pushMissed(of userID: String, since: Int64) {
    guard pushes.isOn else { return }
    pushMissed(MissedPushes(of: [userID], since: since, at: clock.now)) {}
  }

  /// - Parameter completion: Called once, on any thread.
  func pushMissed(_ missed: MissedPushes, then completion: @escaping @Sendable () -> Void) {
    store.perform(missed) { [logger] result in
      if case .failure(let error) = result {
        logger.warning(
          "messages to lost connections are not pushed", metadata: ["reason": "\(error)"])
      }
      completion()
    }
  }
}
