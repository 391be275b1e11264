import FloodControl
import ParleyProtocol

/// The state by which every command of a channel is judged.
struct Standing: Sendable {
  private let channel: LogChannel
  var sources: JudgeSources
  var rights: Rights
  var flood: FloodWindows
  var count: EventCount
  /// The members of a group who are typing.
  var typing = TypingMembers()
  /// Messages of a group that mention members, of which blockers of the authors are to be found.
  var mentions: [MentionNote] = []
  /// The members of a group who have read further.
  var reads = ReadMoves()
  /// How far clients of members have received the group.
  var deliveries = Deliveries()
  /// The users' wrong access codes.
  private var wrongCodes = FloodGate<String>()

  init(
    place: LogChannel, sources: JudgeSources, rights: Rights, flood: FloodWindows,
    count: EventCount
  ) {
    channel = place
    self.sources = sources
    self.rights = rights
    self.flood = flood
    self.count = count
  }

  /// The channel as identified in writes.
  var place: LogChannel {
    LogChannel(
      id: channel.id, url: channel.url, term: channel.term, lastSeq: count.recorded)
  }

  var isEphemeral: Bool { rights.channel.isEphemeral }

  var isGroup: Bool { rights.members != nil }

  /// The channel as clients see it.
  var info: ChannelInfo {
    ChannelInfo(rights.channel, participantCount: rights.presentCount)
  }

  /// Makes a message from a draft, without the mentioned users.
  ///
  /// - Parameters:
  ///   - author: `nil` for an admin message.
  ///   - createdAt: Unix milliseconds.
  func message(
    _ draft: MessageDraft, _ order: MessageOrder, by author: User?, id: Int64,
    at createdAt: Int64, preview: OpenGraphTag? = nil
  ) -> Message {
    Message(
      id: id, type: draft.type, channelURL: place.url, user: author, text: draft.text,
      file: draft.file, data: draft.data, customType: draft.customType,
      mentionType: draft.mentionType, metaArrays: draft.metaArrays, openGraphTag: preview,
      requestID: order.requestID ?? "",
      isOperatorMessage: author.map { rights.isOperator($0.id) } ?? false, createdAt: createdAt)
  }

  /// Takes a place in the principal's flood window; `nil` for an exempt principal.
  ///
  /// - Parameter now: Milliseconds of the steady clock, as in the functions below.
  /// - Throws: 900200.
  mutating func takePlace(
    _ principal: Principal, _ activity: FloodActivity, bytes: Int, at now: Int64
  ) throws(ServiceError) -> FloodPlace? {
    guard let user = principal.user, rights.isFloodLimited(principal) else { return nil }
    return try flood.takePlace(of: user.id, activity, bytes: bytes, at: now)
  }

  /// Takes a place in the window of changes, and counts a refusal.
  mutating func takeChange(
    _ principal: Principal, bytes: Int = 0, at now: Int64, into actions: inout JudgeActions
  ) throws(ServiceError) -> FloodPlace? {
    do throws(ServiceError) {
      return try takePlace(principal, .change, bytes: bytes, at: now)
    } catch {
      actions.count { $0.refused.flood += 1 }
      throw error
    }
  }

  /// Takes a place that counts in no window, for an event that costs the principal bytes, and
  /// counts a refusal; `nil` for an exempt principal.
  ///
  /// - Throws: 900200.
  mutating func takeBytes(
    _ principal: Principal, at now: Int64, into actions: inout JudgeActions
  ) throws(ServiceError) -> FloodPlace? {
    guard let user = principal.user, rights.isFloodLimited(principal) else { return nil }
    do throws(ServiceError) {
      return try flood.takeBytes(of: user.id, at: now)
    } catch {
      actions.count { $0.refused.flood += 1 }
      throw error
    }
  }

  /// Counts a wrong access code of a group.
  ///
  /// - Throws: 500910 after five of them in a minute, for the right code too: it could be guessed
  ///   otherwise.
  mutating func takeAccessCode(
    _ code: String, of principal: Principal, at now: Int64
  ) throws(ServiceError) {
    guard let user = principal.user, !rights.opens(with: "") else { return }
    let limit = RateLimit(count: 5, windowMilliseconds: 60_000)
    let wait =
      rights.opens(with: code)
      ? wrongCodes.usage(of: user.id, at: now, limit: limit).wait
      : wrongCodes.admit(user.id, at: now, limit: limit)?.wait
    if let wait {
      throw .rateLimited(
        retryAfter: wait, limit: limit.count, window: 60_000, scope: "user_channel")
    }
  }

  /// Publishes an event, and posts it to the webhooks if the log does not.
  ///
  /// - Parameter author: The connection that receives the event only as the answer to its request.
  /// - Returns: The size of the event.
  @discardableResult
  func publish(
    _ event: Event, seq: Int64, at timestamp: Int64, author: SessionAddress? = nil,
    into actions: inout JudgeActions
  ) -> Int {
    let published = ChannelEvent(event, in: place.url, seq: seq, at: timestamp, author: author)
    actions.append(.publish(published))
    if isEphemeral {
      actions.append(
        .post(event, from: EventOrigin(channelURL: place.url, seq: seq, timestamp: timestamp)))
    }
    return published.payload.count
  }
}

/// Changes of a channel's settings, once the log has recorded them.
extension Standing {
  /// Applies a recorded change, and publishes it.
  ///
  /// - Returns: The size of its event; 0 if nothing changed.
  mutating func apply(
    _ change: ChannelChange, _ record: RecordedChange, at timestamp: Int64,
    _ answer: inout OperationAnswer, into actions: inout JudgeActions
  ) -> Int {
    switch (change, record) {
    case (.fields(let changes), .made(let seq)):
      rights.apply(changes.applied(to: rights.channel))
      return publish(.channelChanged(info), recorded: seq, at: timestamp, into: &actions)
    case (.freeze(let isFrozen), .made(let seq)):
      var channel = rights.channel
      channel.isFrozen = isFrozen
      rights.apply(channel)
      return publish(
        isFrozen ? .channelFrozen(info) : .channelUnfrozen(info), recorded: seq, at: timestamp,
        into: &actions)
    case (.restrict(let kind, let restriction), .user(let user, let seq)):
      rights.impose(kind, restriction)
      answer = .imposed(ImposedRestriction(user: user, restriction: restriction))
      return publish(
        .imposed(kind, restriction, on: user), recorded: seq, at: timestamp, into: &actions)
    case (.lift(let kind, let userID), .user(let user, let seq)):
      rights.lift(kind, of: userID)
      answer = .lifted(true)
      return publish(.lifted(kind, from: user), recorded: seq, at: timestamp, into: &actions)
    case (.lift(let kind, let userID), .unchanged):
      rights.lift(kind, of: userID)
      answer = .lifted(false)
      return 0
    case (_, .operators(let operators, let seq)):
      return publishOperators(operators, seq: seq, at: timestamp, into: &actions)
    case (.invite(_, let inviter, _), .members(let members)):
      answer = .members(members.map(\.member))
      return publishInvitation(
        of: members, by: inviter, at: timestamp, into: &actions)
    case (.join, .members(let members)):
      var byteCount = 0
      for member in members {
        if rights.members?[member.member.user.id]?.state == .invited {
          actions.countInGroup(\.invitations.accepted)
        }
        byteCount += publishJoining(member, at: timestamp, into: &actions)
      }
      return byteCount
    case (.depart(_, let reason), .members(let members)):
      var byteCount = 0
      for member in members {
        byteCount += publishDeparture(member, reason, at: timestamp, into: &actions)
      }
      return byteCount
    case (_, .unchanged), (_, .made), (_, .user), (_, .members): return 0
    }
  }

  /// Applies the current list of operators, and publishes it.
  ///
  /// - Returns: The size of the event.
  @discardableResult
  mutating func publishOperators(
    _ operators: [User], seq: Int64, at timestamp: Int64, into actions: inout JudgeActions
  ) -> Int {
    var channel = rights.channel
    channel.operators = operators
    rights.apply(channel)
    return publish(
      .operatorsChanged(Event.Operators(operators)), recorded: seq, at: timestamp, into: &actions)
  }

  /// Publishes an event that the log has recorded under a number.
  ///
  /// - Returns: The size of the event.
  mutating func publish(
    _ event: Event, recorded seq: Int64, at timestamp: Int64, into actions: inout JudgeActions
  ) -> Int {
    publish(event, seq: count.number(seq), at: timestamp, into: &actions)
  }
}
