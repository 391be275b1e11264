import ParleyProtocol
import Testing

@testable import Channels
@testable import Gateway

@Suite("Files that came with forms, after the answers to their messages")
struct UnusedUploadRemovalTests {
  private static let id = String(repeating: "a", count: 32)
  private let removal = UnusedUploadRemoval(FileRecord(id: id, name: "n", type: "", size: 0))

  private func sent(
    _ arrival: Channels.SentMessage.Arrival, withFile id: String
  ) -> Result<JudgeAnswer, ServiceError> {
    let message = Message(
      id: 1, type: .file, channelURL: "lobby", user: nil, text: "",
      file: MessageFile(id: id, url: "https://a.example/"), createdAt: 0)
    return .success(.sent(Channels.SentMessage(message, seq: 1, arrival)))
  }

  @Test("a message that has the file keeps it, whichever attempt has stored it")
  func keeps() {
    for arrival in [Channels.SentMessage.Arrival.sent, .joined, .repeated] {
      #expect(!removal.isDue(after: sent(arrival, withFile: Self.id)))
    }
  }

  @Test("a form that repeats another loses its file")
  func repeats() {
    let other = String(repeating: "b", count: 32)
    for arrival in [Channels.SentMessage.Arrival.joined, .repeated] {
      #expect(removal.isDue(after: sent(arrival, withFile: other)))
    }
  }

  @Test("a message that is refused loses its file")
  func refused() {
    #expect(removal.isDue(after: .failure(.muted("lobby"))))
    #expect(removal.isDue(after: .failure(ServiceError(.unavailable("full")))))
  }

  @Test("the file stays for a channel's next home, and for a message that may have been stored")
  func undecided() {
    for error in [LogError.fenced, .unknown("the connection was lost")] {
      #expect(!removal.isDue(after: .failure(ServiceError(error))))
    }
  }
}
