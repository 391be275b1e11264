import Foundation
import ParleyProtocol
import TestSupport
import Testing

extension ServerTests {
  @Suite("whose disk takes no more")
  struct StorageFailureTests {
    @Test("tells the sender, is not ready, lives on, and recovers with the disk")
    func fullDisk() throws {
      let server = try ServerProcess(unlimitedSending, start: .ignoringFileSizeSignal)
      let jeff = try server.open("jeff")
      let mia = try server.open("mia")
      try jeff.create("lobby")
      for client in [jeff, mia] { try client.enter("lobby") }
      var kept = [try jeff.send("before", to: "lobby")]

      try limitFileSize(of: server, to: "1")
      for number in 0..<3 {
        #expect(try jeff.sendRefusal("lost \(number)", to: "lobby").code == .internalError)
      }
      #expect(try server.get("/readyz").status == 503)
      #expect(try server.get("/healthz").status == 200)
      #expect(try jeff.allMessages(in: "lobby").map(\.id) == kept.map(\.id))
      #expect(server.process.isRunning)

      try limitFileSize(of: server, to: "unlimited")
      try server.waitForReadiness(200)
      kept.append(try jeff.send("after", to: "lobby"))
      #expect(kept.map(\.seq) == [kept[0].seq, kept[0].seq + 1])
      let last = kept[1]
      let told = try mia.events(through: "message.received") { $0.messageID == last.id }
      #expect(
        told.filter { $0.method == "message.received" }.compactMap(\.messageID)
          == kept.map(\.id))
      try server.kill()

      let second = try ServerProcess(in: server.directory)
      #expect(try second.open("jeff").allMessages(in: "lobby").map(\.text) == ["before", "after"])
    }

    @Test("gives the place in the flood window back to a send that failed")
    func floodWindow() throws {
      let server = try ServerProcess(
        ["--limits-flood-window-ms", "3600000", "--limits-flood-messages", "2"],
        start: .ignoringFileSizeSignal)
      let jeff = try server.open("jeff")
      try jeff.create("lobby")
      try jeff.enter("lobby")
      try limitFileSize(of: server, to: "1")
      for _ in 0..<4 {
        #expect(try jeff.sendRefusal("lost", to: "lobby").code == .internalError)
      }
      try limitFileSize(of: server, to: "unlimited")
      try server.waitForReadiness(200)
      for number in 0..<2 { try jeff.send("kept \(number)", to: "lobby") }
      #expect(try jeff.sendRefusal("too many", to: "lobby").code == .flood)
    }

    /// Makes every write to a file beyond so many bytes fail, as on a disk that is full.
    private func limitFileSize(of server: ServerProcess, to bytes: String) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
      process.arguments = ["--pid", "\(server.process.id)", "--fsize=\(bytes):"]
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
    }
  }
}
