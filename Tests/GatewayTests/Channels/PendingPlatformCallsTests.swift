import Glibc
import ParleyProtocol
import TestPeers
import Testing

@testable import Channels
@testable import Gateway
@testable import Store

@Suite("Calls over the Platform API that wait for a judge")
struct PendingPlatformCallsTests {
  private static let message = Message(
    id: 1, channelURL: "lobby", user: nil, text: "x", createdAt: 0)

  /// Whether a call's file is there after the call.
  private func keepsFile(
    isHandedOver: Bool, _ outcome: Result<JudgeAnswer, ServiceError>
  ) throws -> Bool {
    let directory = try TemporaryDirectory()
    let files = try FileStore(DirectoryDepot(dataDirectory: directory.path))
    let record = FileRecord(
      id: String(repeating: "a", count: 32), name: "n", type: "", size: 0)
    let path = FileDirectory(dataDirectory: directory.path).path(of: record.id)
    let descriptor = creat(path, 0o600)
    try #require(descriptor >= 0)
    close(descriptor)
    var calls = PendingPlatformCalls()
    let number = calls.begin(UploadedFile(record, in: files)) { _, _ in }
    if isHandedOver { calls.handOverUpload(of: number) }
    let completions = [calls.end(number, outcome), calls.end(number, outcome)]
    #expect(completions[0] != nil && completions[1] == nil)
    files.close()
    return access(path, F_OK) == 0
  }

  private func sent(_ arrival: Channels.SentMessage.Arrival) -> Result<JudgeAnswer, ServiceError> {
    .success(.sent(Channels.SentMessage(Self.message, seq: 1, arrival)))
  }

  @Test("the message that a call sent keeps its file")
  func keeps() throws {
    #expect(try keepsFile(isHandedOver: true, sent(.sent)))
  }

  @Test("a send that repeated another, or failed, loses its file")
  func removes() throws {
    for outcome in [sent(.joined), sent(.repeated), .failure(.internalError)] {
      #expect(try !keepsFile(isHandedOver: true, outcome))
    }
  }

  @Test("a refused send loses its file, which was never the log's")
  func refused() throws {
    #expect(try !keepsFile(isHandedOver: false, .failure(.muted("lobby"))))
  }

  @Test("calls are ended in any order, each by its own number")
  func numbers() {
    var calls = PendingPlatformCalls()
    let numbers = (0..<3).map { _ in calls.begin(nil) { _, _ in } }
    #expect(Set(numbers).count == 3)
    for number in [numbers[1], numbers[0], numbers[2]] {
      let completion = calls.end(number, .success(.done))
      #expect(completion != nil)
    }
  }
}
