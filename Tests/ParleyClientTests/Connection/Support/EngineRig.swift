import ClientSockets
import ClientTransport
import Basics
@testable import ParleyClient
import ParleyProtocol
import Synchronization
import TestPeers
import TestSupport

/// An engine whose events are kept, for tests over real sockets.
final class EngineRig: Sendable {
  let engine: Engine
  private let events: EventLog

  init(
    _ url: String, on loop: ClientLoop? = nil,
    _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = EngineConfiguration(serverURL: url)
    // Tests wait for conditions, not for pauses.
    configuration.reconnection.backoff = Backoff(first: 20, limit: 50, jitter: .full)
    configuration.requestTimeout = .seconds(60).patient
    configuration.connectTimeout = .seconds(60).patient
    configure(&configuration)
    let log = EventLog()
    events = log
    let own = try loop ?? ClientLoop()
    engine = Engine(configuration, on: own) { log.append($0) }
  }

  func open(token: String? = nil) async throws(ParleyError) -> String {
    let credentials = SessionCredentials(userID: "jeff", accessToken: token)
    let result: Result<[UInt8], ParleyError> = await withCheckedContinuation { continuation in
      engine.open(credentials) { continuation.resume(returning: $0) }
    }
    return String(decoding: try result.get(), as: UTF8.self)
  }

  func call(
    _ method: String, _ params: String = "{}", _ repeatability: Repeatability = .safe
  ) async throws(ParleyError) -> String {
    let call = EngineCall(
      method: method, params: Array(params.utf8), repeatability: repeatability)
    let result: Result<[UInt8], ParleyError> = await withCheckedContinuation { continuation in
      engine.call(call) { continuation.resume(returning: $0) }
    }
    return String(decoding: try result.get(), as: UTF8.self)
  }

  func close() async {
    await withCheckedContinuation { continuation in
      engine.close { continuation.resume() }
    }
  }

  /// Why a session could not be opened.
  func openFailure() async -> ParleyError? {
    do throws(ParleyError) {
      _ = try await open()
      return nil
    } catch {
      return error
    }
  }

  /// Waits until a state was told that passes.
  func waitForState(
    _ what: String, _ passes: @Sendable (ConnectionState) -> Bool
  ) async throws -> ConnectionState {
    try await events.wait(for: what) {
      if case .stateChanged(let state) = $0, passes(state) { state } else { nil }
    }
  }

  /// Waits for an event of the server.
  func waitForNotification(_ method: String) async throws -> [UInt8] {
    try await events.wait(for: method) {
      if case .notification(method, let params) = $0 {
        params.map { Array($0.raw) } ?? []
      } else {
        nil
      }
    }
  }
}

/// What an engine has told so far.
private final class EventLog: Sendable {
  private let events = Mutex<[EngineEvent]>([])

  func append(_ event: EngineEvent) {
    events.withLock { $0.append(event) }
  }

  func wait<Value>(
    for what: String, _ find: (EngineEvent) -> Value?
  ) async throws -> Value {
    var found: Value?
    try await Deadline.standard.wait(for: what) {
      found = events.withLock { $0 }.lazy.compactMap(find).first
      return found != nil
    }
    guard let found else { throw TestFailure("no \(what)") }
    return found
  }
}
