import ParleyProtocol
import Testing

@testable import Channels
@testable import Gateway

@Suite("Files uploaded by forms, after the message responses")
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

  @Test("a message keeps its file, whichever attempt stored it")
  func keeps() {
    for arrival in [Channels.SentMessage.Arrival.sent, .joined, .repeated] {
      #expect(!removal.isDue(after: sent(arrival, withFile: Self.id)))
    }
  }

  @Test("a repeated form has its file removed")
  func repeats() {
    let other = String(repeating: "b", count: 32)
    for arrival in [Channels.SentMessage.Arrival.joined, .repeated] {
      #expect(removal.isDue(after: sent(arrival, withFile: other)))
    }
  }

  @Test("a refused message has its file removed")
  func refused() {
    #expect(removal.isDue(after: .failure(.muted("lobby"))))
    #expect(removal.isDue(after: .failure(ServiceError(.unavailable("full")))))
  }

  @Test("the file is kept for a channel's next home, and if the message may have been stored")
  func undecided() {
    for error in [LogError.fenced, .unknown("the connection was lost")] {
      #expect(!removal.isDue(after: .failure(ServiceError(error))))
    }
  }
}
