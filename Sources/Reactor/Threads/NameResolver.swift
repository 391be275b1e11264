import Synchronization

/// Looks up names on separate threads, because the system's resolver blocks its caller.
///
/// Simultaneous requests for the same name share one look-up. Usable from any thread.
package final class NameResolver: Sendable {
  package typealias Outcome = Result<[SocketAddress], Failure>
  package typealias Completion = @Sendable (Outcome) -> Void
  /// The function that looks up a name; replaced in tests.
  package typealias Lookup = @Sendable (_ host: String, _ port: UInt16) -> Outcome

  /// The reason why a name currently has no address, as a text that contains the name.
  package struct Failure: Error, Hashable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
  }

  private struct Query: Hashable {
    let host: String
    let port: UInt16
  }

  private struct State {
    var waiting: [Query: [Completion]] = [:]
    var queue: [Query] = []
    var threadCount = 0
  }

  /// A look-up that hangs blocks one thread, and few can hang at once.
  private static let threadLimit = 4

  private let state = Mutex(State())
  private let lookUp: Lookup

  package init(lookUp: @escaping Lookup) {
    self.lookUp = lookUp
  }

  /// Creates a resolver that uses the system's.
  package convenience init() {
    self.init(lookUp: Self.systemLookup)
  }

  /// Looks up a name, and calls `completion` with at least one address, on another thread.
  package func resolve(_ host: String, port: UInt16, _ completion: @escaping Completion) {
    let query = Query(host: host, port: port)
    let needsThread = state.withLock { state in
      state.waiting[query, default: []].append(completion)
      guard state.waiting[query]?.count == 1 else { return false }
      state.queue.append(query)
      guard state.threadCount < Self.threadLimit else { return false }
      state.threadCount += 1
      return true
    }
    if needsThread { startThread() }
  }

  private func startThread() {
    do throws(SystemError) {
      _ = try Thread(name: "parley-names") { [self] in work() }
    } catch {
      abandon(error)
    }
  }

  private func work() {
    while let query = next() {
      let outcome = lookUp(query.host, query.port)
      let completions = state.withLock { $0.waiting.removeValue(forKey: query) ?? [] }
      for completion in completions { completion(outcome) }
    }
  }

  /// The next name to look up; `nil` ends the thread.
  private func next() -> Query? {
    state.withLock { state in
      guard !state.queue.isEmpty else {
        state.threadCount -= 1
        return nil
      }
      return state.queue.removeFirst()
    }
  }

  private func abandon(_ error: SystemError) {
    let completions = state.withLock { state in
      state.threadCount -= 1
      guard state.threadCount == 0 else { return [Completion]() }
      state.queue = []
      defer { state.waiting = [:] }
      return state.waiting.values.flatMap(\.self)
    }
    for completion in completions {
      completion(.failure(Failure(error.description)))
    }
  }

  @Sendable
  private static func systemLookup(_ host: String, _ port: UInt16) -> Outcome {
    do throws(NameLookup.Failure) {
      return .success(try NameLookup.addresses(of: host, port: port))
    } catch {
      return .failure(Failure(error.description))
    }
  }
}
