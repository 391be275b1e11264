import Foundation
import ParleyProtocol
import Synchronization
import Testing
import TestPeers

extension ServerTests {
  @Suite("whose disk is full")
  struct StorageFailureTests {
    @Test("returns an error to the sender, is not ready, keeps running, and recovers with the disk")
    func fullDisk() throws {
      let server = try ServerProcess(unlimitedSending)
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

    @Test("repeatedly under load: no refused message is stored, all others are in order")
    func intermittentDisk() throws {
      let server = try ServerProcess(
        unlimitedSending + ["--reactors", "2"])
      let viewer = try server.open("viewer")
      try viewer.create("lobby")
      let before = try #require(try viewer.enter("lobby")["seq"]?.integer)
      let isOver = Flag()
      let traffic = TestThread.concurrentlyStarted(3) { index in
        try Self.send(on: server, "sender-\(index)", until: isOver)
      }
      for round in 1...3 {
        // Whoever is heard of has opened its session and entered.
        for index in 0..<3 { try viewer.awaitMessages(by: "sender-\(index)", count: round) }
        try limitFileSize(of: server, to: "1")
        try server.waitForReadiness(503)
        try limitFileSize(of: server, to: "unlimited")
        try server.waitForReadiness(200)
      }
      isOver.raise()
      let outcomes = try traffic()
      let kept = outcomes.flatMap(\.sent).sorted { $0.seq < $1.seq }
      #expect(outcomes.allSatisfy { !$0.sent.isEmpty && $0.refusalCount > 0 })
      #expect(kept.map(\.seq) == Array(before + 1..<before + 1 + Int64(kept.count)))
      try viewer.rename("lobby", to: "the end")
      let told = try viewer.events(throughRenaming: "lobby", to: "the end")
      #expect(
        told.filter { $0.method == "message.received" }.compactMap(\.messageID) == kept.map(\.id))
      try server.kill()
      let second = try ServerProcess(in: server.directory)
      #expect(try second.open("viewer").allMessages(in: "lobby") == kept.map(\.message))
    }

    private static func send(
      on server: ServerProcess, _ userID: String, until isOver: Flag
    ) throws -> (sent: [SentMessage], refusalCount: Int) {
      let client = try server.open(userID)
      try client.enter("lobby")
      var sent: [SentMessage] = []
      var refusalCount = 0
      while !isOver.isRaised {
        let ids = try (0..<4).map { try client.requestSend("message \($0)", to: "lobby") }
        for id in ids {
          switch try client.reply(to: id).result {
          case .success(let result): sent.append(try SentMessage(result))
          case .failure(let error):
            #expect(error.code == .internalError)
            refusalCount += 1
          }
        }
      }
      return (sent, refusalCount)
    }

    @Test("does not count a failed send in the flood window")
    func floodWindow() throws {
      let server = try ServerProcess(
        ["--limits-flood-window-ms", "3600000", "--limits-flood-messages", "2"])
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

extension WireClient {
  /// Waits until so many messages of a user are among the events, and leaves them there.
  fileprivate func awaitMessages(by userID: String, count: Int) throws {
    while events.count(where: {
      $0.params?["message"]?["user"]?["user_id"]?.string == userID
    }) < count {
      try awaitEvents(moreThan: events.count)
    }
  }
}

/// Says to all threads that something is over.
private final class Flag: Sendable {
  private let value = Atomic(false)

  var isRaised: Bool { value.load(ordering: .relaxed) }

  func raise() {
    value.store(true, ordering: .relaxed)
  }
}
