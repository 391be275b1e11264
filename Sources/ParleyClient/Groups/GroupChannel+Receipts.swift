/// How far the members have read, and how far their clients have received messages.
///
/// Only groups of up to ``ServerFeatures/Groups/maxReceiptMembers`` members have receipts: their
/// ``members`` have a ``Member/readAt``. In other groups no positions are known. Members
/// who joined after a message count neither as having read it nor as not having read it.
extension GroupChannel {
  /// Returns the number of members, besides the sender, who have not read a message.
  public func getUnreadMemberCount(_ message: any BaseMessage) -> Int {
    readers(of: message, besides: [message.sender?.userID]).count { !$0.hasRead(message) }
  }

  /// Returns the members who have read a message.
  ///
  /// - Parameter includeAllMembers: Whether the current user and the sender are among them.
  public func getReadMembers(message: any BaseMessage, includeAllMembers: Bool) -> [Member] {
    readers(of: message, besides: includeAllMembers ? [] : authors(of: message)).filter {
      $0.hasRead(message)
    }
  }

  /// Returns the members who have not read a message.
  ///
  /// - Parameter includeAllMembers: Whether the current user and the sender are among them.
  public func getUnreadMembers(message: any BaseMessage, includeAllMembers: Bool) -> [Member] {
    readers(of: message, besides: includeAllMembers ? [] : authors(of: message)).filter {
      !$0.hasRead(message)
    }
  }

  /// Returns how far the joined members have read, by user id: the ``BaseMessage/createdAt`` of the last
  /// message in Unix milliseconds, 0 if there is none.
  ///
  /// - Parameter includeAllMembers: Whether the current user is among them.
  public func getReadStatus(includeAllMembers: Bool) -> [String: Int64] {
    let currentID = includeAllMembers ? nil : core.currentUser?.userID
    return members.reduce(into: [:]) { times, member in
      if member.userID != currentID { times[member.userID] = member.readAt }
    }
  }

  /// Returns the number of members, besides the sender, whose clients have not received a message.
  ///
  /// 0 unless the server has delivery receipts: see ``ServerFeatures/Groups/hasDeliveryReceipts``.
  public func getUndeliveredMemberCount(_ message: any BaseMessage) -> Int {
    members.count { member in
      guard let deliveredAt = member.deliveredAt, member.joinedAt <= message.createdAt,
        member.userID != message.sender?.userID
      else { return false }
      return deliveredAt < message.createdAt
    }
  }

  /// Marks a message as delivered to the current user, with all messages before it.
  ///
  /// The client does so by itself for the messages that it receives. Call it for a message that arrived in
  /// another way, such as a push notification.
  ///
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400920 in a group without delivery receipts.
  public func markAsDelivered(messageId: Int64) async throws(ParleyError) {
    try await core.perform(markingAsDelivered(messageId))
  }

  /// Marks a message as delivered; see ``markAsDelivered(messageId:)``.
  ///
  /// The handler is called once, on the client's callback queue; without an error the call succeeded.
  public func markAsDelivered(
    messageId: Int64, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(markingAsDelivered(messageId), handler: completionHandler)
  }

  private func markingAsDelivered(_ messageID: Int64) -> Call<Void> {
    GroupCalls.markDelivered([DeliveryMarks.Mark(url: url, messageID: messageID)])
  }

  private func authors(of message: any BaseMessage) -> [String?] {
    [message.sender?.userID, core.currentUser?.userID]
  }

  /// The members whose positions are known and who see a message.
  private func readers(of message: any BaseMessage, besides userIDs: [String?]) -> [Member] {
    members.filter { member in
      member.readAt != nil && member.joinedAt <= message.createdAt
        && !userIDs.contains(member.userID)
    }
  }
}

extension Member {
  fileprivate func hasRead(_ message: any BaseMessage) -> Bool {
    readAt ?? 0 >= message.createdAt
  }
}
