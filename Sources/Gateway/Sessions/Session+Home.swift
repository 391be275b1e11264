import ParleyProtocol
import Channels

/// The session as seen by the home of its user.
extension Session {
  /// The user whose home knows of the session.
  var userID: String? {
    switch state {
    case .opening(let command, _): command.userID
    case .open(let identity): identity.user.id
    case .awaitingOpen, .openingObserver, .observing, .closed: nil
    }
  }

  /// The message that announces the session to a new home.
  var announcement: UserMessage? {
    switch state {
    case .opening: .announce(reference, openedAt: nil, channelURLs: [])
    case .open(let identity):
      .announce(reference, openedAt: identity.openedAt, channelURLs: places.urls)
    case .awaitingOpen, .openingObserver, .observing, .closed: nil
    }
  }
}
