import Synchronization
import TestSupport
import Testing

@testable import ParleyClient

@Suite("An event from the server", .onOwnThreads)
struct ClientCoreTests {
  @Test("keeps a channel's properties up to date")
  func properties() throws {
    let core = ClientCore(bufferedEvents: 10)
    let channel = try core.enteredChannel()
    core.receive(
      "channel.frozen", #"{"channel_url":"lobby","channel":\#(Sample.channel(isFrozen: true))}"#)
    #expect(channel.isFrozen)
    core.receive(
      "channel.user_entered",
      #"{"channel_url":"lobby","user":\#(Sample.user),"participant_count":8}"#)
    #expect(channel.participantCount == 8)
    core.receive("channel.operators_changed", #"{"channel_url":"lobby","operators":[]}"#)
    #expect(channel.operators.isEmpty)
    #expect(!channel.isOperator(userID: "jeff"))
  }

  @Test("reaches every consumer in order")
  func order() async throws {
    let core = ClientCore(bufferedEvents: 10)
    let channel = try core.enteredChannel()
    var ofChannel = channel.events.makeAsyncIterator()
    var ofClient = core.streams.events().makeAsyncIterator()
    for id in 1...3 {
      core.receive("message.deleted", #"{"channel_url":"lobby","message_id":\#(id)}"#)
    }
    for id in 1...3 as ClosedRange<Int64> {
      guard case .messageDeleted(id) = await ofChannel.next(),
        case .channel(channel, .messageDeleted(id)) = await ofClient.next()
      else {
        Issue.record("message \(id) is not told in its place")
        return
      }
    }
  }

  @Test("is ignored for channels that were not entered, and if it can't be read")
  func passedOver() async throws {
    let core = ClientCore(bufferedEvents: 10)
    _ = try core.enteredChannel()
    var events = core.streams.events().makeAsyncIterator()
    core.receive("message.deleted", #"{"channel_url":"elsewhere","message_id":1}"#)
    core.receive("message.deleted", #"{"channel_url":"lobby"}"#)
    core.receive("message.deleted", "[")
    core.receive("message.vanished", "{}")
    core.receive("session.expiring", #"{"ts":1,"expires_at":99}"#)
    guard case .connection(.sessionExpiring(at: 99)) = await events.next() else {
      Issue.record("something was told")
      return
    }
  }

  @Test(
    "ends a channel that was deleted or can't be entered again",
    arguments: [RecoveryFailure.banned, .deleted, .refused(.timedOut)])
  func leaving(failure: RecoveryFailure) throws {
    let core = ClientCore(bufferedEvents: 10)
    let hall = try core.enteredChannel("hall")
    core.receive(
      "channel.deleted", #"{"channel_url":"hall","channel":\#(Sample.channel("hall"))}"#)
    #expect(!hall.isEntered)
    let lobby = try core.enteredChannel()
    core.receive(.recoveryFailed(channelURL: "lobby", reason: .gap))
    #expect(lobby.isEntered)
    core.receive(.recoveryFailed(channelURL: "lobby", reason: failure))
    #expect(!lobby.isEntered)
  }

  @Test("updates the file key, as responses do, and the latest key is kept")
  func fileKeys() {
    let core = ClientCore(bufferedEvents: 10)
    core.receive(.fileKeyChanged(FileKey(key: "a", expiresAt: 1)))
    #expect(core.fileKeys.current?.key == "a")
    core.receive("session.file_key", #"{"file_key":{"key":"b","expires_at":2}}"#)
    #expect(core.fileKeys.current == FileKey(key: "b", expiresAt: 2))
    core.receive(.fileKeyChanged(nil))
    #expect(core.fileKeys.current == nil)
  }

  @Test("attaches file keys to addresses of its server and of the latest session's base")
  func fileKeyOrigins() {
    let core = ClientCore(bufferedEvents: 10)
    core.receive(.fileKeyChanged(FileKey(key: "a", expiresAt: 1)))
    let files = ServerFeatures.Files(maxBytes: 9, base: "https://cdn.example")
    let sessions: [(ServerFeatures, String?)] = [
      (ServerFeatures(files: files), "https://cdn.example/x?auth=a"), (ServerFeatures(), nil),
    ]
    for (features, address) in sessions {
      core.receive(.featuresChanged(features))
      #expect(core.fileKeys.keyed("https://cdn.example/x") == address)
      #expect(core.fileKeys.keyed("http://127.0.0.1:1/x") == "http://127.0.0.1:1/x?auth=a")
    }
  }

  @Test("updates the features to those of the latest session")
  func features() {
    let core = ClientCore(bufferedEvents: 10)
    #expect(core.features == nil)
    for features in [ServerFeatures(hasPreviews: true), ServerFeatures()] {
      core.receive(.featuresChanged(features))
      #expect(core.features == features)
    }
  }

  @Test("ends a channel when the current user is banned")
  func banned() throws {
    let core = ClientCore(bufferedEvents: 10)
    let channel = try core.enteredChannel()
    let event = #"{"channel_url":"lobby","user":\#(Sample.user),"seconds":60,"description":""}"#
    core.keep(User(userID: "kim"))
    core.receive("channel.user_banned", event)
    #expect(channel.isEntered)
    core.keep(User(userID: "jeff"))
    core.receive("channel.user_banned", event)
    #expect(!channel.isEntered)
  }

  @Test("marks a channel as entered or left, even without a waiting call")
  func presence() throws {
    let core = ClientCore(bufferedEvents: 10)
    let channel = try core.enteredChannel()
    core.receive(.left(channelURL: "lobby"))
    #expect(!channel.isEntered)
    core.receive(.entered(channelURL: "lobby"))
    #expect(channel.isEntered)
    core.shutDown()
  }

  @Test("ends all channels at the end of the session")
  func disconnected() throws {
    let core = ClientCore(bufferedEvents: 10)
    let channel = try core.enteredChannel()
    core.receive(
      .stateChanged(.reconnecting(attempt: 1, after: .zero, because: .serverDraining)))
    #expect(channel.isEntered)
    core.receive(.stateChanged(.disconnected(because: .unauthorized("expired"))))
    #expect(!channel.isEntered)
  }

  @Test("calls the delegates, until they are removed or deallocated")
  func delegates() async throws {
    let core = ClientCore(bufferedEvents: 10)
    let channel = try core.enteredChannel()
    let (removed, listener) = (Listener(), Listener())
    core.delegates.add(listener as any OpenChannelDelegate, identifier: "a")
    core.delegates.add(listener as any ConnectionDelegate, identifier: "a")
    core.delegates.add(removed as any OpenChannelDelegate, identifier: "b")
    core.delegates.add(Listener() as any OpenChannelDelegate, identifier: "gone")
    core.delegates.removeChannelDelegate(identifier: "b")
    core.receive(
      "message.received", #"{"channel_url":"lobby","message":\#(Sample.message(text: "hello"))}"#)
    core.receive(.stateChanged(.connected))
    core.receive(.recovered(channelURL: channel.url, missed: 4))
    await core.callbacks.finish()
    #expect(listener.heard == ["hello", "connected", "recovered 4"])
    #expect(removed.heard == [])
  }

  @Test("does not delay completions, however many more events follow")
  func completionsBetween() async throws {
    let core = ClientCore(bufferedEvents: 10)
    _ = try core.enteredChannel()
    @Sendable func delete(_ id: Int64) {
      core.receive("message.deleted", #"{"channel_url":"lobby","message_id":\#(id)}"#)
    }
    let listener = Listener { id in if id < 100 { delete(id + 1) } }
    core.delegates.add(listener as any OpenChannelDelegate, identifier: "a")
    let gate = Gate()
    core.callbacks.run { gate.wait() }
    delete(1)
    core.callbacks.run { listener.note("completed") }
    gate.open()
    await core.callbacks.finish()
    try await Deadline.standard.wait(for: "all events") { listener.heard.last == "deleted 100" }
    #expect(listener.heard.prefix(3) == ["deleted 1", "completed", "deleted 2"])
  }

  @Test("is dropped when delegates are slow, oldest first, and the number dropped is reported")
  func slowDelegate() async throws {
    let core = ClientCore(bufferedEvents: 2)
    _ = try core.enteredChannel()
    let listener = Listener()
    core.delegates.add(listener as any OpenChannelDelegate, identifier: "a")
    let gate = Gate()
    core.callbacks.run { gate.wait() }
    for id in 1...5 {
      core.receive("message.deleted", #"{"channel_url":"lobby","message_id":\#(id)}"#)
    }
    gate.open()
    await core.callbacks.finish()
    #expect(listener.heard == ["dropped 3", "deleted 4", "deleted 5"])
  }
}

/// Notes what it is told.
private final class Listener: OpenChannelDelegate, ConnectionDelegate {
  private let notes = Mutex<[String]>([])
  private let didDelete: @Sendable (Int64) -> Void

  init(didDelete: @escaping @Sendable (Int64) -> Void = { _ in }) {
    self.didDelete = didDelete
  }

  var heard: [String] { notes.withLock { $0 } }

  func note(_ text: String) {
    notes.withLock { $0.append(text) }
  }

  func channel(_ channel: OpenChannel, didReceive message: any BaseMessage) {
    note(message.message)
  }

  func channel(_ channel: OpenChannel, messageWasDeleted messageID: Int64) {
    note("deleted \(messageID)")
    didDelete(messageID)
  }

  func channel(_ channel: OpenChannel, didRecover eventCount: Int) {
    note("recovered \(eventCount)")
  }

  func eventsWereDropped(count: Int) {
    note("dropped \(count)")
  }

  func didConnect() {
    note("connected")
  }
}

extension CallbackQueue {
  /// Waits until all that was there has been done.
  fileprivate func finish() async {
    await withCheckedContinuation { waiter in run { waiter.resume() } }
  }
}
