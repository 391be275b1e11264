import Channels
import Foundation
import ParleyProtocol
import TestSupport
import Testing

@testable import ShardMessages

@Suite("Messages between servers of neighbouring versions")
struct MessageVersionTests {
  /// Messages as a version has written them, one in each line, in hexadecimal digits.
  ///
  /// They are never changed, only removed together with their version.
  private static func recording(of version: UInt8) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Recorded/version-\(version).txt")
  }

  private static func recorded(_ version: UInt8) throws -> [[UInt8]] {
    let text = try String(contentsOf: recording(of: version), encoding: .utf8)
    return text.split(separator: "\n").map { line in
      let digits = Array(line.utf8)
      return stride(from: 0, to: digits.count, by: 2).compactMap { index in
        UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
      }
    }
  }

  @Test(
    "what each version has written is read for ever, and written again as it was",
    arguments: MessageVersion.oldest...MessageVersion.current)
  func recorded(version: UInt8) throws {
    let messages = try Self.recorded(version)
    #expect(messages.count > 80)
    for bytes in messages {
      #expect(bytes.first == version)
      #expect(try RelayedMessage(decoding: bytes).encoded(version: version) == bytes)
    }
  }

  /// Writes the messages of a version down, before its first release: `PARLEY_RECORD_MESSAGES=2`.
  @Test(
    "are recorded",
    .enabled(if: ProcessInfo.processInfo.environment["PARLEY_RECORD_MESSAGES"] != nil))
  func record() throws {
    let version = try #require(
      ProcessInfo.processInfo.environment["PARLEY_RECORD_MESSAGES"].flatMap(UInt8.init))
    var samples = SampleMessages(seed: UInt64(version), metadataLimit: 1)
    let lines = samples.all().map { message in
      RelayedMessage(message).encoded(version: version).map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }.joined() + "\n"
    }
    try Data(lines.joined().utf8).write(to: Self.recording(of: version))
  }

  @Test("an older server gets all that it has words for, and nothing else")
  func oldWords() throws {
    let details = ErrorDetails(outcome: "unknown", reason: "storage_full")
    let message = ShardMessage.exchange(
      ExchangeAddress(shard: ShardAddress(shard: 0), connection: 1, number: 2),
      .failure(ServiceError(.internalError, "full", data: details)))
    func read(_ version: UInt8) throws -> ErrorDetails? {
      let relayed = try RelayedMessage(
        decoding: RelayedMessage(message).encoded(version: version))
      guard case .exchange(_, .failure(let error)) = relayed.message else { return nil }
      return error.data
    }
    #expect(try read(1) == ErrorDetails(outcome: "unknown"))
    #expect(try read(2) == details)
  }

  @Test("an older server shows a message that it cannot translate, and sends one without languages")
  func oldTranslations() throws {
    func read(_ command: ChannelCommand, _ version: UInt8) throws -> ChannelCommand? {
      let address = ReplyAddress(
        session: SessionAddress(shard: 0, connection: 1),
        ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true)
      let message = ShardMessage.channel(
        url: "lobby",
        .command(
          command, by: SessionPrincipal(user: User(id: "ann"), session: address.session),
          replyTo: address))
      let relayed = try RelayedMessage(
        decoding: RelayedMessage(message).encoded(version: version))
      guard case .channel(_, .command(let found, _, _)) = relayed.message else { return nil }
      return found
    }
    for version in MessageVersion.oldest...MessageVersion.current {
      let isKnown = version >= 3
      switch try read(.translateMessage(7, into: ["es"]), version) {
      case .translateMessage(7, into: ["es"]): #expect(isKnown)
      case .viewMessage(7): #expect(!isKnown)
      case let other: Issue.record("\(String(describing: other))")
      }
      let draft = MessageDraft(text: "x", translationLanguages: ["es"])
      guard
        case .send(let order) = try read(
          .send(MessageOrder(.success(draft), requestID: nil)), version)
      else {
        Issue.record("no send")
        continue
      }
      #expect(try order.draft.get().translationLanguages == (isKnown ? ["es"] : []))
    }
  }

  @Test("an older server refuses a message of the past, which it would send as a new one")
  func oldImports() throws {
    let file = FileRecord(id: "f", name: "a.txt", type: "text/plain", size: 3)
    let order = MessageOrder(.success(MessageDraft(text: "x")), requestID: "r", upload: file)
    let address = ExchangeAddress(shard: ShardAddress(shard: 0), connection: 1, number: 2)
    for createdAt in [nil, Int64(1_546_300_800_000)] {
      let message = ShardMessage.channel(
        url: "lobby",
        .submit(order, createdAt: createdAt, onBehalfOf: .success(nil), replyTo: address))
      for version in MessageVersion.oldest...MessageVersion.current {
        let relayed = try RelayedMessage(
          decoding: RelayedMessage(message).encoded(version: version))
        guard case .channel(_, .submit(let read, let time, _, _)) = relayed.message else {
          Issue.record("no message of a back end")
          continue
        }
        let isRefused = createdAt != nil && version < MessageVersion.imports
        #expect(time == (isRefused ? nil : createdAt) && read.upload == file)
        #expect((try? read.draft.get()) == (isRefused ? nil : MessageDraft(text: "x")))
        #expect(read.requestID == (isRefused ? nil : "r"))
      }
    }
  }

  @Test("kinds that nobody knows are refused, whatever follows", arguments: UInt64(1)...4)
  func unknownKinds(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for kind in UInt8(6)...255 {
      let rest = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      #expect(throws: MessageDecodingError.unknownCase) {
        try RelayedMessage(decoding: [MessageVersion.current, 0, kind] + rest)
      }
    }
    var samples = SampleMessages(seed: seed)
    for message in samples.all() {
      let bytes = RelayedMessage(message).encoded()
      for version in [0, MessageVersion.current + 1, 255] {
        #expect(throws: MessageDecodingError.unsupported) {
          try RelayedMessage(decoding: [version] + bytes.dropFirst())
        }
      }
    }
  }
}
