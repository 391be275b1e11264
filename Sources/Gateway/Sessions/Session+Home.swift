import ParleyProtocol
import Channels

/// The session as seen by the home of its user.
extension Session {
  /// The user whose home knows of the session.
  var userID: String? {
    switch state {
    case .opening(let command, _): command.userID
    case .open(let identity): identity.user.id
    case .awaitingOpen, .asking, .openingObserver, .observing, .closed: nil
    }
  }

  /// The message that announces the session to a new home.
  var announcement: UserMessage? {
    switch state {
    case .opening(let command, _):
      .announce(
        reference, openedAt: nil, channelURLs: [], hearsGroups: command.hearsGroups,
        isInBackground: false)
    case .open(let identity):
      .announce(
        reference, openedAt: identity.openedAt,
        // Groups do not count in the channels of a user.
        channelURLs: places.urls.filter { shard.channelSubscribers[$0]?.isOfGroup != true },
        hearsGroups: hearsGroups, isInBackground: isInBackground)
    case .awaitingOpen, .asking, .openingObserver, .observing, .closed: nil
    }
  }
}
