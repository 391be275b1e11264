import Configuration
import ParleyProtocol
import Transport
import WebSocket

/// The users that are at home on a node and have sessions anywhere.
final class UserDirectory {
  /// A user's sessions and channels over all its connections.
  private struct Presence {
    /// Oldest first.
    var sessions: [SessionReference] = []
    /// The channels that any session is in: a few at most, so that a list is smaller and faster
    /// than a table.
    var channels: [ChannelUse] = []

    var isEmpty: Bool { sessions.isEmpty && channels.isEmpty }

    mutating func enter(_ url: String, _ session: SessionReference) {
      guard let index = channels.firstIndex(where: { $0.url == url }) else {
        channels.append(ChannelUse(url: url, sessions: [session]))
        return
      }
      if !channels[index].sessions.contains(session) { channels[index].sessions.append(session) }
    }

    mutating func leave(_ session: SessionReference, where isLeft: (String) -> Bool) {
      for index in channels.indices where isLeft(channels[index].url) {
        channels[index].sessions.removeAll { $0 == session }
      }
      channels.removeAll { $0.sessions.isEmpty }
    }
  }

  private struct ChannelUse {
    let url: String
    var sessions: [SessionReference]
  }

  private unowned let node: Node
  private var presences: [String: Presence] = [:]

  init(node: Node) {
    self.node = node
  }

  /// Adds a session; when the user now has too many, its oldest is closed.
  func add(_ session: SessionReference, of userID: String) {
    presences[userID, default: Presence()].sessions.append(session)
    let limit = node.services.settings.limits.connectionsPerUser
    guard let sessions = presences[userID]?.sessions, sessions.count > limit else { return }
    for oldest in sessions.prefix(sessions.count - limit) { close(oldest) }
    presences[userID]?.sessions.removeFirst(sessions.count - limit)
  }

  /// Takes a session out, with all its channels.
  func remove(_ session: SessionReference, of userID: String) {
    guard var presence = presences[userID] else { return }
    presence.sessions.removeAll { $0 == session }
    presence.leave(session) { _ in true }
    presences[userID] = presence.isEmpty ? nil : presence
  }

  /// Notes that a session is about to enter a channel.
  ///
  /// - Returns: Whether the user may be in one more channel.
  func reserve(_ channelURL: String, for session: SessionReference, of userID: String) -> Bool {
    var presence = presences[userID, default: Presence()]
    let limit = node.services.settings.limits.channelsPerUser
    guard
      presence.channels.count < limit || presence.channels.contains(where: { $0.url == channelURL })
    else { return false }
    presence.enter(channelURL, session)
    presences[userID] = presence
    return true
  }

  /// Notes that a session is not, or no longer, in a channel.
  func release(_ channelURL: String, of session: SessionReference, of userID: String) {
    guard var presence = presences[userID] else { return }
    presence.leave(session) { $0 == channelURL }
    presences[userID] = presence.isEmpty ? nil : presence
  }

  /// Sends an event to all of a user's sessions.
  func send(_ event: [UInt8], to userID: String) {
    forEachSession(of: userID) { $0.send(event) }
  }

  /// Lets all of a user's sessions know its new profile.
  func update(_ user: User) {
    forEachSession(of: user.id) { $0.userDidChange(user) }
  }

  /// Whether a user that is at home here has a session.
  func isOnline(_ userID: String) -> Bool {
    presences[userID]?.sessions.isEmpty == false
  }

  /// Closes all of a user's sessions.
  func closeAll(of userID: String, _ code: CloseCode, reason: String) {
    forEachSession(of: userID) { $0.close(code, reason: reason) }
  }

  private func forEachSession(
    of userID: String, _ body: @escaping @Sendable (Session) -> Void
  ) {
    for reference in presences[userID]?.sessions ?? [] {
      node.post(to: node.services.cluster.nodes[reference.node]) { node in
        if let session = node.sessions[reference.connection] { body(session) }
      }
    }
  }

  private func close(_ reference: SessionReference) {
    node.post(to: node.services.cluster.nodes[reference.node]) { node in
      node.sessions[reference.connection]?.close(
        .tooManySessions, reason: "the user has opened too many sessions: this was its oldest")
    }
  }
}
