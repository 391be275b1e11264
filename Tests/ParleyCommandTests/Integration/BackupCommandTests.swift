import Foundation
import ParleyProtocol
import TestPeers
import Testing

extension CommandTests {
  @Suite("backs up and restores")
  struct BackupCommandTests {
    @Test("a running gateway, and another one starts from the copy")
    func roundTrip() throws {
      let server = try ServerProcess(CommandTests.quiet)
      _ = try server.run("channel", "create", "lobby")
      _ = try server.run("message", "admin", "lobby", "kept")
      let folder = server.directory.path(of: "backups")
      let data = server.directory.path(of: "data")
      let made = try CommandProcess(["backup", folder, "--data-dir", data, "--json"]).finish()
      #expect(made.status == 0, "\(made.errors)")
      let path = try #require(try made.json["backup"]?.string)
      #expect(path.hasPrefix(folder + "/"))
      _ = try server.run("channel", "create", "later")

      let over = try CommandProcess(["restore", folder, "--data-dir", data, "--replace"]).finish()
      #expect(over.status == 1 && over.errors.contains("process \(server.process.id)"))
      let token = try server.apiToken
      try server.stop()
      let unasked = try CommandProcess(["restore", folder, "--data-dir", data]).finish()
      #expect(unasked.status == 1 && unasked.errors.contains("--replace"))
      let restored = try CommandProcess([
        "restore", folder, "--data-dir", data, "--replace", "--json",
      ]).finish()
      #expect(restored.status == 0, "\(restored.errors)")
      #expect(try restored.json["backup"]?.string == path)
      #expect(try restored.json["set_aside"]?.string?.hasPrefix(data) == true)
      let next = try ServerProcess(CommandTests.quiet, in: server.directory)
      #expect(try next.apiToken == token)
      let list = try next.run("channel", "list").output
      #expect(list.contains("lobby") && !list.contains("later"), "\(list)")
      #expect(try next.run("message", "list", "lobby").output.contains("kept"))
    }

    @Test("with the settings of the gateway, and names what it leaves out")
    func settings() throws {
      let server = try ServerProcess(CommandTests.quiet)
      try server.stop()
      let directory = server.directory
      let file = directory.path(of: "parley.yaml")
      try """
      data_dir: \(directory.path(of: "data"))
      files.store: s3://chat-files?endpoint=https://garage.example:3900
      """.write(toFile: file, atomically: false, encoding: .utf8)
      let folder = directory.path(of: "backups")
      let secrets = ["PARLEY_FILES_S3_KEY": "key", "PARLEY_FILES_S3_SECRET": "secret"]
      for _ in 0..<3 {
        let made = try CommandProcess(
          ["backup", folder, "--config", file, "--keep", "2"], environment: secrets
        ).finish()
        #expect(made.status == 0 && made.errors.contains("s3://chat-files"), "\(made.errors)")
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.count { $0 != "lock" } == 2)
      let absent = try CommandProcess(["backup", folder, "--data-dir", "/nonexistent"]).finish()
      #expect(absent.status == 1 && absent.errors.contains("/nonexistent"))
      #expect(try CommandProcess(["backup", folder, "--keep", "0"]).finish().status == 64)
    }
  }
}
