import Testing

/// The databases that operations of the store are tested with.
enum StoreUnderTest: String, CaseIterable, Sendable {
  case sqlite
  case postgreSQL

  /// The database of the test that runs.
  @TaskLocal static var current = StoreUnderTest.sqlite
}

/// Runs each test of a suite once with each database.
struct EachDatabase: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  /// Each store has several connections, of which a server has a hundred.
  private static let turns = Turns(count: 4)

  func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await StoreUnderTest.$current.withValue(.sqlite) { try await body() }
    await Self.turns.begin()
    let result: Result<Void, any Error>
    do {
      try await StoreUnderTest.$current.withValue(.postgreSQL) { try await body() }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await Self.turns.end()
    try result.get()
  }
}

extension Trait where Self == EachDatabase {
  static var onEachDatabase: EachDatabase { EachDatabase() }
}

/// Lets a few at a time go on.
private actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(count: Int) { free = count }

  func begin() async {
    guard free == 0 else {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func end() {
    guard waiting.isEmpty else { return waiting.removeFirst().resume() }
    free += 1
  }
}
