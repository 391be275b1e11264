import TestSupport
import Testing

@testable import PostgreSQL

@Suite("A connection to PostgreSQL", .serialized, .withPostgreSQL, .onOwnThreads)
struct PostgreSQLConnectionTests {
  private let server: PostgreSQLServer

  init() throws { server = try #require(RunningServer.current) }

  private func connection(
    _ change: (inout PostgreSQLConnection.Options) -> Void = { _ in }
  ) throws -> PostgreSQLConnection {
    var options = PostgreSQLConnection.Options()
    change(&options)
    return try PostgreSQLConnection(server.url, options)
  }

  @Test("returns every value as it was bound")
  func values() throws {
    let connection = try connection()
    let rows = try connection.execute(
      "SELECT $1::bigint, $2::text, $3::bytea, $4::boolean, $5::bigint, $6::text",
      [.integer(-3), .text("ä€😀"), .bytes([0, 255]), .boolean(true), .null, .text("")])
    #expect(rows.integer(0, 0) == -3)
    #expect(rows.text(0, 1) == "ä€😀")
    #expect(rows.bytes(0, 2) == [0, 255])
    #expect(rows.integer(0, 3) == 1)
    #expect(rows.isNull(0, 4))
    #expect(rows.text(0, 5) == "" && !rows.isNull(0, 5))
  }

  @Test("splits lists in the server, including NULLs")
  func arrays() throws {
    let connection = try connection()
    let rows = try connection.execute(
      "SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[])",
      [.integers([1, nil, .max]), .texts(["a", "", nil]), .byteStrings([[1], [], nil])])
    #expect(rows.count == 3)
    #expect(rows.integer(0, 0) == 1 && rows.isNull(1, 0) && rows.integer(2, 0) == .max)
    #expect(rows.text(0, 1) == "a" && rows.text(1, 1) == "" && rows.isNull(2, 1))
    #expect(rows.bytes(0, 2) == [1] && rows.bytes(1, 2) == [] && rows.isNull(2, 2))
    #expect(try connection.execute("SELECT * FROM unnest($1::text[])", [.texts([])]).count == 0)
  }

  @Test("a pipeline skips the statements after a failed one, and the connection remains usable")
  func pipelineFailure() throws {
    let connection = try connection()
    try connection.execute(
      script: "DROP TABLE IF EXISTS things; CREATE TABLE things (id bigint PRIMARY KEY)")
    let outcomes = try connection.run([
      .init("BEGIN"), .init("INSERT INTO things VALUES ($1)", [.integer(1)]),
      .init("INSERT INTO things VALUES ($1)", [.integer(1)]), .init("COMMIT"),
    ])
    #expect(throws: Never.self) { try outcomes[1].get() }
    guard case .failure(let error) = outcomes[2], case .failure(let skipped) = outcomes[3] else {
      Issue.record("nothing failed")
      return
    }
    #expect(error.kind == .statement(.uniqueViolation))
    #expect(skipped.kind == .skipped)
    #expect(connection.isInTransaction)
    _ = try connection.execute("ROLLBACK")
    #expect(try connection.execute("SELECT count(*) FROM things").integer(0, 0) == 0)
  }

  @Test("a statement that cannot be prepared reports the reason, each time")
  func refusedPreparation() throws {
    let connection = try connection()
    for _ in 0..<2 {
      let error = #expect(throws: PostgreSQLError.self) {
        try connection.execute("SELECT nothing FROM nowhere WHERE id = $1", [.integer(1)])
      }
      #expect(error?.kind == .statement(.undefinedTable))
      #expect(error?.endsConnection == false)
    }
    // Names of statements are not given twice, whatever has failed between.
    for number in 1...3 {
      #expect(try connection.execute("SELECT \(number)::bigint").integer(0, 0) == Int64(number))
    }
  }

  @Test("thousands of statements with much text pass through one pipeline")
  func largePipeline() throws {
    let connection = try connection()
    let text = String(repeating: "x", count: 10_000)
    let queries = (0..<2_000).map {
      PostgreSQLConnection.Query("SELECT $1::bigint, $2::text", [.integer(Int64($0)), .text(text)])
    }
    let outcomes = try connection.run(queries)
    for (index, outcome) in outcomes.enumerated() {
      let rows = try outcome.get()
      #expect(rows.integer(0, 0) == Int64(index))
      #expect(rows.text(0, 1) == text)
    }
  }

  @Test("a server that does not answer in time loses the connection")
  func timeout() throws {
    let connection = try connection { $0.answerTimeout = 200 }
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.execute("SELECT pg_sleep(30)")
    }
    #expect(error?.kind == .timedOut)
    #expect(error?.endsConnection == true)
  }

  @Test("the time limit of a shared patience ends the waits of all its connections")
  func patience() throws {
    let patience = PostgreSQLPatience()
    let connections = try (0..<2).map { _ in try connection { $0.patience = patience } }
    #expect(try connections[0].execute("SELECT 1").integer(0, 0) == 1 && !patience.isOver)
    patience.end(within: 200)
    for connection in connections {
      let error = #expect(throws: PostgreSQLError.self) {
        try connection.execute("SELECT pg_sleep(30)")
      }
      #expect(error?.kind == .timedOut)
    }
    #expect(patience.isOver)
  }

  @Test("a session that is terminated by the server is lost, and reports so")
  func terminated() throws {
    let connection = try connection()
    let other = try self.connection()
    _ = try other.execute(
      "SELECT pg_terminate_backend($1::bigint::int)", [.integer(Int64(connection.processID))])
    let error = #expect(throws: PostgreSQLError.self) { try connection.execute("SELECT 1") }
    #expect(error?.endsConnection == true)
  }

  @Test("an unreachable server is reported with the address that was tried")
  func absent() throws {
    let error = #expect(throws: PostgreSQLError.self) {
      try PostgreSQLConnection("postgresql://parley:secret@localhost:1/parley")
    }
    #expect(error?.kind == .disconnected)
    #expect(error?.message.contains("secret") == false)
  }

  @Test("committed rows survive a crash of the server, and the connection is lost")
  func crash() throws {
    let connection = try connection()
    try connection.execute(script: "DROP TABLE IF EXISTS kept; CREATE TABLE kept (id bigint)")
    _ = try connection.execute("INSERT INTO kept VALUES ($1)", [.integer(5)])
    try server.stop(.immediate)
    let error = #expect(throws: PostgreSQLError.self) { try connection.execute("SELECT 1") }
    #expect(error?.endsConnection == true)
    try server.start()
    #expect(try self.connection().execute("SELECT id FROM kept").integer(0, 0) == 5)
  }
}
