import Channels
import ParleyProtocol
import PostgreSQL
import Uploads

/// Writes new messages in runs: the rows take no separate round trip, but are sent with the commit or
/// the next statement.
///
/// The position of a channel is known if this session was the last to write to it. When a run's messages
/// depend on nothing else, nothing is read first: if another writer has advanced the channel, or a
/// message or request exists already, the statements fail and undo the transaction. The writer then
/// repeats the run, and one additional round trip locks the channels and reads all required facts by
/// primary keys.
final class PostgreSQLAppender: MessageAppending {
  private typealias Query = PostgreSQLConnection.Query

  private let session: PostgreSQLSession
  private let connection: StoreConnection
  /// The positions of channels after the last transactions.
  private var places = KnownPlaces()
  /// Requests written since old ones were last removed.
  private var requestCount = 0

  let runLimit = 500

  init(session: PostgreSQLSession, connection: StoreConnection) {
    self.session = session
    self.connection = connection
  }

  func append(_ new: UnsequencedMessage, to channel: LogChannel) throws -> AppendOutcome {
    try append([MessageAddition(new: new, channel: channel, trace: connection.outbox?.trace)])[0]
      .get()
  }

  func append(_ run: [MessageAddition]) throws -> [Result<AppendOutcome, any Error>] {
    var outcomes: [Result<AppendOutcome, any Error>] = []
    while outcomes.count < run.count {
      outcomes += try appendDistinct(run[outcomes.count...])
    }
    return outcomes
  }

  func lastSeq(of channel: LogChannel) throws -> Int64 {
    // Later statements of the transaction may change it.
    places.forget(channel.id)
    let rows = try session.run([
      Query(Self.place, [.integer(channel.id)])
    ])[0]
    guard rows.count > 0 else { throw StoreError.notFound(.channel) }
    let place = AppendFacts.Place(term: rows.integer(0, 1), lastSeq: rows.integer(0, 2))
    try place.requireTerm(of: channel)
    return place.lastSeq
  }

  /// Locks the channel's row until the transaction ends, so that its term cannot change.
  private static let place = """
    SELECT channel_id, term, last_seq FROM channels WHERE channel_id = $1 FOR NO KEY UPDATE
    """

  /// Appends the first messages of a run, up to one whose outcome depends on an earlier message.
  private func appendDistinct(
    _ run: ArraySlice<MessageAddition>
  ) throws -> [Result<AppendOutcome, any Error>] {
    let part = run.prefix(distinctCount(of: run))
    places.forgetAll(unlessKeptSince: session.undoneCount)
    let known = session.isRepetition ? nil : places.facts(of: part)
    var facts = try known ?? read(part)
    var rows = MessageRows()
    var outcomes: [Result<AppendOutcome, any Error>] = []
    for addition in part {
      do {
        outcomes.append(.success(try decide(addition, &facts, &rows)))
      } catch  where error.storageFailure == nil {
        outcomes.append(.failure(error))
      }
    }
    try write(rows, facts)
    places.keep(facts.places)
    return outcomes
  }

  private func distinctCount(of run: ArraySlice<MessageAddition>) -> Int {
    var ids: Set<Int64> = []
    var files: Set<String> = []
    var requests: Set<RequestKey> = []
    return run.prefix { addition in
      guard ids.insert(addition.new.message.id).inserted else { return false }
      if let request = RequestKey(addition), !requests.insert(request).inserted { return false }
      guard let file = addition.new.upload?.id else { return true }
      return files.insert(file).inserted
    }.count
  }

  // MARK: Reading

  private func read(_ run: ArraySlice<MessageAddition>) throws -> AppendFacts {
    let channels = Set(run.map(\.channel.id)).sorted()
    let requests = run.compactMap(RequestKey.init).filter(\.isStorable)
    let files = run.compactMap { $0.new.upload?.id }
    let mentioned = Set(run.flatMap(\.new.mentionedUserIDs)).filter(\.isStorable)
    var queries = [
      // In the order of their numbers, so that two servers that lock several do not deadlock.
      Query(
        """
        SELECT channel_id, term, last_seq, last_ordinal FROM channels WHERE channel_id = ANY ($1)
        ORDER BY channel_id FOR NO KEY UPDATE
        """, [.integers(channels)]),
      Query(
        "SELECT message_id FROM messages WHERE message_id = ANY ($1)",
        [.integers(run.map(\.new.message.id))]),
    ]
    if !requests.isEmpty {
      queries.append(
        Query(
          """
          SELECT r.channel_id, r.user_id, r.req_id, r.message_id, r.created_at
          FROM unnest($1::bigint[], $2::text[], $3::text[]) AS q (channel_id, user_id, req_id)
          JOIN requests AS r ON r.channel_id = q.channel_id AND r.user_id = q.user_id
            AND r.req_id = q.req_id
          """,
          [
            .integers(requests.map(\.channelID)), .texts(requests.map(\.userID)),
            .texts(requests.map(\.name)),
          ]))
    }
    if !mentioned.isEmpty {
      queries.append(
        Query(
          "SELECT \(User.columns.postgreSQL) FROM users WHERE user_id = ANY ($1)",
          [.texts(Array(mentioned))]))
    }
    if !files.isEmpty {
      // The lock keeps an existing file of a message unchanged until this message is stored.
      queries.append(
        Query(
          "SELECT file_id, key_id FROM files WHERE file_id = ANY ($1) FOR SHARE", [.texts(files)]))
      queries.append(
        Query("SELECT file_id, stage FROM uploads WHERE file_id = ANY ($1)", [.texts(files)]))
    }
    var rows = try session.run(queries)[...]
    var facts = AppendFacts()
    for row in rows.removeFirst().all {
      facts.places[row[0]] = AppendFacts.Place(
        term: row[1], lastSeq: row[2], lastOrdinal: row[3])
    }
    for row in rows.removeFirst().all { facts.takenIDs.insert(row[0]) }
    if !requests.isEmpty {
      for row in rows.removeFirst().all {
        let key = RequestKey(channelID: row[0], userID: row[1], name: row[2])
        facts.requests[key] = AppendFacts.Request(messageID: row[3], createdAt: row[4])
      }
    }
    if !mentioned.isEmpty {
      for row in rows.removeFirst().all {
        facts.users[row[0]] = try User(row: row, connection.fileURL)
      }
    }
    if !files.isEmpty {
      for row in rows.removeFirst().all {
        facts.takenFiles.insert(row[0])
        if (row[1] as String?) != nil { facts.sealedFiles.insert(row[0]) }
      }
      for row in rows.removeFirst().all {
        facts.uploads[row[0]] = row[1] as String == UploadRecord.Stage.complete.rawValue
      }
    }
    return facts
  }

  // MARK: Deciding

  private func decide(
    _ addition: MessageAddition, _ facts: inout AppendFacts, _ rows: inout MessageRows
  ) throws -> AppendOutcome {
    let (new, channel) = (addition.new, addition.channel)
    let message = new.message
    guard var place = facts.places[channel.id] else { throw StoreError.notFound(.channel) }
    try place.requireTerm(of: channel)
    if let upload = new.upload {
      try upload.name.checkStorable()
      try upload.type.checkStorable()
    }
    let request = RequestKey(addition)
    if let request {
      guard request.isStorable else { throw StoreError.unstorableText }
      // Requests are stored with the times of their messages: one with a past time is soon removed.
      if new.role == .imported, let first = try imported(message, channel) { return first }
      let horizon = message.createdAt - requestIDLifetimeMilliseconds
      if let first = facts.requests[request], first.createdAt > horizon {
        return try repeated(first.messageID, channel)
      }
    }
    var mentioned: [User] = []
    for id in new.mentionedUserIDs {
      guard let user = facts.users[id], !mentioned.contains(where: { $0.id == id }) else {
        continue
      }
      mentioned.append(user)
    }
    let seq = place.lastSeq + 1
    let ordinal = new.isCounted ? place.lastOrdinal + 1 : new.isSilent ? 0 : nil
    let push = connection.push.flatMap {
      MessagePush(new, mentionsUsers: !mentioned.isEmpty, in: channel, $0.options)
    }
    let row = try MessageRows.Row(
      new, channel, seq: seq, ordinal: ordinal, mentionedIDs: mentioned.map(\.id),
      push: push?.column)
    guard !facts.takenIDs.contains(message.id) else { throw StoreError.exists }
    let comesFromUser = try new.upload.map { try isUpload($0.id, facts) } ?? false
    if let upload = new.upload, comesFromUser {
      try FileRows.requireTruth(
        of: message.file, isSealed: facts.sealedFiles.contains(upload.id))
    }
    rows.messages.append(row)
    if let push { rows.pushes.append(push) }
    if let ordinal, let readerID = new.readerID {
      rows.noteReading(by: readerID, of: ordinal, at: message.createdAt, channelID: channel.id)
    }
    if let authorID = new.unmovedAuthorID {
      rows.noteUnmoved(by: authorID, channelID: channel.id)
    }
    if let message = DisregardedMessage(new, ordinal: ordinal, channelID: channel.id) {
      rows.disregarded.append(message)
    }
    let mentions = MentionRows(
      new, mentioned.map(\.id), ordinal: ordinal, channelID: channel.id)
    if let mentions { rows.mentions.append(mentions) }
    if let request { rows.requests.append((request, message.id, message.createdAt)) }
    if let upload = new.upload {
      if comesFromUser {
        rows.keptFiles.append((upload.id, row))
      } else {
        rows.files.append((upload, message.user?.id ?? "", row))
      }
    }
    if connection.outbox?.wants(.messageReceived) == true, new.role != .imported {
      var shown = message
      shown.mentionedUsers = mentioned
      shown.ordinal = ordinal
      let origin = EventOrigin(channelURL: channel.url, seq: seq, timestamp: message.createdAt)
      let event = Event.messageReceived(EventMessage(shown))
      rows.outbox.append(
        OutboxRow(
          origin: origin, name: event.name, body: event.webhookEvent(from: origin),
          trace: addition.trace))
    }
    place.lastSeq = seq
    if let ordinal { place.lastOrdinal = max(place.lastOrdinal, ordinal) }
    place.lastCreatedAt = max(place.lastCreatedAt, message.createdAt)
    place.addedCount += 1
    facts.places[channel.id] = place
    return .stored(seq: seq, mentionedUsers: mentioned)
  }

  /// Whether a file was uploaded by its user earlier; otherwise it came with its message.
  ///
  /// - Throws: `StoreError.exists`, or `.notFound(.file)` for one removed in the meantime.
  private func isUpload(_ id: String, _ facts: AppendFacts) throws -> Bool {
    let isThere = facts.takenFiles.contains(id)
    guard let isComplete = facts.uploads[id] else {
      if isThere { throw StoreError.exists }
      return false
    }
    guard isComplete, isThere else { throw StoreError.notFound(.file) }
    return true
  }

  /// The current state of the message that a repeated request created.
  private func repeated(_ messageID: Int64, _ channel: LogChannel) throws -> AppendOutcome {
    let reading = ReadTransaction(connection: connection)
    guard let first = try reading.message(messageID, channelID: channel.id) else {
      throw StoreError.notFound(.message)
    }
    return .repeated(first.message, seq: first.seq)
  }

  /// The message that the same request imported earlier; `nil` when there is none.
  private func imported(_ message: Message, _ channel: LogChannel) throws -> AppendOutcome? {
    let first = try ReadTransaction(connection: connection).importedMessage(
      message.requestID, by: message.user?.id, channelID: channel.id, at: message.createdAt)
    return first.map { .repeated($0.message, seq: $0.seq) }
  }

  // MARK: Writing

  private func write(_ rows: MessageRows, _ facts: AppendFacts) throws {
    guard !rows.messages.isEmpty else { return }
    let places = facts.places.filter { $0.value.addedCount > 0 }.sorted { $0.key < $1.key }
    let moved: [PostgreSQLValue] = [
      .integers(places.map(\.key)), .integers(places.map(\.value.term)),
      .integers(places.map(\.value.formerSeq)), .integers(places.map(\.value.lastSeq)),
      .integers(places.map(\.value.lastCreatedAt)), .integers(places.map(\.value.addedCount)),
    ]
    try session.runLater(
      rows.haveOrdinals
        ? Query(Self.moveCounting, moved + [.integers(places.map(\.value.lastOrdinal))])
        : Query(Self.move, moved))
    for query in rows.insertions { try session.runLater(query) }
    for query in rows.readings { try session.runLater(query) }
    for write in rows.disregarded.flatMap(\.writes) + rows.mentions.flatMap(\.writes) {
      try session.executeLater(write.statement, write.values)
    }
    for row in rows.outbox {
      try session.insertLater(
        OutboxRow.insertion, row.values(for: session), numbering: OutboxRow.number
      ) { [connection] id in connection.outbox?.add(row.arrival(numbered: id)) }
    }
    if let jobs = rows.pushJobs {
      try session.runLater(jobs)
      for push in rows.pushes { connection.push?.add(push.arrival) }
    }
    try removeOldRequests(rows)
  }

  /// Advances channels from their known positions; fails when one has another position.
  private static let move = move(setting: "", from: "", columns: "")

  /// The same, with the ordinals of groups.
  private static let moveCounting = move(
    setting:
      ", last_ordinal = n.last_ordinal, changed_at = \(StoreStatement.nextChange.postgreSQL)",
    from: ", $7::bigint[]", columns: ", last_ordinal")

  private static func move(setting: String, from arrays: String, columns: String) -> String {
    """
    WITH moved AS (
      UPDATE channels AS c SET last_seq = n.last_seq,
        last_created_at = greatest(c.last_created_at, n.last_created_at),
        message_count = c.message_count + n.added,
        active_at = CASE WHEN c.is_group = 0
          AND n.last_created_at / \(ActivitySchema.minute)
            > c.active_at / \(ActivitySchema.minute)
          THEN n.last_created_at ELSE c.active_at END\(setting)
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
        $6::bigint[]\(arrays))
        AS n (channel_id, term, former_seq, last_seq, last_created_at, added\(columns))
      WHERE c.channel_id = n.channel_id AND c.term = n.term AND c.last_seq = n.former_seq
      RETURNING 1)
    SELECT 1 / (count(*) = cardinality($1))::int FROM moved
    """
  }

  /// Removes requests that can no longer be repeated, from time to time; those that another server is
  /// replacing are skipped until the next time.
  private func removeOldRequests(_ rows: MessageRows) throws {
    requestCount += rows.requests.count
    guard requestCount >= 1_000, let time = rows.requests.last?.2 else { return }
    requestCount = 0
    try session.runLater(
      Query(
        """
        DELETE FROM requests WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM requests WHERE created_at <= $1 ORDER BY created_at LIMIT 3000
          FOR UPDATE SKIP LOCKED))
        """, [.integer(time - 2 * requestIDLifetimeMilliseconds)]))
  }
}

extension PostgreSQLRows {
  /// The rows in their order.
  var all: [StoreRow] { (0..<count).map { StoreRow($0, of: self) } }
}
