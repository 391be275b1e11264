import Channels
import Cluster
import Configuration
import ParleyProtocol
import Store
import Transport

/// Groups, whose members hear them without entering.
///
/// When a session opens, its groups are read and their homes are asked to add the connection; a group
/// that is not in memory finds its members' connections when it is loaded. The table of seats has the
/// session before the groups are read, and a group has its members before it asks, so none is missed:
///
///     session ── add ──► table of seats ── cover ──► groups' homes ── seated ──► session
///     group's home ── seats? ──► tables of seats of all servers ── seats ──► stages
///
/// On a single server the homes of users are the table of seats. With several, each server has one of
/// its own sessions (``GroupSessions``), so that no third server has to know of a connection.
extension Shard {
  // MARK: Sessions that open

  /// Whether a session still receives the events of groups, as far as this shard knows.
  func isSeated(_ seat: Seat) -> Bool { seats(of: [seat.userID]).contains(seat) }

  /// The sessions of users in the table of seats of this shard.
  func seats(of userIDs: [String]) -> [Seat] {
    edge?.groupSessions.seats(of: userIDs) ?? users.seats(of: userIDs)
  }

  /// Adds a connection to the groups with their homes here that are in memory.
  func cover(_ seat: Seat, groups urls: [String], replyTo address: PollAddress) {
    let answer: (Bool) -> Void = { [unowned self] isComplete in
      send(.shard(address.shard, .answer(.covered(isComplete), to: address)))
    }
    // A server that is not known here yet would not be sent anything.
    if let edge, seat.session.server != services.server,
      edge.routes.ring.member(slot: seat.session.server) == nil
    {
      return answer(false)
    }
    let own = urls.filter { services.shards.stageIndex(ofChannel: $0) == handle.index }
    guard !own.isEmpty else { return answer(true) }
    var missing = own.count
    for url in own {
      channels.whenLoaded(url) { channel in
        channel?.add(seat)
        missing -= 1
        if missing == 0 { answer(true) }
      }
    }
  }

  /// Called when a group with its home here has added a connection, which gets events from here on.
  func didSeat(_ url: String, userID: String, _ address: SessionAddress) {
    guard let session = session(address), session.connection.isOpen,
      session.caller?.user.id == userID
    else { return sendToStage(of: url, .leave(address, userID: userID)) }
    session.subscribe(to: url)
    localChannel(url).isOfGroup = true
  }

  /// Notes a session of this shard that receives the events of groups.
  ///
  /// On a single server the home of the user does so.
  func seat(_ seat: Seat) {
    if edge != nil { send(.seat(seat), to: services.shards.home(ofUser: seat.userID).index) }
  }

  /// Adds a session of this server to its groups again.
  func renew(_ seat: Seat) {
    if edge != nil { send(.renew(seat), to: services.shards.home(ofUser: seat.userID).index) }
  }

  /// Notes that a session of this shard was closed.
  func unseat(_ seat: Seat) {
    if edge != nil { send(.unseat(seat), to: services.shards.home(ofUser: seat.userID).index) }
  }

  // MARK: Groups that are loaded

  /// Finds the connections of users on this server.
  ///
  /// - Parameter completion: Called once, on this shard.
  func findSeats(of userIDs: [String], then completion: @escaping ([Seat]) -> Void) {
    let parts = Dictionary(grouping: userIDs) { services.shards.home(ofUser: $0).index }
    let indices = parts.keys.sorted()
    poll(count: indices.count, within: nil) { part, address in
      let index = indices[part]
      return .shard(
        services.shards[index].address, .ask(.seats(parts[index] ?? []), replyTo: address))
    } then: { answers in
      var seats: [Seat] = []
      for case .seats(let found) in answers { seats += found }
      completion(seats)
    }
  }

  /// Answers the home of a group on another server whether users have connections here.
  ///
  /// If so, there is a stage from then on.
  func seek(_ question: MemberQuestion, inGroup url: String) {
    findSeats(of: question.userIDs) { [unowned self] seats in
      var attachment: UInt64 = 0
      if !seats.isEmpty {
        let stage = stages.makeStage(ofGroup: url, for: question.home)
        for seat in seats where question.areSeated {
          if stage.awaitedHome == question.home {
            stage.handle(StageInput.seat(seat))
          } else if !stage.contains(seat) {
            // A stage with events has the connections from before this home. Others became ready while the group
            // was not in memory, and may have missed events since.
            renew(seat)
          }
        }
        attachment = stage.attachment
      }
      let address = StageAddress(server: services.server, attachment: attachment)
      let report = StageReport.sought(question.number, isHere: !seats.isEmpty)
      send(.channel(url: url, .report(report, from: address)))
    }
  }

  // MARK: Creation

  /// Creates a group that is at home here, or finds the distinct group of the same members.
  func create(_ creation: GroupCreation, replyTo address: CallAddress) {
    let channel = creation.channel
    do throws(ServiceError) { try channel.checkSize() } catch {
      return answerCreation(.failure(error), to: address)
    }
    let path = returnPath
    let entry = LogEntry.create(
      channel, epoch: Identifiers.epoch(), inviting: creation.invitedIDs,
      under: GroupRules(services.settings.groups))
    let reply = LogReply { created in
      path.resume { shard in
        switch created.result {
        case .success(.channel(let state)):
          shard.channels.insert(state)
          shard.channels.resident(channel.url)?.handle(JudgeInput.created(state.members))
          shard.view(channel.url, created: true, creation, replyTo: address)
        case .success(.found(let state)):
          shard.view(state.channel.url, created: false, creation, replyTo: address)
        case .failure(.exists):
          shard.answerCreation(.failure(.exists(.channel, channel.url)), to: address)
        case .failure(let error):
          shard.answerCreation(.failure(ServiceError(error)), to: address)
        case .success: shard.answerCreation(.failure(.internalError), to: address)
        }
      }
    }
    writes.submit(LogSubmission(LogTicket(number: 0), entry, of: address.trace), to: reply)
  }

  /// Answers the caller with a group that it has created or found, at the home of the group.
  private func view(
    _ url: String, created isNew: Bool, _ creation: GroupCreation, replyTo address: CallAddress
  ) {
    switch address {
    case .exchange(let exchange): send(.channel(url: url, .viewGroup(replyTo: exchange)))
    case .session(let call):
      guard let user = creation.channel.group?.createdBy else {
        return answerCreation(.failure(.internalError), to: address)
      }
      let command = ChannelCommand.group(
        .view(memberLimit: creation.memberLimit, created: isNew))
      let principal = SessionPrincipal(user: user, session: call.session)
      let view = ChannelMessage.command(command, by: principal, replyTo: call)
      guard !isNew else { return send(.channel(url: url, view)) }
      // Whoever asks for a group again wants to see it.
      unhide(url, for: user) { [unowned self] in send(.channel(url: url, view)) }
    }
  }
}

extension GroupCreation {
  /// The creation of a group of the given users and of its creator, if it has one.
  ///
  /// - Throws: 400111 for operators who will be no members, 400203 for too many members.
  init(
    _ command: GroupCreate, by creator: User?, under settings: GroupSettings,
    survivalSeconds: Int64? = nil, at now: Int64
  ) throws(ServiceError) {
    let members = Set(command.userIDs + (creator.map { [$0.id] } ?? []))
    let limit = command.isSuper ? settings.maxSuperMembers : settings.maxMembers
    guard members.count <= limit else {
      throw .tooManyMembers(limit: limit)
    }
    let fields = command.fields
    if let stranger = fields.operatorIDs?.first(where: { !members.contains($0) }) {
      throw .invalid("operator_ids", stranger, expected: "a member of the group")
    }
    let creatorIDs = command.isDistinct ? [] : creator.map { [$0.id] } ?? []
    let channel = Channel(
      url: command.channelURL ?? Identifiers.groupURL(), name: fields.name ?? "",
      coverURL: fields.coverURL ?? "", data: fields.data ?? "", customType: fields.customType ?? "",
      isEphemeral: command.isEphemeral,
      operators: (fields.operatorIDs ?? creatorIDs).map { User(id: $0) },
      survivalSeconds: survivalSeconds, createdAt: now,
      group: Group(
        isDistinct: command.isDistinct, isPublic: fields.isPublic ?? false,
        isSuper: command.isSuper,
        accessCode: fields.accessCode ?? "", createdBy: creator))
    self.init(
      channel, inviting: command.userIDs.filter { $0 != creator?.id }.sorted(),
      memberLimit: command.memberLimit)
  }
}
