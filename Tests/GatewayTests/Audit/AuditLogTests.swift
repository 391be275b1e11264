import Configuration
import Foundation
import Logging
import ParleyProtocol
import TestPeers
import TestSupport
import Testing

@testable import Gateway

@Suite("The audit log", .onOwnThreads)
struct AuditLogTests {
  private let deletion = AuditedAction(ofPath: "/v3/users/{user_id}")

  private func record(_ id: Int) throws -> AuditRecord {
    AuditRecord(
      call: AuditCall(
        time: 0, token: APITokenName(id: "first", name: nil), client: "::1", trace: nil,
        method: "DELETE",
        path: "/v3/users/\(id)", action: try #require(deletion),
        arguments: [(name: "user_id", value: "\(id)")], query: [:], body: []),
      former: nil, outcome: .success([]))
  }

  private func log(at path: String) throws -> AuditLog {
    var settings = Settings().audit
    settings.log = .file(path)
    return try #require(try AuditLog(settings, logger: Logger(label: "audit")))
  }

  private func ids(in path: String) throws -> [String] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return try text.split(separator: "\n").map {
      try #require(try JSONDocument(String($0)).root["object"]?["user_id"]?.string)
    }
  }

  @Test("contains every record in order, appended to the existing ones")
  func order() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "audit.log")
    for part in 0..<2 {
      let log = try log(at: path)
      for id in 0..<100 { log.write(try record(part * 100 + id)) }
      log.close()
      #expect(log.counts == (100, 0))
    }
    #expect(try ids(in: path) == (0..<200).map { "\($0)" })
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("continues in a new file after the old one was renamed")
  func rotation() throws {
    let directory = try TemporaryDirectory()
    let (path, old) = (directory.path(of: "audit.log"), directory.path(of: "audit.log.1"))
    let log = try log(at: path)
    log.write(try record(1))
    try Deadline.standard.wait(for: "the first line") { log.counts.written == 1 }
    try FileManager.default.moveItem(atPath: path, toPath: old)
    log.reopen()
    try Deadline.standard.wait(for: "the new file") {
      FileManager.default.fileExists(atPath: path)
    }
    log.write(try record(2))
    log.close()
    #expect(try ids(in: old) == ["1"] && (try ids(in: path)) == ["2"])
  }

  @Test("counts lines that a full disk refuses")
  func fullDisk() throws {
    let log = try log(at: "/dev/full")
    for id in 0..<10 { log.write(try record(id)) }
    log.close()
    #expect(log.counts == (0, 10))
  }

  @Test("stops even if it writes to a pipe that is not read")
  func unreadPipe() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "audit.log")
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let log = try log(at: path)
    for id in 0..<2_000 { log.write(try record(id)) }
    log.close()
    #expect(log.counts.written < 2_000)
  }

  @Test("is an error if it cannot be opened, and nil if disabled")
  func opening() throws {
    #expect(throws: UnusableSetting.self) { try log(at: "/nonexistent/audit.log") }
    #expect(try AuditLog(Settings().audit, logger: Logger(label: "audit")) == nil)
  }
}
