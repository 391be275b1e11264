internal import Cluster
internal import PostgreSQL
internal import Reactor

/// The table of servers, on its own connection, which holds this server's lock.
///
/// A process that ends loses its connection and with it the lock, which shows the other servers
/// that it has died. Calls block on the database; confined to one thread at a time.
final class ServerRegistry {
  /// The answer to a beat.
  struct Answer {
    let view: RegistryView
    let clock: ClockSample
    /// Whether the connection had been lost before, for example after a restart of the database.
    let isReconnected: Bool
  }

  private let id: ServerID
  private let options: ClusterOptions
  private var connection: PostgreSQLConnection?
  private var hasLock = false
  /// Options with settings that are not stored in the registry yet.
  private var newOptions: ClusterOptions?

  init(_ id: ServerID, _ options: ClusterOptions) {
    self.id = id
    self.options = options
  }

  /// This server in its deployment.
  struct Place {
    let member: ClusterMember
    /// The number of the deployment, which separates it from others on the same bus.
    let deployment: UInt64
  }

  /// Adds this server and assigns it the next number.
  func register() throws(ClusterError) -> Place {
    try connect(script: RegistryStatements.schema)
    _ = try run("BEGIN")
    do throws(ClusterError) {
      _ = try run("SELECT pg_advisory_xact_lock($1)", [.integer(RegistryStatements.lock)])
      let slot = try insert()
      let deployment = try run(RegistryStatements.deployment).integer(0, 0)
      _ = try run("COMMIT")
      try takeLock()
      return Place(
        member: ClusterMember(
          id: id, slot: slot, name: options.serverName, version: options.versions.highest),
        deployment: UInt64(bitPattern: deployment))
    } catch {
      // Closing the connection ends the transaction.
      connection = nil
      throw error
    }
  }

  /// Writes this server's row and reads all rows.
  ///
  /// Reopens a lost connection at once: its lock is free, so a server that is silent for a moment
  /// would be taken for dead.
  func beat(_ state: ServerState, isOnBus: Bool) throws(ClusterError) -> Answer {
    let wasConnected = connection != nil
    do throws(ClusterError) {
      return try beatOnce(state, isOnBus: isOnBus)
    } catch {
      guard wasConnected, error.isLossOfConnection else { throw error }
      return try beatOnce(state, isOnBus: isOnBus)
    }
  }

  private func beatOnce(_ state: ServerState, isOnBus: Bool) throws(ClusterError) -> Answer {
    let isReconnected = connection == nil
    try connect()
    if !hasLock { try takeLock() }
    try publishSettings()
    let start = SystemClock.monotonicMilliseconds
    let outcomes = try pipeline([
      // Losing a beat in a database crash does no harm.
      .init("BEGIN"), .init("SET LOCAL synchronous_commit = off"),
      .init(
        RegistryStatements.beat, [.id(id), .text(state.rawValue), .boolean(isOnBus)]),
      .init(RegistryStatements.servers), .init(RegistryStatements.lostServers), .init("COMMIT"),
    ])
    let end = SystemClock.monotonicMilliseconds
    let rows = outcomes[3]
    let now = rows.integer(0, 0)
    return Answer(
      view: RegistryView(
        now: now, records: (0..<rows.count).compactMap { record(rows, $0) },
        lost: (0..<outcomes[4].count).compactMap { lost(outcomes[4], $0) }),
      clock: ClockSample(of: now, between: start, and: end),
      isReconnected: isReconnected)
  }

  /// Sets new settings, which the next beat publishes.
  func adopt(_ options: ClusterOptions) { newOptions = options }

  private func publishSettings() throws(ClusterError) {
    guard let options = newOptions else { return }
    _ = try run(RegistryStatements.agree, [.id(id)] + options.storedSettings)
    newOptions = nil
  }

  /// - Returns: Whether the evidence holds and the server was not already dead.
  func declareDead(_ server: ServerID, _ evidence: DeathEvidence) throws(ClusterError) -> Bool {
    try connect()
    switch evidence {
    case .lockIsFree:
      return try run(RegistryStatements.declareDeadWithoutLock, [.id(server)]).changedCount > 0
    case .noBeat(let time):
      return try run(
        RegistryStatements.declareDeadWithoutBeat, [.id(server), .integer(time)]
      ).changedCount > 0
    }
  }

  /// Releases this server's number and lock.
  func leave() throws(ClusterError) {
    try connect()
    _ = try run(RegistryStatements.leave, [.id(id)])
    connection = nil
  }

  // MARK: Rows

  private func insert() throws(ClusterError) -> UInt16 {
    let differences = options.differences(
      try run(RegistryStatements.differences, options.comparedSettings + [.id(id)]))
    guard differences.isEmpty else { throw .settingsDiffer(differences) }
    let free = try run(RegistryStatements.nextSlot)
    guard free.count > 0 else { throw .full }
    let slot = UInt16(clamping: free.integer(0, 0))
    _ = try run(RegistryStatements.forgetLost)
    _ = try run(RegistryStatements.forget, [.integer(Int64(slot))])
    _ = try run(
      RegistryStatements.insert,
      [
        .id(id), .integer(Int64(slot)), .text(options.serverName), .text(options.version),
        .integer(Int64(options.versions.highest)),
      ] + options.storedSettings)
    return slot
  }

  private func record(_ rows: PostgreSQLRows, _ row: Int) -> ServerRecord? {
    guard let state = ServerState(rawValue: rows.text(row, 6)),
      let slot = UInt16(exactly: rows.integer(row, 2)), slot < ServerRing.capacity
    else { return nil }
    let id = ServerID(rawValue: UInt64(bitPattern: rows.integer(row, 1)))
    return ServerRecord(
      member: ClusterMember(
        id: id, slot: slot, name: rows.text(row, 3),
        version: UInt8(clamping: rows.integer(row, 5))),
      version: rows.text(row, 4), state: state, isOnBus: rows.integer(row, 7) != 0,
      startedAt: rows.integer(row, 8),
      beatAt: rows.integer(row, 9))
  }

  private func lost(_ rows: PostgreSQLRows, _ row: Int) -> LostServer? {
    guard let ending = ServerEnding(rawValue: rows.text(row, 7)) else { return nil }
    let id = ServerID(rawValue: UInt64(bitPattern: rows.integer(row, 0)))
    return LostServer(
      member: ClusterMember(
        id: id, slot: UInt16(clamping: rows.integer(row, 1)), name: rows.text(row, 2)),
      version: rows.text(row, 3), startedAt: rows.integer(row, 4), beatAt: rows.integer(row, 5),
      endedAt: rows.integer(row, 6), ending: ending)
  }

  // MARK: The connection

  /// Tries to take this server's lock; an older connection that holds it releases it when it ends.
  private func takeLock() throws(ClusterError) {
    hasLock = try run(RegistryStatements.takeLock, [.id(id)]).integer(0, 0) != 0
  }

  private func connect(script: String? = nil) throws(ClusterError) {
    guard connection == nil else { return }
    do throws(PostgreSQLError) {
      var settings = PostgreSQLConnection.Options()
      settings.applicationName = "parley cluster"
      settings.connectTimeout = 2
      settings.answerTimeout = Int(options.timing.registryAnswer)
      let made = try PostgreSQLConnection(options.registryURL, settings)
      if let script { try made.execute(script: script) }
      connection = made
      hasLock = false
    } catch {
      throw .registry(error)
    }
  }

  private func run(
    _ sql: String, _ values: [PostgreSQLValue] = []
  ) throws(ClusterError) -> PostgreSQLRows {
    try pipeline([.init(sql, values)])[0]
  }

  /// Runs statements; after an error the next call reconnects.
  private func pipeline(
    _ queries: [PostgreSQLConnection.Query]
  ) throws(ClusterError) -> [PostgreSQLRows] {
    guard let connection else {
      throw .registry(PostgreSQLError(kind: .disconnected, message: "not connected"))
    }
    do throws(PostgreSQLError) {
      var rows: [PostgreSQLRows] = []
      for outcome in try connection.run(queries) { rows.append(try outcome.get()) }
      return rows
    } catch {
      self.connection = nil
      throw .registry(error)
    }
  }
}

extension ClusterError {
  /// Whether the server or the network closed the connection, as opposed to a timeout.
  fileprivate var isLossOfConnection: Bool {
    if case .registry(let error) = self, error.kind != .timedOut {
      error.endsConnection
    } else {
      false
    }
  }
}

extension PostgreSQLValue {
  static func id(_ server: ServerID) -> PostgreSQLValue {
    .integer(Int64(bitPattern: server.rawValue))
  }
}
