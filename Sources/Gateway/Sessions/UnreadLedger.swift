import ParleyProtocol
import Store

/// The unread messages of a user by group, and the groups that have to be read again.
///
/// Nothing is counted here: an event or a call marks its group, whose numbers are then read. So the numbers
/// are those of the store, whatever the event.
struct UnreadLedger {
  /// The groups with numbers other than 0.
  private var groups: [String: CountedGroup] = [:]
  private var markedURLs: Set<String> = []
  private var isAllMarked = false

  /// Whether groups have to be read.
  var isMarked: Bool { isAllMarked || !markedURLs.isEmpty }

  mutating func mark(_ selection: GroupSelection) {
    switch selection {
    case .all: isAllMarked = true
    case .urls(let urls): markedURLs.formUnion(urls)
    }
  }

  /// Returns the groups that have to be read, which are no longer marked.
  mutating func takeMarked() -> GroupSelection? {
    guard isMarked else { return nil }
    defer { (isAllMarked, markedURLs) = (false, []) }
    return isAllMarked ? .all : .urls(markedURLs.sorted())
  }

  /// Applies the numbers of groups as they were read.
  mutating func apply(_ read: [CountedGroup], of selection: GroupSelection) {
    switch selection {
    case .all: groups = [:]
    case .urls(let urls): for url in urls { groups[url] = nil }
    }
    for group in read { groups[group.url] = group }
  }

  /// The numbers over all groups.
  var totals: Event.Totals {
    var all = GroupNumbers.zero
    var types: [String: GroupNumbers] = [:]
    for group in groups.values {
      all = all + group.numbers
      guard !group.customType.isEmpty else { continue }
      types[group.customType] = (types[group.customType] ?? .zero) + group.numbers
    }
    guard types.count > Event.Totals.typeCount else {
      return Event.Totals(all, byCustomType: types)
    }
    let most = types.sorted {
      ($0.value.unreadMessageCount, $1.key) > ($1.value.unreadMessageCount, $0.key)
    }.prefix(Event.Totals.typeCount)
    return Event.Totals(
      all, byCustomType: Dictionary(uniqueKeysWithValues: most.map { ($0.key, $0.value) }))
  }
}

extension EventName {
  /// Whether the event may change what a user has not read.
  var movesNumbers: Bool {
    switch self {
    // An update may change whom a message mentions.
    case .messageReceived, .messageUpdated, .messageDeleted, .channelChanged, .channelDeleted,
      .userBanned, .groupInvited, .groupJoined, .groupDeclined, .groupLeft, .groupLost,
      .groupUnread, .groupHidden, .groupUnhidden, .groupReady:
      true
    case .channelCreated, .channelFrozen, .channelUnfrozen, .userMuted,
      .userUnmuted, .userUnbanned, .operatorsChanged, .groupCreated, .groupMemberCount, .groupRead,
      .groupDelivered, .groupTyping, .groupTotals, .userEntered, .userExited, .participantCount,
      .throttled,
      .messageWithheld, .mentionReceived, .sessionExpiring, .sessionFileKey, .serverDraining,
      .messageReport, .userReport, .channelReport:
      false
    }
  }
}

extension ChannelCommand {
  /// Whether the command may change what its caller has not read.
  fileprivate var movesNumbers: Bool {
    switch self {
    case .send, .deleteMessage, .operation: true
    case .group(let command):
      switch command {
      case .update, .change, .changeOwn, .delete: true
      case .view, .typing, .receipts, .markDelivered: false
      }
    case .view, .viewMessage, .updateMessage, .translateMessage, .changeMetaArrays: false
    }
  }
}

extension Command {
  /// The groups whose numbers may change for the caller itself; `nil` for none.
  var movedGroups: GroupSelection? {
    switch self {
    case .channel(let url, let command): command.movesNumbers ? .urls([url]) : nil
    case .messageSendFiles(let files): .urls([files.channelURL])
    case .groupUpdate(let update): .urls([update.channelURL])
    case .groupsMarkRead, .userBlock, .userUnblock: .all
    case .sessionOpen, .sessionObserve, .sessionRefresh, .sessionPing, .sessionClose,
      .sessionBackground, .pushRegister, .pushUnregister, .pushTokens, .pushPreferences, .userGet,
      .userUpdate, .userPreferences, .userBlocked, .channelCreate, .channelList, .channelUpdate,
      .channelEnter, .channelExit, .channelParticipants, .groupCreate, .groupMembers, .groupList,
      .groupUnread, .groupWatchTotals, .groupChanges, .groupRecover, .groupsMarkDelivered,
      .messageList, .messageChanges, .messageSearch, .report, .fileCreate, .fileGet, .fileList,
      .fileCancel, .previewFetch, .previewCancel:
      nil
    }
  }
}
