import Foundation
import ParleyProtocol
import Testing
import TestPeers

extension ServerTests {
  @Suite("with a client that does not read")
  struct SlowConsumerTests {
    @Test("closes that client with 4004 while another gets all messages")
    func slowConsumer() throws {
      let server = try ServerProcess(
        unlimitedSending + ["--limits-outbound-bytes", "262144", "--reactors", "2"])
      let sender = try server.open("jeff")
      let reader = try server.open("mia")
      let sleeper = try server.open("otto", receiveBuffer: 4_096)
      try sender.create("lobby")
      for client in [sender, reader, sleeper] { try client.enter("lobby") }
      let data = String(repeating: "x", count: 16_000)
      var sent: [Int64] = []
      // As much as the kernel holds for a connection, and then some; it is the close that ends it.
      while try slowConsumers(of: server) == 0 {
        for _ in 0..<20 {
          let answer = try sender.call("message.send") {
            $0.member("channel_url", "lobby")
            $0.member("message", "much")
            $0.member("data", data)
          }
          sent.append(try SentMessage(answer).id)
          let got = try reader.event("message.received")
          #expect(got.messageID == sent.last)
        }
        try #require(sent.count < 4_000)
      }
      #expect(try sleeper.waitForClose() == 4004)
      let received = sleeper.events.filter { $0.method == "message.received" }
      #expect(received.compactMap(\.messageID) == Array(sent.prefix(received.count)))
      #expect(try reader.call("session.ping")["time"] != nil)
      #expect(try slowConsumers(of: server) == 1)
    }

    private func slowConsumers(of server: ServerProcess) throws -> Int {
      let text = try server.get("/metrics").text
      let line = try #require(text.firstMatch(of: /(?m)^parley_slow_consumers_closed_total (\d+)$/))
      return try #require(Int(line.1))
    }
  }
}
