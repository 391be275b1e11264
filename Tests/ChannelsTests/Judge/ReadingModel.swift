import ParleyProtocol
import Testing

@testable import Channels

/// What the members of a group have not read, in the plainest form: a set of messages for each member.
///
/// It follows the entries of the log in their order.
struct ReadingModel {
  private struct Message {
    let id: Int64
    let authorID: String?
    var mentions: MessageMentions?
    var isDeleted = false
  }

  fileprivate struct Reader {
    /// The messages of its history, deleted ones among them.
    var history: [Int64] = []
    var unread: Set<Int64> = []
    var hiddenState = HiddenState.unhidden
    var preference = CountPreference.all
  }

  private var messages: [Message] = []
  private var readers: [String: Reader] = [:]
  private let block: Block

  init(joined: [String], _ block: Block) {
    self.block = block
    for id in joined { readers[id] = Reader() }
  }

  var joinedIDs: [String] { readers.keys.sorted() }
  /// Deleted ones too.
  var messageIDs: [Int64] { messages.map(\.id) }

  func unreadCount(of userID: String) -> Int64 {
    guard let reader = readers[userID], reader.preference.countsMessages else { return 0 }
    return Int64(reader.unread.count)
  }

  func mentionCount(of userID: String) -> Int64 {
    guard let reader = readers[userID], reader.preference.countsMentions else { return 0 }
    return Int64(
      messages.count { message in
        reader.unread.contains(message.id) && message.mentions?.include(userID) == true
          && !(userID == block.blockerID && message.authorID == block.blockedID)
      })
  }

  func hiddenState(of userID: String) -> HiddenState? { readers[userID]?.hiddenState }

  func preference(of userID: String) -> CountPreference? { readers[userID]?.preference }

  /// The refusal of a change by the log.
  func refusal(of change: OwnChange, by userID: String) -> LogError? {
    guard let reader = readers[userID] else { return .missing(.member) }
    switch change {
    case .markRead(let id?), .markUnread(let id):
      return reader.history.contains(id) ? nil : .missing(.message)
    case .markRead(nil), .markReadUntil, .hide, .unhide, .resetHistory, .prefer, .preferPushes:
      return nil
    }
  }

  /// Applies an operation that the log has carried out.
  mutating func apply(_ operation: LogOperation) {
    switch operation {
    case .append(let new):
      let mentions = MessageMentions(new.message.mentionType, new.mentionedUserIDs)
      add(new, mentions)
    case .replace(let message, let ids, _):
      guard let ids else { return }
      for index in messages.indices where messages[index].id == message.id {
        messages[index].mentions = MessageMentions(message.mentionType, ids)
      }
    case .delete(let id, _):
      for index in messages.indices where messages[index].id == id {
        messages[index].isDeleted = true
      }
      for userID in readers.keys { readers[userID]?.unread.remove(id) }
    case .changeOwn(let change, let userID, _):
      let unreadable = unreadable(for: userID)
      readers[userID]?.apply(change, neverUnread: unreadable)
    case .change(let changes, _): for change in changes { apply(change) }
    case .deliver, .relay, .remove, .read: break
    }
  }

  private mutating func apply(_ change: ChannelChange) {
    switch change {
    case .invite(let ids, _, _): for id in ids where readers[id] == nil { readers[id] = Reader() }
    case .join(let id, _, _): if readers[id] == nil { readers[id] = Reader() }
    case .depart(let ids, _): for id in ids { readers[id] = nil }
    case .fields, .freeze, .restrict, .lift, .addOperators, .removeOperators, .keepOperators: break
    }
  }

  private mutating func add(_ new: UnsequencedMessage, _ mentions: MessageMentions?) {
    let (id, authorID) = (new.message.id, new.message.user?.id)
    // A message between two members one of whom blocks the other counts as a deleted one.
    let isDisregarded = new.blockerID != nil
    messages.append(
      Message(id: id, authorID: authorID, mentions: mentions, isDeleted: isDisregarded))
    for userID in readers.keys {
      readers[userID]?.history.append(id)
      if readers[userID]?.hiddenState == .hiddenAllowAutoUnhide, userID != new.blockerID {
        readers[userID]?.hiddenState = .unhidden
      }
      if userID != authorID {
        if !isDisregarded { readers[userID]?.unread.insert(id) }
      } else if new.role != .imported {
        readers[userID]?.unread = []
      }
    }
  }

  /// The messages that are never unread for a user: deleted ones and its own.
  private func unreadable(for userID: String) -> Set<Int64> {
    Set(messages.filter { $0.isDeleted || $0.authorID == userID }.map(\.id))
  }
}

extension ReadingModel.Reader {
  fileprivate mutating func apply(_ change: OwnChange, neverUnread unreadable: Set<Int64>) {
    switch change {
    case .markRead(nil): unread = []
    // The model has no times.
    case .markReadUntil: preconditionFailure("not among the changes of the script")
    case .markRead(let id?):
      if let index = history.firstIndex(of: id) { unread.subtract(history[...index]) }
    case .markUnread(let id):
      if let index = history.firstIndex(of: id) {
        unread = Set(history[index...]).subtracting(unreadable)
      }
    case .hide(let isClearing, let isArchived):
      hiddenState = isArchived ? .hiddenPreventAutoUnhide : .hiddenAllowAutoUnhide
      if isClearing { (history, unread) = ([], []) }
    case .unhide: hiddenState = .unhidden
    case .resetHistory: (history, unread) = ([], [])
    case .prefer(let preference): self.preference = preference
    case .preferPushes(_, let counting): preference = counting ?? preference
    }
  }
}
