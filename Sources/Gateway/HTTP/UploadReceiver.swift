import Channels
import Configuration
import Crypto
import HTTP
import ParleyProtocol
import Reactor
import Store
import Transport
import Uploads

/// Receives a form as it arrives: the file to the depot, the fields to memory; then runs the call.
///
/// Confined to the shard of its connection.
final class UploadReceiver: HTTPBodyReceiver {
  /// The number of bytes not yet taken by the depot above which reading stops.
  private static let highWaterMark = 524_288
  private static let lowWaterMark = 131_072

  /// The destination of the bytes of the current part.
  private enum Target {
    case file
    case field(String, [UInt8])
    case nothing
  }

  private unowned let shard: Shard
  private let exchange: Exchange.ID
  /// Bytes of the body; 0 for a chunked body.
  private let expectedByteCount: Int64
  /// `nil` when the call does not belong in the audit log.
  private let audit: AuditCall?
  private var parser: MultipartParser
  private var received: ReceivedForm
  private var target = Target.nothing
  private var fieldSize = 0
  private var waitingBytes = 0
  /// The reason why the rest of the form is not read.
  private var refusal: ServiceError?

  private init(
    _ exchange: Exchange, _ purpose: FormPurpose, on shard: Shard, boundary: MultipartBoundary,
    address: FileAddress, audit: AuditCall?
  ) {
    self.shard = shard
    self.exchange = exchange.id
    expectedByteCount = exchange.head.fields["Content-Length"].flatMap { Int64($0) } ?? 0
    self.audit = audit
    received = ReceivedForm(ExchangeAddress(exchange, on: shard.handle), purpose, address)
    parser = MultipartParser(boundary: boundary)
  }

  /// Decides how to receive a form that is the body of a call, once the call's head has arrived.
  static func decision(
    on exchange: Exchange, for purpose: FormPurpose, on shard: Shard, audit: AuditCall?
  ) throws(ServiceError) -> BodyDecision {
    let head = exchange.head
    let contentType = head.fields["Content-Type"] ?? ""
    guard let boundary = MultipartBoundary(contentType: contentType) else {
      throw .invalid("Content-Type", contentType, expected: "multipart/form-data with a boundary")
    }
    let settings = shard.settings
    let address = try FileAddress(
      publicURL: settings.files.publicURL, head, isEncrypted: exchange.connection.isEncrypted)
    // The fields around the file may be as large as any other body.
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
      if let refusal { return .refused(HTTPResponse(refusing: refusal)) }
      let limit = shard.settings.limits.fileBytes
      return .refused(
        received.fileSize > limit
          ? .fileTooLarge(limit: limit) : shard.connection(connection, refusalOf: error))
    }
    account(connection)
    return waitingBytes > Self.highWaterMark ? .later : .more
  }

  /// Counts the bytes in memory: fields, and bytes that the depot has not stored.
  private func account(_ connection: Connection) {
    connection.applicationByteCount =
      waitingBytes + fieldSize + (received.upload?.heldByteCount ?? 0)
  }

  func connectionDidReceiveBody(_ connection: Connection) -> RequestOutcome {
    guard parser.hasEnded else {
      bodyWasAbandoned()
      let error = HTTPError(.badRequest, "The form ends before its last boundary.")
      return .respond(shard.connection(connection, refusalOf: error))
    }
    do throws(ServiceError) {
      try shard.carryOut(audit, exchange) { [self] () throws(ServiceError) in try carryOut() }
      return .respondLater(onAbandonment: nil)
    } catch {
      return .respond(HTTPResponse(refusing: error))
    }
  }

  private func carryOut() throws(ServiceError) {
    do throws(ServiceError) { try received.carryOut(on: shard) } catch {
      bodyWasAbandoned()
      throw error
    }
  }

  func bodyWasAbandoned() {
    received.discard()
  }

  private func handle(_ event: MultipartEvent) throws(HTTPError) {
    switch event {
    case .part(let part): try begin(part)
    case .bytes(let bytes): try take(bytes)
    case .partEnd:
      if case .field(let name, let value) = target { received.form.add(name, value) }
      target = .nothing
    case .end: break
    }
  }

  private func begin(_ part: MultipartPart) throws(HTTPError) {
    let name = part.name.hasSuffix("[]") ? String(part.name.dropLast(2)) : part.name
    if name == received.purpose.fileField {
      guard received.upload == nil else {
        throw HTTPError(.badRequest, "The form has more than one file.")
      }
      received.part = part
      try beginFile()
      try checkRoom()
      target = .file
    } else {
      target = received.purpose.isKnown(name) ? .field(name, []) : .nothing
    }
  }

  /// - Throws: An error that stands for 507 when `limits.files_disk_bytes` leaves no room for the form.
  private func checkRoom() throws(HTTPError) {
    let rooms = shard.services.uploads.room
    guard rooms.isCounted, expectedByteCount > 0, let upload = received.upload else { return }
    received.room = rooms.reserve(expectedByteCount, for: upload.id)
    guard received.room == nil else { return }
    refusal = .storageFull
    noteFullStorage()
    throw HTTPError(.contentTooLarge, "There is no room for the file.")
  }

  private func noteFullStorage() {
    shard.services.uploads.counters.add(.full)
    shard.services.refusals.note(.fullStorage, at: shard.loop.now)
  }

  /// Begins to store the file, encrypted if the fields before it or the settings require it.
  ///
  /// - Throws: An error that stands for ``refusal`` when the file must be encrypted and cannot be.
  private func beginFile() throws(HTTPError) {
    // Pictures are public.
    if case .picture = received.purpose {
      received.upload = shard.services.files.beginUpload()
      return
    }
    let vault = shard.services.vault
    let limits = shard.settings.limits.customData
    let wish = try? received.form.fields(nil, limits: limits).boolean("require_auth")
    do throws(ServiceError) {
      guard try vault.mustSealForMessage(wish) else {
        received.upload = shard.services.files.beginUpload()
        return
      }
    } catch {
      refusal = error
      throw HTTPError(.internalServerError, "The file cannot be encrypted.")
    }
    let key = SymmetricKey()
    let upload = shard.services.files.beginUpload(sealedWith: key)
    received.seal = vault.seal(key, ofFile: upload.id)
    received.upload = upload
  }

  private func take(_ bytes: [UInt8]) throws(HTTPError) {
    switch target {
    case .file: try write(bytes)
    case .field(let name, var value):
      // The target must not hold a second copy while the value grows.
      target = .nothing
      fieldSize += bytes.count
      let limit = shard.settings.limits.httpBodyBytes
      guard fieldSize <= limit else {
        throw HTTPError(.contentTooLarge, "The fields of the form are larger than \(limit) bytes.")
      }
      value += bytes
      target = .field(name, value)
    case .nothing: break
    }
  }

  private func write(_ bytes: [UInt8]) throws(HTTPError) {
    received.fileSize += bytes.count
    let limit = shard.settings.limits.fileBytes
    guard received.fileSize <= limit else {
      throw HTTPError(.contentTooLarge, "The file is larger than \(limit) bytes.")
    }
    waitingBytes += bytes.count
    let (path, receiver, count) = (shard.returnPath, LoopBound(self), bytes.count)
    received.upload?.write(bytes) { result in
      path.resume { _ in receiver.value.didWrite(count, result) }
    }
  }

  private func didWrite(_ count: Int, _ result: Result<Void, any Error>) {
    waitingBytes -= count
    guard received.upload != nil, let connection = shard.transport.connection(awaiting: exchange)
    else {
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
