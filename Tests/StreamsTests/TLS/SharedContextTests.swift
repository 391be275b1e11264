import TestSupport
import Streams
import Testing

@Suite("Contexts on several threads", .onOwnThreads)
struct SharedContextTests {
  @Test("one pair of contexts serves sessions on many threads while the server's is reloaded")
  func concurrency() async throws {
    let workspace = try Workspace()
    let client = try workspace.makeClientContext()
    let holder = try TLSServerContextHolder(
      certificatePath: workspace.path("server.pem"), privateKeyPath: workspace.path("server.key"))
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try (0..<20).reduce(0) { count, _ in
            let conversation = try Conversation(client: client, server: holder.current)
            try conversation.begin()
            try conversation.sendFromClient([1, 2, 3])
            try conversation.deliver()
            return count + conversation.receivedByServer.count
          }
        }
      }
      for _ in 0..<20 { try holder.reload() }
      var total = 0
      for try await count in group { total += count }
      #expect(total == 4 * 20 * 3)
    }
    withExtendedLifetime(workspace) {}
  }
}
