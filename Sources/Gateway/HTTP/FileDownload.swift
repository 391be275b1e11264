import Channels
import Configuration
import HTTP
import ParleyProtocol
import Reactor
import Crypto
import Store
import Transport

/// Serves the files of messages: an unencrypted file to any client that knows its id, and an
/// encrypted one to users with a key and the right to it.
enum FileDownload {
  /// Handles `/files/{id}/{name}`: looks the file up, and answers with the file later.
  static func begin(_ call: ResourceCall) -> RequestOutcome {
    answer(call, FileID.isValid(call.arguments["file_id"]), within: nil)
  }

  /// Handles `/files/{id}/t/{width}x{height}/{name}`: the same for a thumbnail.
  static func beginThumbnail(_ call: ResourceCall) -> RequestOutcome {
    let bounds = ThumbnailSize(call.arguments["bounds"])
    return answer(call, FileID.isValid(call.arguments["file_id"]) && bounds != nil, within: bounds)
  }

  private static func answer(
    _ call: ResourceCall, _ isAddress: Bool, within bounds: ThumbnailSize?
  ) -> RequestOutcome {
    let services = call.shard.services
    let vault = services.vault
    let now = services.clock.now
    let address = call.exchange.connection.clientAddress
    let judgement = vault.userKeys.judge(
      SentFileKey(call.head), from: address.flatMap(AddressKey.init), at: now)
    var key: FileAccessKey?
    switch judgement {
    case .slowed: return .respond(slowed(vault.userKeys.failures.limit))
    case .good(let good): key = good
    // A public file needs no key: a page may add a current or former key to any address.
    case .void, .missing: break
    }
    guard isAddress else {
      return .respond(
        vault.encryptsAll && key == nil ? FileDownload.withoutKey : notFound)
    }
    do throws(ServiceError) {
      if let key {
        try services.fileLookUpTime.admit(key.userID, at: SystemClock.monotonicMilliseconds)
      }
    } catch {
      return .respond(HTTPResponse(refusing: error))
    }
    FileRequest(
      head: call.head, exchange: call.exchange.id, key: key,
      principal: key.map { .user($0.userID) } ?? address.map(QueryPrincipal.init) ?? .server,
      services: services, path: call.shard.returnPath
    ).begin(FileAccessLookup(call.arguments["file_id"], within: bounds, by: key?.userID ?? ""))
    return .respondLater(onAbandonment: nil)
  }

  private static func slowed(_ limit: Int) -> HTTPResponse {
    HTTPResponse(
      refusing: .rateLimited(
        retryAfter: 1_000, limit: limit, window: 1_000, scope: "file_keys"))
  }

  static let notFound = {
    var response = HTTPResponse(
      refusing: ServiceError(.notFound, "there is no such file, or no longer"))
    response.status = .notFound
    return response
  }()

  /// The answer to a request without a valid key.
  static let withoutKey = {
    var response = HTTPResponse(refusing: .fileKey)
    response.status = .unauthorized
    response.fields.append("WWW-Authenticate", "Parley-File-Key")
    return response
  }()

  /// The answer when a file's length is not that of the upload.
  static let damaged = HTTPResponse(refusing: .damagedFile)

  /// The answer when the keys of a file cannot be used.
  static func response(to error: WrappedKeyError, _ refusal: ServiceError) -> HTTPResponse {
    var response = HTTPResponse(refusing: refusal)
    switch error {
    // Another server may have the key.
    case .missingMasterKey: response.status = .serviceUnavailable
    case .notAuthentic: break
    }
    return response
  }

  static func response(to error: FileReadError) -> HTTPResponse {
    switch error {
    case .missing: notFound
    case .damaged: damaged
    case .unavailable:
      HTTPResponse(
        refusing: ServiceError(.internalError, "the file can't be read now: try again later"))
    }
  }
}

/// The part of a file that a request asks for.
struct RequestedContent: Sendable {
  let method: String
  let range: Range<Int64>
  /// The length that the file must have.
  let size: Int64
}

/// A request for a file, with its key if that is valid.
private struct FileRequest: Sendable {
  /// The time to wait for the answer of another server.
  private static let patience: Int64 = 2_000

  let head: HTTPRequestHead
  let exchange: Exchange.ID
  let key: FileAccessKey?
  /// The party whose turn the look-ups wait for.
  let principal: QueryPrincipal
  let services: GatewayServices
  let path: ReturnPath

  func begin(_ lookup: FileAccessLookup) { lookUp(lookup) { answer($0) } }

  /// Runs a look-up in its turn, and charges the user for it.
  private func lookUp<Lookup: StoreLookup>(
    _ lookup: Lookup, then next: @escaping @Sendable (Lookup.Outcome) -> Void
  ) {
    services.store.perform(lookup, inTurnOf: principal) { result, cost in
      if let key {
        services.fileLookUpTime.charge(
          cost, to: key.userID, at: SystemClock.monotonicMilliseconds)
      }
      switch result.serviceResult {
      case .success(let outcome): next(outcome)
      case .failure(let error): send(.response(HTTPResponse(refusing: error)))
      }
    }
  }

  /// Continues with the result from the store; called on a thread of the store.
  ///
  /// The key is checked first, then the file, then the right.
  private func answer(_ access: FileAccess) {
    let since = access.fileKeysSince.map { UInt64(clamping: $0) }
    let key = key.flatMap { $0.generation == since ? $0 : nil }
    guard let file = access.file else {
      let isHidden = services.vault.encryptsAll && key == nil
      return send(.response(isHidden ? FileDownload.withoutKey : FileDownload.notFound))
    }
    guard let seal = file.seal else {
      return send(FileAnswer(to: head, access.thumbnail ?? file, in: services.files))
    }
    // Without master keys, the key of the user cannot be checked either.
    guard services.vault.masters != nil else {
      return refuse(.missingMasterKey(seal.masterKeyID), of: file)
    }
    guard let key else { return send(.response(FileDownload.withoutKey)) }
    if access.ownerID == key.userID { return open(file, access.thumbnail) }
    path.resume { shard in askHome(of: key.userID, about: file, access.thumbnail, shard) }
  }

  /// Asks the home of a user for the channels that the user is in, which are few.
  private func askHome(
    of userID: String, about file: FileRecord, _ thumbnail: FileRecord?, _ shard: Shard
  ) {
    shard.poll(count: 1, within: shard.edge == nil ? nil : Self.patience) { _, address in
      .user(id: userID, .listChannels(replyTo: address))
    } then: { answers in
      guard case .channels(let urls)? = answers.first else { return forbid() }
      judge(userID, in: urls, file, thumbnail)
    }
  }

  private func judge(
    _ userID: String, in urls: [String], _ file: FileRecord, _ thumbnail: FileRecord?
  ) {
    let lookup = FileRightLookup(file.id, by: userID, in: urls, at: services.clock.now)
    lookUp(lookup) { right in
      switch right {
      case .granted: open(file, thumbnail)
      case .banned(let url): forbid(.banned(url))
      case .absent: forbid()
      }
    }
  }

  /// Opens an encrypted file when the download has its turn: a waiting download has no descriptor.
  private func open(_ file: FileRecord, _ thumbnail: FileRecord?) {
    let vault = services.vault
    let keys: FileKeys
    do throws(WrappedKeyError) {
      keys = try vault.keys(of: file)
    } catch {
      return refuse(error, of: file)
    }
    let shown = thumbnail ?? file
    takeTurn { turn in
      services.files.open(shown, thumbnail.map { keys.ofThumbnail($0.id) } ?? keys) {
        vault.noteDamage(of: shown.id, $0)
      } completion: { result in
        switch result {
        case .success(let content): send(FileAnswer(to: head, shown, content), holding: turn)
        case .failure(let error): send(.response(FileDownload.response(to: error)))
        }
      }
    }
  }

  private func refuse(_ error: WrappedKeyError, of file: FileRecord) {
    let refusal = services.vault.refusal(of: error, ofFile: file.id)
    send(.response(FileDownload.response(to: error, refusal)))
  }

  private func forbid(_ refusal: ServiceError = .noRightToFile) {
    services.vault.counters.add(.forbidden)
    var response = HTTPResponse(refusing: refusal)
    response.status = .forbidden
    send(.response(response))
  }

  private func send(_ answer: FileAnswer) {
    switch answer {
    case .response, .local: path.resume { shard in answer.send(to: exchange, by: shard) }
    case .remote: takeTurn { send(answer, holding: $0) }
    }
  }

  private func takeTurn(_ start: @escaping DownloadTurns.Start) {
    do throws(ServiceError) {
      try services.downloadTurns.begin(for: principal, start)
    } catch {
      send(.response(HTTPResponse(refusing: error)))
    }
  }

  private func send(_ answer: FileAnswer, holding turn: DownloadTurn) {
    path.resume { shard in answer.send(to: exchange, by: shard, holding: turn) }
  }
}

/// The key that a request contains for a file.
enum SentFileKey: Sendable {
  case none
  case one(String)
  /// More than one key: none of them counts.
  case several

  private static let field = "Parley-File-Key"
  private static let parameter = "auth"

  init(_ head: HTTPRequestHead) {
    var texts = head.fields.values(of: Self.field)
    for pair in (head.query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts[0] == Self.parameter { texts.append(parts.count == 2 ? String(parts[1]) : "") }
    }
    switch texts.count {
    case 0: self = .none
    case 1: self = .one(texts[0])
    default: self = .several
    }
  }
}

extension ServiceError {
  fileprivate static let fileKey = ServiceError(
    .invalidAccessToken,
    "the file needs a key that holds: take the file_key of session.open, as auth or Parley-File-Key",
    field: "auth")

  fileprivate static let noRightToFile = ServiceError(
    .notInChannel, "the user is in no channel with a message that has the file")
}

/// The answer to a request for a file.
enum FileAnswer: Sendable {
  case response(HTTPResponse)
  case local(HTTPResponse, FileSpan)
  case remote(HTTPResponse, any RemoteFile, RequestedContent)

  /// Accesses the disk, so it must not be called on an event loop.
  init(
    to head: HTTPRequestHead, _ record: FileRecord, in files: FileStore
  ) {
    do throws(FileReadError) {
      self.init(to: head, record, try files.open(record.id))
    } catch {
      self = .response(FileDownload.response(to: error))
    }
  }

  init(to head: HTTPRequestHead, _ record: FileRecord, _ file: ReadableFile) {
    if case .local(let file) = file, file.byteCount != record.size {
      self = .response(FileDownload.damaged)
      return
    }
    let tag = "\"\(record.id)\""
    var fields = Self.fields(of: record, tag)
    guard !head.hasVersion(tag) else {
      self = .response(HTTPResponse(status: .notModified, fields: fields))
      return
    }
    switch head.range(length: record.size, tag: tag) {
    case .whole:
      self.init(
        HTTPResponse(status: .ok, fields: fields), file,
        RequestedContent(method: head.method, range: 0..<record.size, size: record.size))
    case .part(let range):
      fields.append(
        "Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(record.size)")
      self.init(
        HTTPResponse(status: .partialContent, fields: fields), file,
        RequestedContent(method: head.method, range: range, size: record.size))
    case .unsatisfiable:
      self = .response(
        HTTPResponse(
          status: .rangeNotSatisfiable, text: "the file has \(record.size) bytes\n",
          fields: ["Content-Range": "bytes */\(record.size)"]))
    }
  }

  private init(_ head: HTTPResponse, _ file: ReadableFile, _ content: RequestedContent) {
    switch file {
    case .local(let file): self = .local(head, FileSpan(file, content.range))
    case .remote(let file): self = .remote(head, file, content)
    }
  }

  /// - Parameter turn: The turn of a download whose bytes pass through memory.
  func send(to id: Exchange.ID, by shard: Shard, holding turn: DownloadTurn? = nil) {
    switch self {
    case .response(let response): shard.transport.respond(response, to: id)
    case .local(let head, let file): shard.transport.respond(head, with: file, to: id)
    case .remote(let head, let file, let content):
      RemoteDownload(file, content, holding: turn, on: shard, to: id).begin(head)
    }
  }

  /// Nothing in a file may run with the rights of a page from here, however a browser interprets it.
  private static func fields(of record: FileRecord, _ tag: String) -> HTTPFields {
    let type = MediaType(sent: record.type)
    return [
      "Content-Type": type.field,
      "Content-Disposition": type.disposition.field(fileName: record.name),
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Cross-Origin-Resource-Policy": "cross-origin",
      "Referrer-Policy": "no-referrer",
      // The right to an encrypted file is checked at each use.
      "Cache-Control": record.seal == nil
        ? "private, max-age=31536000, immutable" : "private, no-cache",
      "ETag": tag,
      "Accept-Ranges": "bytes",
    ]
  }
}
