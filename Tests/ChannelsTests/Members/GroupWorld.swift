import FloodControl
import ParleyProtocol
import TestSupport

@testable import Channels

/// A group on several servers: its log, its homes one after the other, the stages of all servers, and the
/// links between them, which keep their order, and are cut.
///
/// The decisions are those of ``ChannelHome`` and ``AttachedStage``; a server here does what its host does.
final class GroupWorld {
  /// An event of the log, and the members who receive it.
  struct Entry {
    let event: DurableEvent
    let admittedUserID: String?
    let recipients: Set<String>
  }

  enum Mail {
    case seek(MemberQuestion)
    case report(StageReport, StageAddress)
    case news([StageNews], attachment: UInt64)
    case cover(SimulatedMember, Int)
    case covered(SimulatedMember, Int)
  }

  private(set) var log: [Entry] = []
  private(set) var members: Set<String> = []
  private(set) var servers: [UInt16: GroupServer] = [:]
  /// Every connection that there was.
  private(set) var connections: [SimulatedMember] = []
  private(set) var homeServer: UInt16 = 0
  private var links: [Link: [Mail]] = [:]
  /// The sessions that may have missed events.
  private var renewing: Set<SessionAddress> = []
  private var lastServer: UInt16 = 0
  private var lastConnection: UInt64 = 0
  private var lastAttachment: UInt64 = 0
  private var lifeCount: UInt64 = 0
  private var now: Int64 = 0

  private struct Link: Hashable, Comparable {
    let from: UInt16
    let to: UInt16
    static func < (one: Link, other: Link) -> Bool { (one.from, one.to) < (other.from, other.to) }
  }

  init() {
    for _ in 0..<3 { addServer() }
    homeServer = 1
  }

  var serverNumbers: [UInt16] { servers.keys.sorted() }
  private var channel: Channel { Channel(url: "team", createdAt: 0, group: Group()) }
  private var lastSeq: Int64 { Int64(log.count) }

  private func start(after seq: Int64) -> StageStart {
    StageStart(
      channel: channel, channelID: 1, epoch: "epoch", seq: seq,
      throttleLimit: RateLimit(count: 0, windowMilliseconds: 0), announced: nil)
  }

  private func addServer() {
    lastServer += 1
    servers[lastServer] = GroupServer(lastServer)
  }

  // MARK: Sessions

  func open(_ userID: String, on number: UInt16) {
    guard let server = servers[number] else { return }
    lastConnection += 1
    let address = SessionAddress(server: number, shard: 0, connection: lastConnection)
    let connection = SimulatedMember(userID, address)
    connections.append(connection)
    server.sessions.append(connection)
    cover(connection, server)
  }

  func close(_ connection: SimulatedMember) {
    guard let server = servers[connection.address.server] else { return }
    connection.isOpen = false
    server.sessions.removeAll { $0 === connection }
    if server.subscribers.removeValue(forKey: connection.address) != nil {
      onStage(server) {
        $0.handle(.leave(connection.address, userID: connection.userID), at: $1, into: &$2)
      }
    }
  }

  /// Adds a connection to the group, if its user is a member, and makes it ready.
  private func cover(_ connection: SimulatedMember, _ server: GroupServer) {
    connection.cover += 1
    // Until it is ready again, events may be missed.
    connection.base = nil
    guard members.contains(connection.userID) else { return becomeReady(connection) }
    post(.cover(connection, connection.cover), from: server.number, to: homeServer)
  }

  private func becomeReady(_ connection: SimulatedMember) {
    if connection.base == nil { connection.base = lastSeq }
  }

  private func renewCovers() {
    for number in serverNumbers {
      guard let server = servers[number] else { continue }
      for connection in server.sessions { cover(connection, server) }
    }
  }

  // MARK: The home

  /// The home's host, which loads the group if it is not in memory.
  private func load() -> GroupServer? {
    guard let server = servers[homeServer] else { return nil }
    guard server.home == nil else { return server }
    lifeCount += 1
    server.home = ChannelHome(url: "team", server: homeServer, life: lifeCount)
    server.homeMembers = members
    if server.stage == nil {
      server.stage = AttachedStage(
        ChannelStage(
          channel, epoch: "epoch", lastSeq: lastSeq,
          throttleLimit: RateLimit(count: 0, windowMilliseconds: 0), server: homeServer),
        url: "team")
      seat(server.seats(of: members), on: server)
    }
    server.home?.search(
      members.sorted().map { [$0] }, on: serversBesideStage(of: server),
      from: start(after: lastSeq))
    return server
  }

  private func serversBesideStage(of server: GroupServer) -> [UInt16] {
    serverNumbers.filter { $0 != server.number || !server.isBesideHome }
  }

  private func seat(_ seats: [Seat], on server: GroupServer) {
    for seat in seats { onStage(server) { $0.handle(.seat(seat), at: $1, into: &$2) } }
  }

  /// Commits an event at the home, which lives long enough to publish it if `isTold`.
  func commit(_ change: Change, isTold: Bool = true) {
    guard let server = load() else { return }
    let seq = lastSeq + 1
    let timestamp = server.moment(at: now).unix
    let event: Event
    var recipients = members
    switch change {
    case .send:
      event = .messageReceived(
        EventMessage(
          Message(
            id: seq, channelURL: "team", user: nil, text: "\(seq)", createdAt: timestamp)))
    case .join(let userID):
      guard members.insert(userID).inserted else { return }
      recipients = members
      event = .groupJoined(Event.Membership(of: User(id: userID), memberCount: 1, joinedCount: 1))
    case .leave(let userID):
      guard members.remove(userID) != nil else { return }
      event = .groupLeft(
        Event.Departure(
          Event.Membership(of: User(id: userID), memberCount: 1, joinedCount: 1), .left))
    }
    var durable: DurableEvent?
    if case .messageReceived(let message) = event {
      durable = .received(message.message, seq: seq)
    } else {
      durable = LoggedEvent(event, seq: seq, timestamp: timestamp).map { .channel($0) }
    }
    let published = ChannelEvent(event, in: "team", seq: seq, at: timestamp, author: nil)
    guard let durable else { return }
    log.append(
      Entry(event: durable, admittedUserID: published.admittedUserID, recipients: recipients))
    guard isTold else { return }
    publish(published, server)
  }

  enum Change {
    case send
    case join(String)
    case leave(String)
  }

  private func publish(_ event: ChannelEvent, _ server: GroupServer) {
    server.homeMembers = members
    if let userID = event.admittedUserID {
      server.home?.search(
        admitted: userID, on: serversBesideStage(of: server), from: start(after: event.previousSeq))
    }
    if server.isBesideHome { onStage(server) { $0.handle(.apply(event), at: $1, into: &$2) } }
    server.home?.tellAll(.event(event))
    endTurn(server)
  }

  private func endTurn(_ server: GroupServer) {
    if server.stage?.awaitsEndOfTurn == true {
      onStage(server) { $0.handle(.endOfTurn, at: $1, into: &$2) }
    }
    for packet in server.home?.takePackets() ?? [] {
      post(
        .news(packet.news, attachment: packet.address.attachment), from: server.number,
        to: packet.address.server)
    }
    for (receiver, question) in server.home?.takeQuestions() ?? [] {
      post(.seek(question), from: server.number, to: receiver)
    }
  }

  /// Forgets the group, in which nothing happens.
  func unload() {
    guard let server = servers[homeServer], let isSearching = server.home?.isSearching, !isSearching
    else { return }
    server.home?.disperse()
    endTurn(server)
    if server.isBesideHome {
      onStage(server) { $0.handle(.disperse, at: $1, into: &$2) }
      server.stage = nil
    }
    server.home = nil
  }

  // MARK: Faults

  /// Makes another server the home, to which the old one releases the group.
  func move(to number: UInt16) {
    guard number != homeServer, let old = servers[homeServer] else { return }
    homeServer = number
    if old.home != nil {
      old.home?.tellAll(.released)
      endTurn(old)
      old.home = nil
      if old.isBesideHome { attach(old) }
    }
    followHome()
  }

  /// Ends a server as a crash does; another one is started.
  func kill(_ number: UInt16, nextHome: UInt16) {
    for connection in servers[number]?.sessions ?? [] { connection.isOpen = false }
    servers[number] = nil
    links = links.filter { $0.key.from != number && $0.key.to != number }
    for server in servers.values {
      _ = server.home?.remove(server: number, at: server.moment(at: now))
    }
    if homeServer == number {
      homeServer = serverNumbers.contains(nextHome) ? nextHome : serverNumbers[0]
    }
    addServer()
    followHome()
  }

  private func followHome() {
    for number in serverNumbers {
      guard let server = servers[number], server.stage != nil, !server.isBesideHome else {
        continue
      }
      if server.attachedTo != homeServer { attach(server) }
    }
    renewCovers()
  }

  /// Loses what is under way between two servers, which both learn.
  func cut(_ one: UInt16, _ other: UInt16) {
    guard one != other else { return }
    links[Link(from: one, to: other)] = nil
    links[Link(from: other, to: one)] = nil
    for (number, peer) in [(one, other), (other, one)] {
      guard let server = servers[number] else { continue }
      if server.stage != nil, !server.isBesideHome, server.attachedTo == peer { attach(server) }
      server.home?.linkWasReset(with: peer)
      endTurn(server)
    }
    renewCovers()
  }

  /// Repeats the request of a stage to its home, which takes long to answer.
  func askAgain(_ number: UInt16) {
    guard let server = servers[number], server.stage != nil, !server.isBesideHome else { return }
    if (server.stage?.awaitedHome ?? nil) == nil { attach(server) }
  }

  /// Adds sessions to the group again that may have missed events, some time later: stages have repeated their
  /// requests by then.
  ///
  /// - Returns: Whether there were any.
  func renew() -> Bool {
    let due = renewing
    renewing = []
    if !due.isEmpty { for number in serverNumbers { askAgain(number) } }
    for server in servers.values.sorted(by: { $0.number < $1.number }) {
      for session in server.sessions where due.contains(session.address) { cover(session, server) }
    }
    return !due.isEmpty
  }

  private func attach(_ server: GroupServer) {
    if (server.stage?.awaitedHome ?? nil) != nil { return drop(server) }
    lastAttachment += 1
    server.attachment = lastAttachment
    server.attachedTo = homeServer
    onStage(server) { $0.handle(AttachmentInput.attach(self.lastAttachment), at: $1, into: &$2) }
  }

  /// Reports that no member is connected on a server.
  func sweep(_ number: UInt16) {
    guard let server = servers[number], server.stage != nil, !server.isBesideHome,
      server.stage?.isIdle == true, let vacancy = server.stage?.vacancy
    else { return }
    report(vacancy, server)
  }

  private func report(_ report: StageReport, _ server: GroupServer) {
    let address = StageAddress(server: server.number, attachment: server.attachment)
    post(.report(report, address), from: server.number, to: homeServer)
  }

  // MARK: Links

  private func post(_ mail: Mail, from sender: UInt16, to receiver: UInt16) {
    // A server's mail to itself waits too, since a shard has a mailbox.
    links[Link(from: sender, to: receiver), default: []].append(mail)
  }

  var busyLinkCount: Int { links.count }

  /// Delivers the first message of one of the links.
  func deliver(_ choice: Int) {
    let link = links.keys.sorted()[choice % links.count]
    guard var mail = links[link], let receiver = servers[link.to] else {
      links[link] = nil
      return
    }
    let first = mail.removeFirst()
    links[link] = mail.isEmpty ? nil : mail
    now += 1
    receive(first, from: link.from, at: receiver)
    endTurn(receiver)
  }

  private func receive(_ mail: Mail, from sender: UInt16, at server: GroupServer) {
    switch mail {
    case .seek(let question):
      let seats = server.seats(of: Set(question.userIDs))
      if !seats.isEmpty {
        makeStage(server, for: question.home)
        if question.areSeated, server.stage?.awaitedHome == question.home {
          seat(seats, on: server)
        } else if question.areSeated {
          let missing = seats.filter { server.stage?.contains($0) != true }.map(\.session)
          renewing.formUnion(missing)
        }
      }
      let isHere = !seats.isEmpty
      let address = StageAddress(
        server: server.number, attachment: isHere ? server.attachment : 0)
      post(
        .report(.sought(question.number, isHere: isHere), address), from: server.number,
        to: homeServer)
    case .news(let news, let attachment):
      guard server.stage != nil, !server.isBesideHome else { return }
      onStage(server) { $0.handle(AttachmentInput.news(attachment, news), at: $1, into: &$2) }
      if server.stage?.hasEnded == true { server.stage = nil }
    case .report(let report, let address): receive(report, from: address, at: server)
    case .cover(let connection, let cover):
      if server.home != nil, server.homeMembers.contains(connection.userID) {
        add(connection, server)
      }
      post(.covered(connection, cover), from: server.number, to: sender)
    case .covered(let connection, let cover):
      if connection.isOpen, connection.cover == cover { becomeReady(connection) }
    }
  }

  private func makeStage(_ server: GroupServer, for home: UInt64) {
    if server.stage != nil {
      guard let other = server.stage?.awaitedHome ?? nil, other < home else { return }
      drop(server)
    }
    server.stage = AttachedStage(groupURL: "team", server: server.number)
    lastAttachment += 1
    server.attachment = lastAttachment
    server.attachedTo = homeServer
    onStage(server) {
      $0.handle(AttachmentInput.await(self.lastAttachment, home: home), at: $1, into: &$2)
    }
  }

  private func drop(_ server: GroupServer) {
    onStage(server) { $0.handle(.disperse, at: $1, into: &$2) }
    server.stage = nil
  }

  private func add(_ connection: SimulatedMember, _ server: GroupServer) {
    let seat = Seat(userID: connection.userID, session: connection.address)
    if server.isBesideHome, connection.address.server == server.number {
      guard connection.isOpen else { return }
      return onStage(server) { $0.handle(.seat(seat), at: $1, into: &$2) }
    }
    server.home?.add(seat, from: start(after: lastSeq))
  }

  private func receive(_ report: StageReport, from address: StageAddress, at server: GroupServer) {
    if case .attach(let attachment) = report {
      guard server.number == homeServer, let server = load() else { return }
      server.home?.attach(attachment, at: address, from: start(after: lastSeq))
      return
    }
    guard server.home != nil else {
      if case .vacant = report {
        post(
          .news([.dispersed], attachment: address.attachment), from: server.number,
          to: address.server)
      }
      return
    }
    if case .sought(let number, let isHere) = report {
      server.home?.take(answer: number, isHere: isHere, from: address)
      return
    }
    if case .arrive(let piece) = report {
      let strangers = piece.userIDs.filter { !server.homeMembers.contains($0) }
      server.home?.arrive(piece, strangers: strangers, at: address)
      return
    }
    guard
      server.home?.isAttached(address) == true || server.home?.isKeepingNews(for: address) == true
    else {
      return post(
        .news([.released], attachment: address.attachment), from: server.number, to: address.server)
    }
    if case .vacant(let admissions) = report {
      server.home?.vacate(address, admissions: admissions)
    }
  }

  // MARK: Stages

  private func onStage(
    _ server: GroupServer,
    _ body: (inout AttachedStage, Moment, inout StageActions) -> Void
  ) {
    var actions = StageActions()
    server.stage?.edit { body(&$0, server.moment(at: now), &actions) }
    for action in actions.list { perform(action, server) }
  }

  private func perform(_ action: StageAction, _ server: GroupServer) {
    switch action {
    case .deliver(let plan, _):
      let shares = Dictionary(
        uniqueKeysWithValues: plan.exceptions.map { ($0.connection, $0.share) })
      for (address, connection) in server.subscribers {
        let share = shares[address.connection] ?? plan.common
        for (index, payload) in plan.payloads.enumerated() where share.contains(index) {
          note(payload, connection)
        }
      }
    case .notify(let payload, let addresses, _):
      for address in addresses {
        if let connection = server.subscribers[address] { note(payload, connection) }
      }
    case .subscribe(let seat):
      let connection = server.sessions.first { $0.address == seat.session }
      if let connection {
        server.subscribers[seat.session] = connection
      } else {
        onStage(server) { $0.handle(.leave(seat.session, userID: seat.userID), at: $1, into: &$2) }
      }
    case .unsubscribe(let address): server.subscribers[address] = nil
    case .renew(let seat): renewing.insert(seat.session)
    case .seek(let userID):
      let seats = server.seats(of: [userID])
      onStage(server) { $0.handle(.seats(seats), at: $1, into: &$2) }
    case .report(let report): self.report(report, server)
    case .repair(let number, _, let seq):
      let events = log[Int(seq)...].map(\.event)
      onStage(server) {
        $0.handle(
          AttachmentInput.repaired(number, .success(events), awaited: []), at: $1, into: &$2)
      }
    case .reattach: attach(server)
    case .reply, .welcome, .admitObserver, .release, .disconnect, .read, .recovered, .entered,
      .left,
      .withheld, .wake:
      break
    }
  }

  /// Notes an event that a connection was sent.
  private func note(_ payload: [UInt8], _ connection: SimulatedMember) {
    guard let root = try? JSONDocument(payload).root, let seq = root["params"]?["seq"]?.integer
    else { return }
    connection.received.append(seq)
  }
}

extension AttachedStage {
  fileprivate mutating func edit(_ body: (inout AttachedStage) -> Void) { body(&self) }
}
