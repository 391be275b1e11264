import Channels
import ParleyProtocol
import Reactor
import Store
import Uploads

/// The messages that are sent when uploads are complete.
extension Shard {
  /// The time to wait for the answer of another server.
  private static let patience: Int64 = 10_000

  /// Sends the message of an upload, and records the outcome.
  ///
  /// Repeating the call within ten minutes sends nothing, because the message has its own name.
  ///
  /// - Parameter completion: Receives the record with the outcome; without it when it is unknown.
  func sendMessage(
    of record: UploadRecord, then completion: @escaping @Sendable (Shard, UploadRecord) -> Void
  ) {
    let path = returnPath
    services.store.perform(AccountLookup(record.userID)) { result in
      let account = result.serviceResult.existing(record.userID)
      path.resume { shard in
        shard.encryptFile(of: record) { shard, sealed in
          shard.sendMessage(of: sealed, by: account) { outcome in
            shard.record(outcome, of: record, then: completion)
          }
        }
      }
    }
  }

  /// Encrypts the file of an upload if all files of messages are encrypted.
  ///
  /// The upload may be older than that setting.
  private func encryptFile(
    of record: UploadRecord,
    then next: @escaping @Sendable (Shard, Result<UploadRecord, ServiceError>) -> Void
  ) {
    let (vault, store, path) = (services.vault, services.store, returnPath)
    let id = record.fileID
    guard vault.encryptsAll, record.seal == nil else { return next(self, .success(record)) }
    vault.encrypt([id]) { refusals in
      if let refusal = refusals[id] { return path.resume { next($0, .failure(refusal)) } }
      store.perform(UploadsLookup([id])) { result in
        let found = result.serviceResult.flatMap { records -> Result<UploadRecord, ServiceError> in
          records[id].map { .success($0) } ?? .failure(.notFound(.file, id))
        }
        path.resume { next($0, found) }
      }
    }
  }

  /// Sends the message of an upload, unless the message exists, when it is unknown whether it was sent.
  func sendMessageAgain(of record: UploadRecord) {
    guard let message = try? UploadMessage(json: record.message ?? "{}") else {
      return sendMessage(of: record) { _, _ in }
    }
    let lookup = UploadMessageLookup(
      of: record.fileID, by: record.userID, in: message.channelURL,
      named: message.name(ofFile: record.fileID))
    let path = returnPath
    services.store.perform(lookup) { result in
      path.resume { shard in
        switch result {
        case .success(.kept(let sent)):
          shard.record(.success(sent.encodedAsResult()), of: record) { _, _ in }
        case .success(.relayed(let id)):
          let result = UploadMessageResult(record.fileID, messageID: id, result: "{}")
          shard.services.store.perform(result) { _ in }
        case .success(.absent): shard.sendMessage(of: record) { _, _ in }
        // The next sweep checks again.
        case .failure: break
        }
      }
    }
  }

  private func sendMessage(
    of record: Result<UploadRecord, ServiceError>, by account: Result<Account, ServiceError>,
    then completion: @escaping (CallOutcome?) -> Void
  ) {
    do throws(ServiceError) {
      let (account, record) = (try account.get(), try record.get())
      guard account.isActive else { throw .deactivated(record.userID) }
      let message = try UploadMessage(json: record.message ?? "{}")
      var draft = message.draft
      draft.file = record.file(named: draft.file, publicURL: services.uploads.publicURL)
      draft.takeThumbnails(of: record, canBeMade: services.thumbnails.isOn)
      let order = MessageOrder(
        .success(draft), requestID: message.name(ofFile: record.fileID),
        upload: record.fileRecord, arrival: SystemClock.monotonicNanoseconds)
      let place = try takePlace(of: order, by: account.user.id)
      poll(count: 1, within: edge == nil ? nil : Self.patience) { _, address in
        .channel(
          url: message.channelURL,
          .background(.send(place.order), by: account.user, replyTo: address))
      } then: { [services] answers in
        guard case .outcome(let outcome)? = answers.first else { return completion(nil) }
        if outcome.isRefusal { services.giveBack(place.place, of: account.user.id) }
        completion(outcome)
      }
    } catch {
      completion(.failure(error))
    }
  }

  private func record(
    _ outcome: CallOutcome?, of record: UploadRecord,
    then completion: @escaping @Sendable (Shard, UploadRecord) -> Void
  ) {
    var record = record
    let result: UploadMessageResult
    switch outcome {
    case .success(let json):
      let text = String(decoding: json, as: UTF8.self)
      let id = (try? JSONDocument(json).root)?["message"]?["message_id"]?.integer ?? 0
      (record.messageID, record.messageResult) = (id, text)
      result = UploadMessageResult(record.fileID, messageID: id, result: text)
    case .failure(let error) where !error.isPassing:
      let text = String(
        decoding: JSONWriter.bytes { error.encode(into: &$0) }, as: UTF8.self)
      record.messageError = text
      result = UploadMessageResult(record.fileID, error: text)
    case .failure, nil:
      // The sweep tries again.
      return completion(self, record)
    }
    let (path, known) = (returnPath, record)
    services.store.perform(result) { _ in path.resume { completion($0, known) } }
  }
}

extension UploadMessage {
  /// The name by which a repeated send is recognised.
  fileprivate func name(ofFile fileID: String) -> String {
    requestID ?? MessageOrigin.name(fileID: fileID)
  }
}

extension SequencedMessage {
  /// The result of the send that created the message.
  fileprivate func encodedAsResult() -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("message", raw: message.encoded())
        $0.member("seq", seq)
      }
    }
  }
}

extension ServiceError {
  /// Whether the same call may succeed later without any change, because the server itself failed.
  fileprivate var isPassing: Bool { code == .internalError }
}
