import Channels
import Configuration
import ParleyProtocol
import Store
import Transport

/// Groups, whose members hear them without entering.
///
/// When a session opens, the home of its user reads the groups and asks the homes of those to add the
/// connection; a group that is not in memory finds its members' connections when it is loaded. The
/// user's home knows of a session before it reads, and a group before it asks, so none is missed:
///
///     session ── add ──► user's home ── cover ──► groups' homes ── seated, covered ──► session
///     session ── cover, the rest ──► groups' homes
///     group's home ── seats? ──► users' homes ── seats ──► group's home
extension Shard {
  // MARK: Sessions that open

  /// Has the groups of a user at home here add a session, which is ready when all have done so.
  ///
  /// The groups are read in a later turn of the loop, so that the answer to `session.open` is written before
  /// a reader of the store needs the processor.
  func coverGroups(ofUser userID: String, for session: SessionAddress) {
    returnPath.resume { $0.readGroups(ofUser: userID, for: session) }
  }

  private func readGroups(ofUser userID: String, for session: SessionAddress) {
    let path = returnPath
    services.store.perform(JoinedGroups(of: userID)) { result in
      path.resume { shard in
        switch result {
        case .success(let groups): shard.cover(groups, Seat(userID: userID, session: session))
        // The client connects again, rather than miss events without noticing.
        case .failure: shard.send(.session(session, .disconnect))
        }
      }
    }
  }

  private func cover(_ groups: JoinedGroupList, _ seat: Seat) {
    for cover in GroupCover.parts(of: groups, seat, on: services.shards) {
      services.shards[cover.shard].post(.local(.coverGroups(cover)))
    }
  }

  /// Adds a session to the next groups, as far as they are in memory.
  func take(_ cover: GroupCover) {
    var rest = cover
    let slice = rest.takeSlice()
    let owner = Int(cover.seat.session.shard)
    guard !slice.isEmpty else { return send(.groupsCovered(rest), to: owner) }
    var missing = slice.count
    for url in slice {
      channels.whenLoaded(url) { [unowned self] channel in
        channel?.add(cover.seat)
        missing -= 1
        if missing == 0 { send(.groupsCovered(rest), to: owner) }
      }
    }
  }

  /// Has the remaining groups add a session of this shard, unless it was closed.
  ///
  /// The shard of the groups does so in its next turn: posted, because mail that a shard sends to
  /// itself is handled in the same turn.
  func proceed(with cover: GroupCover) {
    guard let session = session(cover.seat.session) else { return }
    guard cover.isComplete else {
      return services.shards[cover.shard].post(.local(.coverGroups(cover)))
    }
    session.didAdd(cover)
  }

  /// Called when a group with its home here has added a connection, which gets events from here on.
  func didSeat(_ url: String, userID: String, _ address: SessionAddress) {
    guard let session = session(address), session.connection.isOpen,
      session.caller?.user.id == userID
    else { return sendToStage(of: url, .leave(address, userID: userID)) }
    session.subscribe(to: url)
    localChannel(url).isOfGroup = true
  }

  // MARK: Groups that are loaded

  /// Finds the connections of users.
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

  // MARK: Creation

  /// Creates a group that is at home here, or finds the distinct group of the same members.
  func create(_ creation: GroupCreation, replyTo address: CallAddress) {
    let channel = creation.channel
    do throws(ServiceError) {
      guard edge == nil else { throw .noGroupsInCluster }
      try channel.checkSize()
    } catch {
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
    writes.submit(LogSubmission(LogTicket(number: 0), entry), to: reply)
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
    _ command: GroupCreate, by creator: User?, under settings: GroupSettings, at now: Int64
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
      operators: (fields.operatorIDs ?? creatorIDs).map { User(id: $0) }, createdAt: now,
      group: Group(
        isDistinct: command.isDistinct, isPublic: fields.isPublic ?? false,
        isSuper: command.isSuper,
        accessCode: fields.accessCode ?? "", createdBy: creator))
    self.init(
      channel, inviting: command.userIDs.filter { $0 != creator?.id }.sorted(),
      memberLimit: command.memberLimit)
  }
}
