import TestSupport
import Testing

/// Gives the tests of a suite a server, which ends with them.
struct RunningServer: SuiteTrait, TestScoping {
  @TaskLocal static var current: PostgreSQLServer?

  func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    let server = try PostgreSQLServer()
    let result: Result<Void, any Error>
    do {
      try await Self.$current.withValue(server) { try await body() }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    try server.remove()
    try result.get()
  }
}

extension Trait where Self == RunningServer {
  static var withPostgreSQL: RunningServer { RunningServer() }
}
