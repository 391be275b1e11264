import Channels
import Configuration
import Crypto
import HTTP1
import Logging
import ParleyProtocol
import Reactor
import ShardMessages
import Store
import Transport
import Uploads

/// Takes a form as it comes: the file to the depot, the fields to memory; then carries the call out.
///
/// Confined to the shard of its connection.
final class UploadReceiver: HTTPBodyReceiver {
  /// The bytes not yet taken by the depot above which no more is read.
  private static let highWaterMark = 524_288
  private static let lowWaterMark = 131_072

  /// The use of the bytes of the part under way.
  private enum Target {
    case file
    case field(String, [UInt8])
    case nothing
  }

  private unowned let shard: Shard
  private let exchange: Exchange.ID
  private let purpose: FormPurpose
  /// Bytes of the body; 0 for one that comes in chunks.
  private let expectedByteCount: Int64
  private let address: FileAddress
  /// `nil` when the call does not belong into the audit log.
  private let audit: AuditCall?
  private var parser: MultipartParser
  private var form = UploadForm()
  private var target = Target.nothing
  private var part: MultipartPart?
  private var upload: (any FileUpload)?
  /// The wrapped key of a file that is stored encrypted.
  private var seal: FileSeal?
  private var fileSize = 0
  private var fieldSize = 0
  private var waitingBytes = 0
  /// The room for the file; `nil` while it is unknown how much there is, or how much the file takes.
  private var room: RoomReservation?
  private var hasNoRoom = false

  private init(
    _ exchange: Exchange, _ purpose: FormPurpose, on shard: Shard, boundary: MultipartBoundary,
    address: FileAddress, audit: AuditCall?
  ) {
    self.shard = shard
    self.exchange = exchange.id
    self.purpose = purpose
    expectedByteCount = exchange.head.fields["Content-Length"].flatMap { Int64($0) } ?? 0
    self.address = address
    self.audit = audit
    parser = MultipartParser(boundary: boundary)
  }

  /// Decides, when the head of a call has come whose body is a form, how the form is taken.
  static func decision(
    on exchange: Exchange, for purpose: FormPurpose, on shard: Shard, audit: AuditCall?
  ) throws(ServiceError) -> BodyDecision {
    let head = exchange.head
    let contentType = head.fields["Content-Type"] ?? ""
    guard let boundary = MultipartBoundary(contentType: contentType) else {
      throw .invalid("Content-Type", contentType, expected: "multipart/form-data with a boundary")
    }
    let settings = shard.services.settings
    let address = try FileAddress(
      publicURL: settings.files.publicURL, head, isEncrypted: exchange.connection.isEncrypted)
    // The fields around the file have the room of any other body.
    let limit = settings.limits.fileBytes + settings.limits.httpBodyBytes
    if let length = head.fields["Content-Length"].flatMap({ Int($0) }), length > limit {
      return .refused(.fileTooLarge(limit: settings.limits.fileBytes))
    }
    let receiver = UploadReceiver(
      exchange, purpose, on: shard, boundary: boundary, address: address, audit: audit)
    return .pieces(limit: limit, receiver)
  }

  func connection(_ connection: Connection, receivedBody piece: [UInt8]) -> BodyDemand {
    do throws(HTTPError) {
      var rest = piece.span
      while true {
        let (consumed, event) = try parser.receive(rest)
        rest = rest.extracting(consumed...)
        guard let event else { break }
        try handle(event)
      }
    } catch {
      if hasNoRoom { return .refused(HTTPResponse(refusing: .storageFull)) }
      let limit = shard.services.settings.limits.fileBytes
      return .refused(
        fileSize > limit
          ? .fileTooLarge(limit: limit) : shard.connection(connection, refusalOf: error))
    }
    account(connection)
    return waitingBytes > Self.highWaterMark ? .later : .more
  }

  /// Counts what is in memory: fields, and bytes that the depot has not stored.
  private func account(_ connection: Connection) {
    connection.applicationByteCount = waitingBytes + fieldSize + (upload?.heldByteCount ?? 0)
  }

  func connectionDidReceiveBody(_ connection: Connection) -> RequestOutcome {
    guard parser.hasEnded else {
      bodyWasAbandoned()
      let error = HTTPError(.badRequest, "The form ends before its last boundary.")
      return .respond(shard.connection(connection, refusalOf: error))
    }
    shard.beginAudit(audit, exchange)
    do throws(ServiceError) {
      switch purpose {
      case .message(let channelURL): try send(to: channelURL)
      case .picture(let form): try keep(form)
      }
      return .respondLater(onAbandonment: nil)
    } catch {
      bodyWasAbandoned()
      shard.endAudit(ExchangeAddress(exchange, on: shard.handle), .failure(error))
      return .respond(HTTPResponse(refusing: error))
    }
  }

  /// Sends the message, after its file is safe on disk if it has one.
  private func send(to channelURL: String) throws(ServiceError) {
    let completion = Completion(ExchangeAddress(exchange, on: shard.handle), shard.services.shards)
    let services = shard.services
    guard let upload else {
      let submission = try MessageSubmission(form.fields(nil))
      return MessageEndpoints.send(submission, toChannel: channelURL, services, completion)
    }
    let record = try record(of: upload)
    let file = MessageFile(
      url: address.url(ofFile: record.id, FileName(record.name)), name: record.name,
      type: record.type, size: record.size, requiresAuthorization: seal != nil)
    let mustSeal = try form.fields(file).boolean("require_auth") ?? false
    guard seal != nil || !mustSeal else {
      throw .notCombinable("require_auth", "the field must come before the file")
    }
    var submission = try MessageSubmission(form.fields(file))
    guard submission.draft.type == .file else {
      throw .invalid(
        "message_type", submission.draft.type.rawValue, expected: "FILE with a file")
    }
    submission.draft.file?.id = record.id
    // Those that a sender gives by their addresses are of files that are elsewhere.
    submission.draft.file?.thumbnails = []
    submission.draft.file?.requiresAuthorization = seal != nil
    // From here on completing it reports every failure, once.
    self.upload = nil
    complete(upload) { [submission] result in
      switch result {
      case .success:
        MessageEndpoints.sendUploaded(
          submission, with: record, toChannel: channelURL, services, completion)
      case .failure(let error):
        upload.discard()
        completion.fail(services.refusal(ofFailed: error))
      }
    }
  }

  /// Carries a call out with the address of its picture, after that is safe on disk and in the store.
  ///
  /// A picture that neither a channel nor a user has in the end is removed with the uploads that nobody uses.
  private func keep(_ picture: PictureForm) throws(ServiceError) {
    guard let upload else { return picture.proceed(shard, try picture.body(form, picture: nil)) }
    guard fileSize > 0 else {
      throw .invalid(picture.holder.fileField, "", expected: "a file that is not empty")
    }
    let record = try record(of: upload)
    let url = address.url(ofFile: record.id, FileName(record.name))
    let body = try picture.body(form, picture: url)
    let (services, path) = (shard.services, shard.returnPath)
    let completion = Completion(ExchangeAddress(exchange, on: shard.handle), services.shards)
    self.upload = nil
    complete(upload) { result in
      if case .failure(let error) = result {
        upload.discard()
        return completion.fail(services.refusal(ofFailed: error))
      }
      services.note(record, of: "", completion) {
        services.store.perform(PictureClaim(record.id)) { result in
          switch result.serviceResult {
          case .success: path.resume { shard in picture.proceed(shard, body) }
          case .failure(let error): completion.fail(error)
          }
        }
      }
    }
  }

  /// Makes a file complete, if there is room for it.
  private func complete(
    _ upload: any FileUpload, then completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let (rooms, byteCount, known) = (shard.services.uploads.room, Int64(fileSize), room)
    room = nil
    rooms.whenCounted {
      // It may not have been known, when the file began to come, how large it is or how much room there is.
      guard let room = known ?? rooms.reserve(byteCount, for: upload.id) else {
        return completion(.failure(PartialFileFailure.full))
      }
      upload.complete { result in
        if case .success = result { room.note(stored: byteCount) }
        completion(result)
      }
    }
  }

  func bodyWasAbandoned() {
    upload?.discard()
    upload = nil
    room = nil
  }

  private func handle(_ event: MultipartEvent) throws(HTTPError) {
    switch event {
    case .part(let part): try begin(part)
    case .bytes(let bytes): try take(bytes)
    case .partEnd:
      if case .field(let name, let value) = target { form.add(name, value) }
      target = .nothing
    case .end: break
    }
  }

  private func begin(_ part: MultipartPart) throws(HTTPError) {
    let name = part.name.hasSuffix("[]") ? String(part.name.dropLast(2)) : part.name
    if name == purpose.fileField {
      guard upload == nil else { throw HTTPError(.badRequest, "The form has more than one file.") }
      self.part = part
      beginFile()
      try checkRoom()
      target = .file
    } else {
      target = purpose.isKnown(name) ? .field(name, []) : .nothing
    }
  }

  /// - Throws: An error that stands for 507 when `limits.files_disk_bytes` leaves no room for the form.
  private func checkRoom() throws(HTTPError) {
    let rooms = shard.services.uploads.room
    guard rooms.isCounted, expectedByteCount > 0, let upload else { return }
    room = rooms.reserve(expectedByteCount, for: upload.id)
    guard room == nil else { return }
    hasNoRoom = true
    noteFullStorage()
    throw HTTPError(.contentTooLarge, "There is no room for the file.")
  }

  private func noteFullStorage() {
    shard.services.uploads.counters.add(.full)
    shard.services.refusals.note(.fullStorage, at: shard.loop.now)
  }

  /// Begins to store the file, encrypted if the fields before it or the settings say so.
  private func beginFile() {
    // Pictures are public.
    if case .picture = purpose {
      upload = shard.services.files.beginUpload()
      return
    }
    let vault = shard.services.vault
    let wish = try? form.fields(nil).boolean("require_auth")
    guard (try? vault.mustSealForMessage(wish)) == true else {
      upload = shard.services.files.beginUpload()
      return
    }
    let key = SymmetricKey()
    let upload = shard.services.files.beginUpload(sealedWith: key)
    seal = vault.seal(key, ofFile: upload.id)
    self.upload = upload
  }

  private func take(_ bytes: [UInt8]) throws(HTTPError) {
    switch target {
    case .file: try write(bytes)
    case .field(let name, var value):
      // The target must not hold a second copy while the value grows.
      target = .nothing
      fieldSize += bytes.count
      let limit = shard.services.settings.limits.httpBodyBytes
      guard fieldSize <= limit else {
        throw HTTPError(.contentTooLarge, "The fields of the form are larger than \(limit) bytes.")
      }
      value += bytes
      target = .field(name, value)
    case .nothing: break
    }
  }

  private func write(_ bytes: [UInt8]) throws(HTTPError) {
    fileSize += bytes.count
    let limit = shard.services.settings.limits.fileBytes
    guard fileSize <= limit else {
      throw HTTPError(.contentTooLarge, "The file is larger than \(limit) bytes.")
    }
    waitingBytes += bytes.count
    let (path, receiver, count) = (shard.returnPath, LoopBound(self), bytes.count)
    upload?.write(bytes) { result in
      path.resume { _ in receiver.value.didWrite(count, result) }
    }
  }

  private func didWrite(_ count: Int, _ result: Result<Void, any Error>) {
    waitingBytes -= count
    guard upload != nil, let connection = shard.transport.connection(awaiting: exchange) else {
      return
    }
    account(connection)
    if case .failure(let error) = result {
      bodyWasAbandoned()
      let refusal = shard.services.refusal(ofFailed: error)
      if refusal == .storageFull { noteFullStorage() }
      shard.transport.respond(HTTPResponse(refusing: refusal), to: exchange)
    } else if waitingBytes <= Self.lowWaterMark {
      shard.transport.resumeBody(of: exchange)
    }
  }

  private func record(of upload: any FileUpload) throws(ServiceError) -> FileRecord {
    let name = try form.text("file_name") ?? part?.fileName ?? ""
    let type = try form.text("file_type")
    let fileName = FileName(name)
    return FileRecord(
      id: upload.id, name: fileName.text, type: type ?? part?.contentType ?? "",
      size: Int64(fileSize), url: address.storedURL(ofFile: upload.id, fileName),
      seal: seal)
  }
}

extension ServiceError {
  fileprivate static let storageFull = UploadRefusal.full.error
  fileprivate static let uploadFailed = ServiceError(
    .internalError, "the file can't be stored: nothing was sent, try again later")
}

extension HTTPResponse {
  /// Refuses a file that is larger than `limits.file_bytes`.
  static func fileTooLarge(limit: Int) -> HTTPResponse {
    var response = HTTPResponse(
      refusing: ServiceError(
        .invalidValue, "the file is larger than \(limit) bytes (limits.file_bytes)",
        data: ErrorDetails(field: "file", limit: Int64(limit))))
    response.status = .contentTooLarge
    return response
  }
}

extension GatewayServices {
  /// The answer to a form whose file could not be stored.
  fileprivate func refusal(ofFailed error: any Error) -> ServiceError {
    guard PartialFileFailure(error) != .full else { return .storageFull }
    logger.error("an uploaded file cannot be stored", metadata: ["reason": "\(error)"])
    return .uploadFailed
  }
}
