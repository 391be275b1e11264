import ParleyProtocol

/// The calls about messages that clients have received, as far as the log has not answered where the
/// messages are.
struct PendingDeliveries: Sendable {
  private struct Request: Sendable {
    let userID: String
    let call: CallID
  }

  /// By message.
  private var requests: [Int64: [Request]] = [:]
  /// The last message that was found: the clients of all members receive it at almost the same time.
  private var last: (messageID: Int64, createdAt: Int64)?

  var isEmpty: Bool { requests.isEmpty }

  /// Looks up a message that a client has received.
  ///
  /// - Throws: 900020 for a caller who has not joined, 400201 in an ephemeral group, 400920 without delivery
  ///   receipts.
  mutating func begin(
    _ messageID: Int64, by principal: Principal, _ call: CallID, in standing: inout Standing,
    at now: Moment, into actions: inout JudgeActions
  ) throws(ServiceError) {
    guard let user = principal.user, standing.rights.members?.isJoined(user.id) == true else {
      throw .notJoined(standing.place.url)
    }
    try standing.rights.requireKeptMessages()
    guard standing.hasDeliveryReceipts else { throw .noDeliveryReceipts(standing.place.url) }
    let request = Request(userID: user.id, call: call)
    if let last, last.messageID == messageID {
      return answer(request, messageID, last.createdAt, in: &standing, at: now, into: &actions)
    }
    requests[messageID, default: []].append(request)
    guard requests[messageID]?.count == 1 else { return }
    actions.append(
      .read(.delivery(messageID), .messagePlace(messageID, channelID: standing.place.id)))
  }

  /// Handles the log's answer about a message.
  mutating func didRead(
    _ messageID: Int64, _ result: LogResult, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    for request in requests.removeValue(forKey: messageID) ?? [] {
      switch result {
      case .success(.read(.messagePlace(let place?))):
        last = (messageID, place.createdAt)
        answer(request, messageID, place.createdAt, in: &standing, at: now, into: &actions)
      case .success:
        actions.answer(request.call, .failure(.notFound(messageID: messageID)))
      case .failure(let error): actions.answer(request.call, .failure(ServiceError(error)))
      }
    }
  }

  private func answer(
    _ request: Request, _ messageID: Int64, _ createdAt: Int64, in standing: inout Standing,
    at now: Moment, into actions: inout JudgeActions
  ) {
    // The caller may have left the group meanwhile.
    guard let member = standing.rights.members?[request.userID], member.state == .joined else {
      return actions.answer(request.call, .failure(.notJoined(standing.place.url)))
    }
    guard createdAt >= member.visibleFrom else {
      return actions.answer(request.call, .failure(.notFound(messageID: messageID)))
    }
    standing.noteDelivered(messageID, createdAt: createdAt, to: member, at: now, into: &actions)
    actions.answer(request.call, .success(.done))
  }
}
