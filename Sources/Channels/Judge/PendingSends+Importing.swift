import LinkPreview
import ParleyProtocol

/// Old messages, which a back end imports with their own times.
///
/// An imported message is appended to the channel's history and published, so that participants,
/// recoveries and stages know every number of the channel's count. It counts in no flood window, is
/// not posted to the webhooks, does not notify absent users, and gets no preview.
extension PendingSends {
  /// Judges an old message and submits it, unless it is refused.
  mutating func importMessage(
    _ given: MessageImport, _ call: CallID, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    let key = RequestKey(given.author, given.order.requestID)
    if let key, requests.join(key, call) { return }
    do throws(ServiceError) {
      try standing.rights.requireKeptMessages()
      try standing.rights.requireSending(.platform(onBehalfOf: given.author), at: now.unix)
      let draft = try given.order.draft.get()
      try MessageSize.check(draft)
      try standing.requireCounting(of: draft)
      try standing.takeTime(of: given, at: now)
      // Not at the time of the message: the memory expires by the clock.
      if let key { requests.begin(key, isEphemeral: false, at: now.unix) }
      submit(draft, of: given, call, in: standing, at: now, into: &actions)
    } catch {
      refuse(given, error, key, call, in: standing, into: &actions)
    }
  }

  private mutating func submit(
    _ draft: MessageDraft, of given: MessageImport, _ call: CallID, in standing: Standing,
    at now: Moment, into actions: inout JudgeActions
  ) {
    let order = given.order
    // The id reflects the time of the import: ids increase in the whole deployment.
    let message = standing.message(
      draft, order, by: given.author, id: standing.sources.nextMessageID(now.unix),
      at: given.createdAt)
    let send = PendingSend(
      EventMessage(message), .noLink, of: draft, author: nil,
      blockerID: standing.blockerID(of: given.author, draft), call, nil, .imported, wishes: [])
    pending[message.id] = send
    let operation = LogOperation.append(
      standing.unsequenced(
        send, of: draft, order.upload, .imported, mayBeRepeated: send.key != nil))
    actions.append(.submit(.send(message.id), .write(operation, standing.place)))
  }

  /// Refuses a message, unless the same import was carried out before.
  private mutating func refuse(
    _ given: MessageImport, _ error: ServiceError, _ key: RequestKey?, _ call: CallID,
    in standing: Standing, into actions: inout JudgeActions
  ) {
    guard let key, !standing.isEphemeral, !standing.rights.isDeleted else {
      actions.count { $0.countRefusal(error) }
      return actions.answer(call, .failure(error))
    }
    let read = LogRead.imported(
      key.requestID, userID: key.userID, channelID: standing.place.id, createdAt: given.createdAt)
    lookUp(.refused(RefusedSend(error: error, call: call)), by: read, into: &actions)
  }
}

extension Standing {
  /// Applies the time of an old message.
  ///
  /// - Throws: 400113 unless the time is in the past, not before an earlier message, and not expired.
  fileprivate mutating func takeTime(
    of given: MessageImport, at now: Moment
  ) throws(ServiceError) {
    let lifetime = sources.retentionRules().lifetime(
      customType: rights.channel.customType, rights.retention)
    let horizon = lifetime.map { now.unix - $0 } ?? .min
    guard given.createdAt >= horizon else {
      throw .importExpired(given.createdAt, horizon: horizon)
    }
    try count.take(imported: given.createdAt, at: now)
  }
}
