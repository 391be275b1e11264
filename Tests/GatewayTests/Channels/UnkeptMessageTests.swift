import Channels
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Messages that the log does not store", .onOwnThreads)
struct UnkeptMessageTests {
  @Test("a message is sent at once unless an earlier log entry or mentioned users must be awaited")
  func order() throws {
    let driven = try DrivenShard()
    let channel = driven.channel()
    #expect(isSent("first", to: channel))
    #expect(!isSent("hello", mentioning: ["bob"], to: channel))
    // The log has not answered the message before it.
    #expect(!isSent("second", to: channel))
  }

  /// Whether a message is sent within the call.
  private func isSent(
    _ text: String, mentioning users: [String] = [], to channel: ChannelHost
  ) -> Bool {
    let seq = Mutex<Int64?>(nil)
    let draft = MessageDraft(text: text, mentionedUserIDs: users)
    channel.perform(
      .send(MessageOrder(.success(draft), requestID: nil)), onBehalfOf: User(id: "ann")
    ) { _, result in
      if case .success(.sent(let sent)) = result { seq.withLock { $0 = sent.seq } }
    }
    return seq.withLock { $0 } != nil
  }
}
