import Foundation
import ParleyClient
import Synchronization
import TestPeers
import TestSupport
import Testing

extension ClientTests {
  @Suite("sends files")
  struct FileTests {
    /// Bytes that no other place of the file has in the same order.
    private static func content(_ count: Int) -> [UInt8] {
      var state: UInt32 = 1
      return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
      }
    }

    @Test("that are uploaded from memory, from a path and from a sequence, with progress")
    func sources() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      defer { withExtendedLifetime(ann) {} }
      #expect(ann.features?.files == ServerFeatures.Files(maxBytes: 26_214_400))
      #expect(ann.features?.thumbnails?.maxSizes == 3)
      #expect(ann.features?.translation == nil && ann.features?.hasPreviews == false)
      let lobby = try await ann.enterNewChannel()
      let bytes = Self.content(700_000)
      let path = server.directory.path(of: "plan.png")
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let pieces = AsyncStream<[UInt8]> { stream in
        for start in stride(from: 0, to: bytes.count, by: 99_999) {
          stream.yield(Array(bytes[start...].prefix(99_999)))
        }
        stream.finish()
      }
      for file: FileContent in [
        .path(path), .bytes(bytes), .sequence(pieces, size: Int64(bytes.count)),
      ] {
        let params = FileMessageCreateParams(file: file, message: "the plan")
        params.fileName = "plan.png"
        params.mimeType = "image/png"
        let sending = lobby.sendingFileMessage(params: params)
        #expect(sending.pendingMessage.sendingStatus == .pending)
        #expect(sending.pendingMessage.name == "plan.png")
        var last: FileUploadProgress?
        for await step in sending.progress {
          #expect(step.totalBytesSent > last?.totalBytesSent ?? 0)
          #expect(step.requestID == sending.pendingMessage.requestID)
          last = step
        }
        #expect(last?.totalBytesSent == Int64(bytes.count))
        let message = try await sending.message()
        #expect(message.requestID == sending.pendingMessage.requestID)
        #expect(message.message == "the plan" && message.type == "image/png")
        #expect(message.size == Int64(bytes.count) && !message.fileID.isEmpty)
        #expect(try Self.download(message, from: server) == bytes)
        #expect(!sending.cancel())
      }
      let missing = FileMessageCreateParams(file: .path(path + "x"))
      await #expect(throws: ParleyError.self) { try await lobby.sendFileMessage(params: missing) }
    }

    @Test("that resume after a broken connection and after the server was killed")
    func cuts() async throws {
      let first = try ServerProcess(unlimited)
      let proxy = try CuttingProxy(to: first.port)
      defer { proxy.stop() }
      let ann = try await connectedClient(to: proxy.url, "ann")
      defer { withExtendedLifetime(ann) {} }
      let lobby = try await ann.enterNewChannel()
      let bytes = Self.content(8_000_000)
      proxy.cut(after: 1_500_000, .toServer)
      let totals = Mutex<[Int64]>([])
      let (answers, answer) = AsyncStream.makeStream(of: Result<FileMessage, ParleyError>.self)
      lobby.sendFileMessage(params: FileMessageCreateParams(file: .bytes(bytes))) { step in
        totals.withLock { $0.append(step.totalBytesSent) }
      } completion: {
        answer.yield($0)
      }
      try await Deadline.standard.wait(for: "half of the file") {
        proxy.count(.toServer) > 4_000_000
      }
      try first.kill()
      let second = try ServerProcess(unlimited, in: first.directory)
      proxy.lead(to: second.port)
      let message = try #require(await answers.first { _ in true }).get()
      #expect(try Self.download(message, from: second) == bytes)
      let steps = totals.withLock { $0 }
      #expect(steps == steps.sorted() && steps.last == 8_000_000)
      // Far less than twice the file went over the wire: nothing began anew.
      #expect(proxy.count(.toServer) < 13_000_000)
      #expect(try await lobby.allMessages().count == 1)
    }

    @Test("twenty in one call, in order and each once, as fast as the flood limit allows")
    func twenty() async throws {
      let server = try ServerProcess([
        "--limits-throttle-messages", "0", "--unfurl-mode", "off", "--limits-flood-messages", "5",
        "--limits-flood-window-ms", "300",
      ])
      let proxy = try CuttingProxy(to: server.port)
      defer { proxy.stop() }
      let ann = try await connectedClient(to: proxy.url, "ann")
      defer { withExtendedLifetime(ann) {} }
      let lobby = try await ann.enterNewChannel()
      let params = (0..<20).map { number in
        let params = FileMessageCreateParams(file: .bytes([UInt8(number)]))
        params.fileName = "\(number).bin"
        return params
      }
      let told = Mutex<[String]>([])
      let (ends, end) = AsyncStream.makeStream(of: ParleyError?.self)
      let pending = lobby.sendFileMessages(
        params: params,
        sentMessageHandler: { message, error in
          told.withLock { $0.append(error == nil ? message?.requestID ?? "none" : "failed") }
          if told.withLock({ $0.count }) == 7 { proxy.cutNow() }
        }, completionHandler: { error in end.yield(error) })
      #expect(try #require(await ends.first { _ in true }) == nil)
      #expect(told.withLock { $0 } == pending.map(\.requestID))
      let stored = try await lobby.allMessages()
      #expect(stored.map(\.requestID) == pending.map(\.requestID))
      #expect(stored.map { ($0 as? FileMessage)?.name } == (0..<20).map { "\($0).bin" })

      let failed = Mutex(0)
      let (refusals, refusal) = AsyncStream.makeStream(of: ParleyError?.self)
      lobby.sendFileMessages(
        params: params + params.prefix(1),
        sentMessageHandler: { message, error in
          if error != nil, message?.sendingStatus == .failed { failed.withLock { $0 += 1 } }
        }, completionHandler: { error in refusal.yield(error) })
      #expect(try #require(await refusals.first { _ in true }) != nil)
      #expect(failed.withLock { $0 } == 21)
    }

    @Test("whose upload is cancelled once, and sent again")
    func cancelling() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      defer { withExtendedLifetime(ann) {} }
      let lobby = try await ann.enterNewChannel()
      let isOpen = Mutex(false)
      let pieces = GatedPieces { isOpen.withLock { $0 } }
      let params = FileMessageCreateParams(file: .sequence(pieces, size: 400_000))
      let sending = lobby.sendingFileMessage(params: params)
      for await _ in sending.progress { break }
      let requestID = sending.pendingMessage.requestID
      #expect(lobby.cancelUploadingFileMessage(requestID: requestID))
      #expect(!lobby.cancelUploadingFileMessage(requestID: requestID))
      #expect(!lobby.cancelUploadingFileMessage(requestID: "unknown"))
      await #expect(throws: ParleyError.cancelled) { try await sending.message() }
      isOpen.withLock { $0 = true }
      let message = try await lobby.resendFileMessage(sending.pendingMessage)
      #expect(message.requestID == requestID && message.size == 400_000)
      await #expect(throws: ParleyError.self) {
        try await lobby.resendFileMessage(sending.pendingMessage)
      }
      #expect(try await lobby.allMessages().count == 1)
    }

    @Test("whose message was refused, again without a second upload")
    func resending() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let kim = try await server.client("kim")
      defer { withExtendedLifetime(kim) {} }
      let seen = try await kim.enterChannel()
      try await lobby.freeze()
      let sending = seen.sendingFileMessage(params: .init(file: .bytes(Self.content(300_000))))
      await #expect(throws: ParleyError.frozen) { try await sending.message() }
      try await lobby.unfreeze()
      let steps = Mutex<[FileUploadProgress]>([])
      let (answers, answer) = AsyncStream.makeStream(of: FileMessage?.self)
      seen.resendFileMessage(sending.pendingMessage) { step in
        steps.withLock { $0.append(step) }
      } completionHandler: { message, error in
        #expect(error == nil)
        answer.yield(message)
      }
      let message = try #require(await answers.first { _ in true } ?? nil)
      #expect(message.size == 300_000)
      #expect(steps.withLock { $0 }.map(\.bytesSent) == [300_000])
      let metrics = try server.get("/metrics").text
      #expect(metrics.contains("parley_upload_bytes_total 300000"))
    }

    @Test("that are encrypted, and opens them with its own key, the newest after a reconnection")
    func encrypted() async throws {
      let server = try ServerProcess(unlimited + ["--files-encryption", "on"])
      let proxy = try CuttingProxy(to: server.port)
      let ann = try await server.client("ann")
      let bob = try await connectedClient(to: proxy.url, "bob")
      defer { withExtendedLifetime((ann, bob)) {} }
      let lobby = try await ann.enterNewChannel()
      let seen = try await bob.enterChannel()
      var events = bob.events.makeAsyncIterator()
      let bytes = Self.content(100_000)
      let sent = try await lobby.sendFileMessage(
        params: FileMessageCreateParams(file: .bytes(bytes)))
      #expect(sent.requireAuth)
      #expect(try Self.download(sent, from: server) == bytes)
      let path = sent.plainURL.split(separator: "/", maxSplits: 2).last ?? ""
      #expect(try server.get("/" + path).status == 401)
      let found = try #require(try await seen.getMessage(messageID: sent.messageID) as? FileMessage)
      let before = found.url
      #expect(found.plainURL == sent.plainURL && before != sent.url && before != found.plainURL)
      #expect(try Self.download(found, from: server) == bytes)
      proxy.cutNow()
      _ = try await events.first(\.reconnected)
      #expect(found.url != before)
      #expect(try Self.download(found, from: server) == bytes)
    }

    @Test("that are pictures of channels and users, which need no key")
    func pictures() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let create = OpenChannelCreateParams(name: "Lobby")
      create.coverImage = .bytes(Self.content(100))
      let lobby = try await ann.createOpenChannel(params: create)
      #expect(try Self.download(lobby.coverURL, from: server) == Self.content(100))
      let update = OpenChannelUpdateParams()
      update.coverImage = .bytes(Self.content(300_000))
      try await lobby.update(params: update)
      #expect(try Self.download(lobby.coverURL, from: server) == Self.content(300_000))
      let change = UserUpdateParams()
      change.profileImage = .bytes(Self.content(200))
      let user = try await ann.updateCurrentUser(params: change)
      #expect(try Self.download(user.profileURL, from: server) == Self.content(200))
    }

    private static func download(
      _ message: FileMessage, from server: ServerProcess
    ) throws -> [UInt8] {
      try download(message.url, from: server)
    }

    private static func download(_ url: String, from server: ServerProcess) throws -> [UInt8] {
      let path = url.split(separator: "/", maxSplits: 2).last ?? ""
      return try server.get("/" + path).body
    }
  }
}

/// 400,000 bytes of which the second half comes when a gate is open.
private struct GatedPieces: AsyncSequence, Sendable {
  let isOpen: @Sendable () -> Bool

  struct AsyncIterator: AsyncIteratorProtocol {
    let isOpen: @Sendable () -> Bool
    var count = 0

    mutating func next() async throws -> [UInt8]? {
      guard count < 4 else { return nil }
      if count == 3 { try await Deadline.standard.wait(for: "the gate", until: isOpen) }
      count += 1
      return [UInt8](repeating: 7, count: 100_000)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(isOpen: isOpen) }
}
