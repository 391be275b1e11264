import ParleyProtocol
import Testing
import TestPeers
import TestSupport

extension ServerTests {
  @Suite("protects its channels from floods")
  struct FloodTests {
    private static let limit = 3
    private static let window = Duration.milliseconds(150).patientMilliseconds

    @Test("over all connections of a user together, in any period of the window's length")
    func window() throws {
      let server = try ServerProcess([
        "--limits-flood-messages", "\(Self.limit)", "--limits-flood-window-ms", "\(Self.window)",
        "--limits-throttle-messages", "0", "--unfurl-mode", "off", "--reactors", "2",
        // Refusals cost calls, and there are to be many.
        "--limits-calls-per-second", "0",
      ])
      let viewer = try server.open("viewer")
      try viewer.create("lobby")
      try viewer.enter("lobby")
      let results = try TestThread.concurrently(2) { _ in try Self.flood(server) }
      let accepted = results.flatMap(\.accepted).sorted { $0.seq < $1.seq }
      #expect(try viewer.allMessages(in: "lobby") == accepted.map(\.message))
      let times = accepted.map(\.message.createdAt)
      for (first, next) in zip(times, times.dropFirst(Self.limit)) {
        #expect(next - first >= Self.window)
      }
      try viewer.rename("lobby", to: "the end")
      let told = try viewer.events(throughRenaming: "lobby", to: "the end")
      #expect(
        told.filter { $0.method == "message.received" }.compactMap(\.messageID)
          == accepted.map(\.id))
      for error in results.flatMap(\.refusals) {
        #expect(error.code == .flood)
        #expect((1...Self.window).contains(error.data.retryAfterMilliseconds ?? 0))
        #expect(error.data.scope == "user_channel")
        #expect(error.data.limit == Int64(Self.limit))
      }
      #expect(!results.flatMap(\.refusals).isEmpty)
    }

    /// Tries without pause until enough came through for several windows.
    private static func flood(
      _ server: ServerProcess
    ) throws -> (accepted: [SentMessage], refusals: [ServiceError]) {
      let client = try server.open("jeff")
      try client.enter("lobby")
      var accepted: [SentMessage] = []
      var refusals: [ServiceError] = []
      while accepted.count < 8 {
        switch try client.reply(to: client.requestSend("again", to: "lobby")).result {
        case .success(let result): accepted.append(try SentMessage(result))
        case .failure(let error): refusals.append(error)
        }
      }
      return (accepted, refusals)
    }
  }
}
