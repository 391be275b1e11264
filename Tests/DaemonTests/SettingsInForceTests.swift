import Configuration
import Foundation
import Logging
import Synchronization
import Testing

@testable import Daemon

@Suite("Settings in force")
final class SettingsInForceTests {
  private struct Refusal: Error {}

  /// Keeps what is logged: level, message and metadata of each line.
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }
  }

  private struct Handler: LogHandler {
    let lines: Lines
    var logLevel = Logger.Level.trace
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }
      let texts = metadata.map { "\($0.key)=\($0.value)" }
      lines.all.withLock {
        $0.append("\(event.level) \(event.message) \(texts.joined(separator: " "))")
      }
    }
  }

  private let path = FileManager.default.temporaryDirectory
    .appending(path: "\(UUID().uuidString).yaml").path
  private let lines = Lines()

  deinit { try? FileManager.default.removeItem(atPath: path) }

  private func write(_ text: String) throws {
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// The settings of the file with a flag beside it.
  private func start(
    check: @escaping @Sendable (Settings) throws -> Void = { _ in }
  ) throws -> SettingsInForce {
    let source = SettingsSource(
      of: .gateway, arguments: ["--limits-channels-per-user", "7"], environment: [:], file: path)
    return SettingsInForce(try source.load(), from: source, check: check)
  }

  @Test("some changed settings apply immediately, the rest is listed, and flags override the file")
  func adopts() throws {
    try write("{reactors: 1}")
    let settings = try start()
    try write("{reactors: 2, limits.channels_per_user: 9, limits.connections_per_user: 8}")
    guard case .adopted(let change) = settings.reload(lines.logger) else {
      return #expect(Bool(false))
    }
    #expect(settings.current == change.settings)
    #expect(settings.current.limits.connectionsPerUser == 8 && settings.current.reactors == 1)
    #expect(settings.current.limits.channelsPerUser == 7)
    let logged = lines.all.withLock(\.self)
    #expect(logged.count == 2)
    #expect(logged.first == "notice reloaded the settings limits.connections_per_user=30 -> 8")
    #expect(
      logged.last?.hasPrefix("warning ") == true
        && logged.last?.hasSuffix(" reactors=1 -> 2") == true)
  }

  @Test("an invalid file changes nothing: each problem has a line that names its setting")
  func refuses() throws {
    try write("{log.level: info}")
    let settings = try start()
    let before = settings.current
    try write("{limits.connections_per_user: 8, log.level: loud, nonsense: 1}")
    guard case .refused = settings.reload(lines.logger) else { return #expect(Bool(false)) }
    #expect(settings.current == before)
    let logged = lines.all.withLock(\.self)
    #expect(logged.count == 2 && logged.allSatisfy { $0.hasPrefix("error the settings cannot") })
    #expect(
      logged.contains { $0.contains("setting=log.level") && $0.contains(".yaml, line 1") })
    #expect(logged.contains { $0.contains("setting=nonsense") })
  }

  @Test("a missing file, or a value that cannot be applied, changes nothing")
  func unusable() throws {
    try write("{auth.jwt_public_key: /key.pem}")
    let settings = try start { _ in throw UnusableSetting("auth.jwt_public_key", reason: Refusal())
    }
    let before = settings.current
    try write("{limits.connections_per_user: 8}")
    guard case .refused = settings.reload(lines.logger) else { return #expect(Bool(false)) }
    try FileManager.default.removeItem(atPath: path)
    guard case .refused = settings.reload(lines.logger) else { return #expect(Bool(false)) }
    #expect(settings.current == before)
    let logged = lines.all.withLock(\.self)
    #expect(logged.count == 2 && logged[0].contains("setting=auth.jwt_public_key"))
    #expect(logged[1].contains("configuration file: the file cannot be read"))
  }

  @Test("a file without changes is logged too")
  func unchanged() throws {
    try write("{log.level: info}")
    guard case .adopted(let change) = try start().reload(lines.logger) else {
      return #expect(Bool(false))
    }
    #expect(change.isEmpty)
    #expect(lines.all.withLock(\.self) == ["notice reloaded the settings; none has changed "])
  }
}

extension SettingsInForce {
  /// Defaults, which no file can change.
  static var withoutFile: SettingsInForce {
    SettingsInForce(
      Settings(), from: SettingsSource(of: .gateway, arguments: [], environment: [:], file: nil)
    ) { _ in }
  }
}
