import ParleyClient

/// The code of the page Groups.md, whose blocks stand here word for word.
struct GroupRecipes {
  let client: ParleyClient
  let show: @Sendable (String) -> Void

  func create() async throws -> GroupChannel {
    let params = GroupChannelCreateParams(name: "Trip", userIDs: ["ben", "cleo"])
    let trip = try await client.createGroupChannel(params: params)
    try await trip.sendUserMessage("Who has the tickets?")
    return trip
  }

  func listen() async {
    for await event in client.events {
      if case .group(let group, .messageReceived(let message)) = event {
        show("\(group.name): \(message.message)")
      }
    }
  }

  func invite(to trip: GroupChannel) async throws {
    let result = try await trip.inviteUserIDs(["dan"])
    show("joined: \(result.joinedUserIDs), invited: \(result.invitedUserIDs)")
  }

  func accept(_ group: GroupChannel) async throws {
    if group.myMemberState == .invited {
      try await group.acceptInvitation()
    }
  }

  func listMembers(of trip: GroupChannel) async throws {
    let params = MemberListQueryParams()
    params.memberStateFilter = .joined
    let query = trip.createMemberListQuery(params: params)
    while query.hasNext {
      for member in try await query.loadNextPage() {
        show("\(member.userID) \(member.role == .operator ? "moderates" : "takes part")")
      }
    }
  }

  func join() async throws {
    let club = try await client.groupChannel(url: "club")
    if club.myMemberState == .none {
      try await club.join(accessCode: "open sesame")
    }
  }

  func follow(_ message: any BaseMessage, in group: GroupChannel) async {
    for await event in group.events {
      switch event {
      case .readStatusChanged:
        show("\(group.getUnreadMemberCount(message)) have not read it")
      case .typingStatusChanged:
        show(group.getTypingUsers().map(\.nickname).joined(separator: ", "))
      default: break
      }
    }
  }

  func listGroups() async throws {
    let query = client.createMyGroupChannelListQuery { params in
      params.channelHiddenStateFilter = .unhiddenOnly
      params.includeEmptyChannel = false
    }
    while query.hasNext {
      for group in try await query.loadNextPage() {
        show("\(group.name): \(group.unreadMessageCount) unread")
      }
    }
  }

  func read(_ group: GroupChannel) async throws {
    for await event in group.events {
      switch event {
      case .messageReceived(let message):
        show(message.message)
        try await group.markAsRead(upTo: message)
      case .unreadMessageCountChanged:
        show("\(group.unreadMessageCount) unread in \(group.name)")
      default: break
      }
    }
  }

  func total() async throws {
    let totals = try await client.unreadTotals()
    show("\(totals.unreadMessageCount) unread in \(totals.unreadChannelCount) groups")
    try await client.markAllGroupsAsRead()
  }

  func badge() async throws {
    let clientEvents = client.events
    try await client.startWatchingUnreadTotals()
    for await event in clientEvents {
      if case .unreadTotalsChanged(let totals) = event {
        show("badge: \(totals.unreadMessageCount)")
      }
    }
  }

  func archive(_ group: GroupChannel) async throws {
    try await group.hide(hidePreviousMessages: false, allowAutoUnhide: false)
    show("archived: \(group.hiddenState == .hiddenPreventAutoUnhide)")
    try await group.unhide()
  }

  func block() async throws {
    try await client.blockUser(userID: "dan")
    let query = client.createBlockedUserListQuery()
    show("blocked: \(try await query.loadNextPage().map(\.userID))")
    try await client.unblockUser(userID: "dan")
  }

  func choose() async throws {
    try await client.setChannelInvitationPreference(autoAccept: false)
    try await client.setReadReceiptPreference(sendsReceipts: true)
    show("joins at once: \(try await client.getChannelInvitationPreference())")
  }

  func push(to registrationToken: String, _ group: GroupChannel) async throws {
    try await client.registerPushToken(registrationToken, type: .gcm, deviceID: "phone")
    try await client.setBackground(true)
    try await client.setPushTriggerOption(.mentionOnly)
    try await client.setDoNotDisturb(
      enable: true, startHour: 22, startMin: 0, endHour: 6, endMin: 30, timezone: "Europe/Berlin")
    try await group.setMyPushTriggerOption(.off)
  }

  func readAgain(_ group: GroupChannel) async throws {
    for await event in group.events {
      if case .eventsLost(.gap) = event {
        let missed = try await group.messages()
        show("the latest \(missed.count) messages of \(group.name)")
      }
    }
  }
}
