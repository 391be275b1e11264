import Channels
import ParleyProtocol

@testable import Store

extension Store {
  /// Writes and waits for the answer.
  @discardableResult
  func write<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      write(job) { continuation.resume(with: $0) }
    }
  }

  /// Reads and waits for the answer.
  func read<T: Sendable>(
    _ job: @escaping @Sendable (ReadTransaction) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      lookUp(job) { continuation.resume(with: $0) }
    }
  }

  /// Queries for a principal and waits for the answer.
  func query<T: Sendable>(
    for principal: QueryPrincipal = .server,
    _ job: @escaping @Sendable (ReadTransaction) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      query(for: principal, job) { result, _ in continuation.resume(with: result) }
    }
  }

  /// Looks up and waits for the outcome.
  func perform<Lookup: StoreLookup>(_ lookup: Lookup) async throws -> Lookup.Outcome {
    try await withCheckedThrowingContinuation { continuation in
      perform(lookup) { continuation.resume(with: $0.mapError { $0 as any Error }) }
    }
  }

  /// Runs a query for the server itself, and waits for the outcome.
  func perform<Query: StoreQuery>(
    _ query: Query, for principal: QueryPrincipal
  ) async throws -> Query.Outcome {
    try await withCheckedThrowingContinuation { continuation in
      perform(query, for: principal) { result, _ in
        continuation.resume(with: result.mapError { $0 as any Error })
      }
    }
  }

  /// Writes and waits for the outcome.
  @discardableResult
  func perform<Write: StoreWrite>(_ write: Write) async throws -> Write.Outcome {
    try await withCheckedThrowingContinuation { continuation in
      perform(write) { continuation.resume(with: $0.mapError { $0 as any Error }) }
    }
  }

  /// Appends and waits for the answer.
  @discardableResult
  func append(_ message: NewMessage) async throws -> AppendOutcome {
    try await withCheckedThrowingContinuation { continuation in
      append(message) { continuation.resume(with: $0) }
    }
  }

  /// Runs between transactions on the writer's connection, and waits.
  func maintain(_ body: @escaping @Sendable (StoreConnection) throws -> Void) async throws {
    try await inMaintenance(body)
  }

  /// Runs between transactions on the writer's connection, and waits for what it finds.
  func inMaintenance<T: Sendable>(
    _ body: @escaping @Sendable (StoreConnection) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      submit(
        .maintenance { connection in
          continuation.resume(with: Result { try body(connection) })
        })
    }
  }
}

extension StoreUnderTest {
  /// An empty place for a store.
  func place(in directory: TemporaryDirectory) throws -> StorePlace {
    switch self {
    case .sqlite: .directory(directory.path)
    case .postgreSQL: .postgreSQL(url: try PostgreSQLDatabase.make())
    }
  }
}

extension StoreOptions {
  /// The options for a slow machine, of a store in a directory.
  func patient(in directory: TemporaryDirectory) -> StoreOptions {
    var options = self
    // A list ends at its limit alone, however slow the machine is.
    options.queryMilliseconds = 0
    options.sessionLimits = .patient
    // A store whose file is removed refuses writes: the directory stays as long as the store.
    options.afterBatch = { withExtendedLifetime(directory) { afterBatch() } }
    return options
  }
}

/// A store in a place of its own, with users `ann`, `bob`, `cy` and a channel `lobby`.
struct Fixture {
  let directory = TemporaryDirectory()
  let place: StorePlace
  let store: Store
  let lobby: ChannelState

  init(options: StoreOptions = StoreOptions()) async throws {
    place = try StoreUnderTest.current.place(in: directory)
    store = try Store(place, options: options.patient(in: directory))
    lobby = try await store.write { transaction in
      for (id, nickname) in [("ann", "Ann"), ("bob", "Bob"), ("cy", "Cy")] {
        _ = try transaction.upsertUser(id, nickname: nickname, at: 1)
      }
      let channel = Channel(url: "lobby", name: "Lobby", createdAt: 1)
      return try transaction.createChannel(channel, epoch: "first")
    }
  }

  /// A message of ann's in the lobby.
  func message(
    _ id: Int64, _ text: String = "hello", by userID: String? = "ann", requestID: String = "",
    at createdAt: Int64 = 1_000
  ) -> NewMessage {
    NewMessage(
      channelID: lobby.id, id: id, type: userID == nil ? .admin : .user, userID: userID,
      text: text, requestID: requestID, createdAt: createdAt)
  }
}
