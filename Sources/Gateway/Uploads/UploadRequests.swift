import Configuration
import HTTP
import ParleyProtocol
import Reactor
import Store
import Transport
import Uploads

/// The requests to `/v1/uploads/{secret}` and `/v1/files`.
///
/// The secret alone authorizes a request, so it is never recorded here.
struct UploadRequests {
  private enum Method: String {
    case put = "PUT"
    case head = "HEAD"
    case patch = "PATCH"
    case delete = "DELETE"
    case post = "POST"
    case options = "OPTIONS"
  }

  private let call: ResourceCall
  private let answers: UploadAnswers
  /// The effective method: clients that cannot send a method name it in a header field.
  private let method: Method?
  /// The secret in the path; empty for creations.
  private let secret: String

  init(_ call: ResourceCall) {
    self.call = call
    let head = call.head
    answers = UploadAnswers(to: head, allowedOrigins: call.shard.settings.auth.allowedOrigins)
    method = Method(rawValue: head.fields["X-HTTP-Method-Override"] ?? head.method)
    secret = call.arguments["secret"]
  }

  private var shard: Shard { call.shard }
  private var head: HTTPRequestHead { call.head }
  private var services: GatewayServices { call.shard.services }
  private var tus: TusFields { TusFields { [head] in head.fields.values(of: $0) } }

  /// The length of the body; `nil` for a chunked body.
  private var bodyLength: Int64? {
    guard head.fields["Transfer-Encoding"] == nil else { return nil }
    return head.fields["Content-Length"].flatMap { Int64($0) } ?? 0
  }

  // MARK: Entries

  /// Decides how to receive the body of a request.
  func decideOnBody() -> BodyDecision {
    do throws(Refusal) {
      switch method {
      case .put, .patch:
        let transfer = try transfer()
        transfer.begin(with: UploadSecret.hash(ofText: secret))
        return .pausedPieces(limit: .max, transfer)
      case .post where secret.isEmpty:
        let transfer = try creationTransfer()
        try create(for: transfer)
        return .pausedPieces(limit: .max, transfer)
      case .head, .delete, .options, .post, nil:
        return .passingOver(head, then: answer, or: answers.refusal(.tooLarge(0)))
      }
    } catch {
      return .refusing(head, error.response)
    }
  }

  /// Answers a request without a body.
  func answer() -> RequestOutcome {
    do throws(Refusal) {
      switch (method, secret.isEmpty) {
      case (.options, _):
        return .respond(
          answers.options(maximumByteCount: services.settings.limits.fileBytes))
      case (.post, true): try create(for: nil)
      case (.put, false), (.patch, false):
        let transfer = try transfer()
        transfer.begin(with: UploadSecret.hash(ofText: secret))
        transfer.endBody()
      case (.head, false):
        try requireVersionIfNamed()
        find { $0.showState($1) }
      case (.delete, false):
        try requireVersionIfNamed()
        find { $0.remove($1) }
      case (.post, false), (.put, true), (.patch, true), (.head, true), (.delete, true), (nil, _):
        return .respond(answers.refusal(ofMethod: head.method))
      }
      return .respondLater(onAbandonment: nil)
    } catch {
      return .respond(error.response)
    }
  }

  /// An answer that ends a request at once.
  private struct Refusal: Error {
    let response: HTTPResponse
  }

  private func refusing<Value>(
    _ body: () throws(UploadRefusal) -> Value
  ) throws(Refusal) -> Value {
    do throws(UploadRefusal) { return try body() } catch {
      services.uploads.counters.add(.refused)
      throw Refusal(response: answers.refusal(error))
    }
  }

  private func requireVersionIfNamed() throws(Refusal) {
    guard !head.fields.values(of: "Tus-Resumable").isEmpty else { return }
    try refusing { () throws(UploadRefusal) in try tus.requireVersion() }
  }

  private func requireService() throws(Refusal) {
    guard services.stage == .serving else {
      throw Refusal(response: answers.refusal(.draining))
    }
  }

  // MARK: Writing

  private func transfer() throws(Refusal) -> UploadTransfer {
    try requireService()
    let (isPut, length) = (method == .put, bodyLength)
    let request = try refusing { () throws(UploadRefusal) in
      isPut
        ? try TransferRequest.whole(tus, length: length)
        : try TransferRequest.piece(tus, length: length)
    }
    return UploadTransfer(
      request, isPut ? .put : .patch, answers, exchange: call.exchange.id, on: shard)
  }

  private func creationTransfer() throws(Refusal) -> UploadTransfer {
    try requireService()
    let length = bodyLength
    let request = try refusing { () throws(UploadRefusal) in
      try tus.requirePiece()
      return TransferRequest(.piece(at: 0), length: length, checksum: try tus.checksum())
    }
    return UploadTransfer(
      request, .creation(url: ""), answers, exchange: call.exchange.id, on: shard)
  }

  // MARK: Creation

  /// Creates an upload for the user named in the request, and starts to receive its first piece.
  private func create(for transfer: UploadTransfer?) throws(Refusal) {
    try requireService()
    let request = try refusing { () throws(UploadRefusal) in
      try tus.requireVersion()
      let metadata = try tus.metadata()
      return FileCreate(
        size: try tus.length(), name: metadata["filename"] ?? metadata["name"] ?? "",
        type: metadata["filetype"] ?? metadata["type"] ?? "")
    }
    let (services, answers, id) = (services, answers, call.exchange.id)
    let (path, waiting) = (shard.returnPath, transfer.map { LoopBound($0) })
    do throws(ServiceError) {
      try request.checkTexts()
      guard request.size > 0 else { throw .outOfRange("Upload-Length", 0, 1...Int64.max) }
      let address = try FileAddress(
        publicURL: services.uploads.publicURL, head,
        isEncrypted: call.exchange.connection.isEncrypted)
      let opening = SessionOpen(
        userID: try head.onlyValue(of: "Parley-User") ?? "",
        accessToken: bearer(in: try head.onlyValue(of: "Authorization")))
      try UserID.check(opening.userID, "Parley-User")
      let fail: @Sendable (ServiceError) -> Void = { error in
        path.resume { shard in
          shard.transport.respond(answers.refusal(error, error.creationStatus), to: id)
        }
      }
      services.authenticator.authenticate(opening, clock: services.clock) { result in
        switch result {
        case .failure(let refusal): fail(refusal.error)
        case .success(let credentials):
          services.uploads.create(request, for: credentials.user.id, at: address) { result in
            switch result {
            case .failure(let error): fail(error)
            case .success(let made):
              path.resume { shard in
                guard let waiting else {
                  return shard.transport.respond(answers.creation(made.url, made.record), to: id)
                }
                waiting.value.begin(with: made.secretHash, at: made.url)
              }
            }
          }
        }
      }
    } catch {
      throw Refusal(response: answers.refusal(error, error.creationStatus))
    }
  }

  private func bearer(in field: String?) -> String? {
    guard let field else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }

  // MARK: State and removal

  /// Looks the upload up.
  ///
  /// An upload that has ended is reported as gone.
  private func find(
    then next: @escaping @Sendable (UploadLookupAnswer, UploadRecord) -> Void
  ) {
    let lookup = UploadAddressLookup(secretHash: UploadSecret.hash(ofText: secret))
    let (path, id, answers) = (shard.returnPath, call.exchange.id, answers)
    let clock = services.clock
    services.store.perform(lookup) { result in
      path.resume { shard in
        let answer = UploadLookupAnswer(shard: LoopBound(shard), exchange: id, answers: answers)
        switch result {
        case .failure: answer.send(answers.refusal(.storage))
        case .success(nil): answer.send(answers.refusal(.unknown))
        case .success(let record?):
          switch record.status(at: clock.now) {
          case .expired, .cancelled: answer.send(answers.refusal(.gone))
          case .waiting, .uploading, .complete:
            guard record.isUserActive else { return answer.send(answers.refusal(.gone)) }
            next(answer, record)
          }
        }
      }
    }
  }
}

/// The continuation of a request that has found its upload.
struct UploadLookupAnswer: Sendable {
  let shard: LoopBound<Shard>
  let exchange: Exchange.ID
  let answers: UploadAnswers

  func send(_ response: HTTPResponse) {
    shard.value.transport.respond(response, to: exchange)
  }

  /// Answers `HEAD` with the durable offset.
  func showState(_ record: UploadRecord) { send(answers.state(record)) }

  /// Answers `DELETE`.
  func remove(_ record: UploadRecord) {
    guard record.stage != .complete else { return removeFile(record.fileID) }
    let path = shard.value.returnPath
    shard.value.services.uploads.cancel(record.fileID) { result in
      path.resume { _ in
        switch result {
        case .success(.cancelled): send(answers.done())
        // The last piece arrived first.
        case .success(.over(.complete)): removeFile(record.fileID)
        case .success(.over(.cancelled)), .success(.over(.expired)), .success(.absent):
          send(answers.refusal(.gone))
        case .success(.over(.waiting)), .success(.over(.uploading)): send(answers.refusal(.locked))
        case .failure: send(answers.refusal(.storage))
        }
      }
    }
  }

  /// Removes a complete file, unless a message or a picture uses it.
  private func removeFile(_ fileID: String) {
    let path = shard.value.returnPath
    shard.value.services.store.perform(UnusedFileRemoval(fileID)) { result in
      path.resume { _ in
        switch result {
        case .success(.removed): send(answers.done())
        case .success(.inUse): send(answers.refusal(.inUse))
        case .success(.absent): send(answers.refusal(.gone))
        case .failure: send(answers.refusal(.storage))
        }
      }
    }
  }
}

extension ServiceError {
  /// The status of a refused creation, where it differs from that of other calls.
  fileprivate var creationStatus: HTTPStatus? {
    if code == .invalidAccessToken { return .unauthorized }
    return code == .invalidValue && data.limit != nil ? .contentTooLarge : nil
  }
}
