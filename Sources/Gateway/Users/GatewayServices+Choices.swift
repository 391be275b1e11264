import Channels
import ParleyProtocol
import Store

/// The choices of users about groups.
extension GatewayServices {
  /// Changes and reads the choices of a user.
  ///
  /// The judges of the user's groups that are in memory learn of changed read receipts before the answer.
  ///
  /// - Parameter completion: Called once, on any thread.
  func choose(
    _ preferences: UserPreferences, userID: String,
    then completion: @escaping @Sendable (Result<UserChoices, ServiceError>) -> Void
  ) {
    guard preferences != UserPreferences() else {
      return store.perform(UserChoicesLookup(of: userID)) { completion($0.serviceResult) }
    }
    let change = UserChoicesChange(
      of: userID, acceptsInvitations: preferences.acceptsInvitations,
      hidesReads: preferences.sendsReadReceipts.map { !$0 })
    store.perform(change) { result in
      guard change.hidesReads != nil, case .success(let choices) = result else {
        return completion(result.serviceResult)
      }
      self.store.perform(JoinedGroups(of: userID)) { found in
        if case .success(let groups) = found {
          for url in groups.urls {
            let message = ChannelMessage.readPrivacyChanged(
              userID: userID, hidesReads: choices.hidesReads)
            self.shards.send(.channel(url: url, message))
          }
        }
        completion(found.serviceResult.map { _ in choices })
      }
    }
  }
}
