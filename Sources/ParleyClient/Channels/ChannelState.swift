internal import ParleyProtocol
internal import ClientTransport

/// The client and the latest properties of a channel; read them through ``BaseChannel``.
public final class ChannelState: Sendable {
  let url: String
  let core: ClientCore
  private let latest: Locked<ChannelProperties>

  init(_ properties: ChannelProperties, _ core: ClientCore) {
    url = properties.snapshot.url
    self.core = core
    latest = Locked(properties)
  }

  deinit {
    core.channels.forget(url)
  }

  var snapshot: ChannelSnapshot { latest.withLock { $0.snapshot } }

  var view: GroupView { latest.withLock { $0.view } }

  func apply(_ change: SnapshotChange) {
    let userID = core.currentUser?.userID
    latest.withLock { change.apply(to: &$0, for: userID) }
  }

  /// Applies an event with its number, if it has one.
  func apply(_ change: SnapshotChange?, seq: Int64?) {
    if let change { apply(change) }
    let userID = core.currentUser?.userID
    latest.withLock { latest in
      switch change {
      case .messageDeleted(let deletion): latest.view.uncount(deletion, seq: seq, for: userID)
      case .mentionsChanged(let message, let former):
        latest.view.recountMention(in: message, from: former, seq: seq, for: userID)
      case .replaced, .operators, .participantCount, .muted, .message, .members, .own, .reads,
        .deliveries, .typing, nil:
        break
      }
      if let seq { latest.view.receive(seq: seq) }
    }
  }

  /// Whether an event is part of the properties that the client has read.
  func contains(seq: Int64) -> Bool {
    latest.withLock { $0.view.position?.isNew(seq) == false }
  }

  /// Applies the answer to a call that sent or changed a message.
  func note(_ message: any BaseMessage, seq: Int64?) {
    apply(.message(message))
    // The server has ended the typing of the sender.
    latest.withLock { _ = $0.view.ownTyping.end() }
    latest.withLock {
      if let seq { $0.view.position?.note(seq) } else { $0.view.noteOwnEvent() }
    }
  }

  /// Whether events before this one were missed.
  func hasGap(before event: GroupArrivals.Event) -> Bool {
    latest.withLock { $0.view.hasGap(before: event) }
  }

  /// Lets events wait until those before them are recovered.
  func holdEvents() { latest.withLock { $0.view.holdsEvents = true } }

  func stopHoldingEvents() { latest.withLock { $0.view.holdsEvents = false } }

  /// Records that all events up to a number were received, as all later ones will be.
  func cover(upTo seq: Int64) { latest.withLock { $0.view.cover(upTo: seq) } }

  /// Records that events may be missing from now on.
  func uncover() {
    latest.withLock {
      $0.view.isCovered = false
      $0.view.typingUserIDs = []
      _ = $0.view.ownTyping.end()
    }
  }

  /// Notes that the current user types.
  ///
  /// - Returns: Whether to call the server.
  func beginTyping() -> Bool {
    latest.withLock { $0.view.ownTyping.begin(at: .now) }
  }

  /// Notes that the current user no longer types.
  ///
  /// - Returns: Whether to call the server.
  func endTyping() -> Bool {
    latest.withLock { $0.view.ownTyping.end() }
  }

  /// Replaces the properties of a group with those of an answer.
  ///
  /// While a group is recovered, an answer does not move its position: the answer may be to a call that was
  /// repeated after the cut, and the missed events come from the known position on.
  ///
  /// - Returns: Whether nothing was missed since the group was covered; `nil` while it was, and while
  ///   it is not covered again.
  func read(_ newer: ChannelProperties) -> Bool? {
    latest.withLock { latest in
      let known = latest.view
      latest = newer
      latest.view.keep(known)
      if known.isCovered { return nil }
      guard newer.view.isCovered, !known.holdsEvents else {
        latest.view.isCovered = false
        latest.view.position = known.position
        return nil
      }
      return known.position?.hasSeenAll(upTo: newer.view.position)
    }
  }
}

/// The properties of a channel.
struct ChannelProperties: Sendable {
  var snapshot: ChannelSnapshot
  /// The part of a group that differs between users; empty for an open channel.
  var view = GroupView()

  init(_ snapshot: ChannelSnapshot, _ view: GroupView = GroupView()) {
    self.snapshot = snapshot
    self.view = view
  }
}

/// The properties of a channel that are the same for all users.
struct ChannelSnapshot: Sendable, Hashable {
  var url: String
  var name: String
  var coverURL: String
  var data: String
  var customType: String
  var isEphemeral: Bool
  var isFrozen: Bool
  /// The number of users in an open channel; 0 for a group.
  var participantCount: Int
  var operators: [User]
  var maxMessageLength: Int
  var createdAt: Int64
  /// The properties that only groups have.
  var group = GroupProperties()

  init(json: JSONNode) throws(ParleyError) {
    let info = try AnswerReader.resource { () throws(ResourceError) in try ChannelInfo(json: json) }
    let channel = info.channel
    url = channel.url
    name = channel.name
    coverURL = channel.coverURL
    data = channel.data
    customType = channel.customType
    isEphemeral = channel.isEphemeral
    isFrozen = channel.isFrozen
    participantCount = info.participantCount
    operators = channel.operators.map(User.init)
    maxMessageLength = info.maxMessageLength
    createdAt = channel.createdAt
    guard let group = channel.group else { return }
    self.group = GroupProperties(
      group, isAccessCodeRequired: json["is_access_code_required"]?.bool ?? false)
  }
}
