import Configuration
import HTTP1
import Logging
import ParleyProtocol
import Reactor
import Store
import Transport

/// Takes a form as it comes: the file to disk, the fields to memory; then sends the message.
///
/// Confined to the node of its connection.
final class UploadReceiver: HTTPBodyReceiver {
  /// Above so many bytes that the disk has not taken yet, no more is read.
  private static let highWaterMark = 524_288
  private static let lowWaterMark = 131_072

  /// What the bytes of the part under way are for.
  private enum Target {
    case file
    case field(String, [UInt8])
    case nothing
  }

  private unowned let node: Node
  private let connection: ConnectionID
  private let head: HTTPRequestHead
  private let address: FileAddress
  private var parser: MultipartParser
  private var form = UploadForm()
  private var target = Target.nothing
  private var part: MultipartPart?
  private var upload: FileUpload?
  private var fileSize = 0
  private var fieldSize = 0
  private var waitingBytes = 0

  init(
    node: Node, connection: ConnectionID, head: HTTPRequestHead, boundary: MultipartBoundary,
    address: FileAddress
  ) {
    self.node = node
    self.connection = connection
    self.head = head
    self.address = address
    parser = MultipartParser(boundary: boundary)
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
      let limit = node.services.settings.limits.fileBytes
      return .refused(
        fileSize > limit
          ? .fileTooLarge(limit: limit) : node.connection(connection, refusalOf: error))
    }
    account(connection)
    return waitingBytes > Self.highWaterMark ? .later : .more
  }

  /// Counts what is in memory: fields, and bytes that the disk has not taken.
  private func account(_ connection: Connection) {
    connection.applicationByteCount = waitingBytes + fieldSize
  }

  func connectionDidReceiveBody(_ connection: Connection) -> RequestOutcome {
    guard parser.hasEnded else {
      bodyWasAbandoned()
      let error = HTTPError(.badRequest, "The form ends before its last boundary.")
      return .respond(node.connection(connection, refusalOf: error))
    }
    let api = PlatformAPI(node: node, connection: connection)
    do throws(ServiceError) {
      guard let upload else { return try api.perform(PlatformRequest(request(nil))) }
      let record = try record(of: upload)
      let request = try PlatformRequest(self.request(record))
      try request.requireFileMessage()
      // From here on completing it tells of every failure, once.
      self.upload = nil
      complete(upload, record, for: request)
      return .respondLater(onAbandonment: nil)
    } catch {
      bodyWasAbandoned()
      return .respond(HTTPResponse(refusing: error))
    }
  }

  func bodyWasAbandoned() {
    upload?.discard()
    upload = nil
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
    if name == "file" {
      guard upload == nil else { throw HTTPError(.badRequest, "The form has more than one file.") }
      self.part = part
      upload = node.services.files.beginUpload()
      target = .file
    } else {
      target = UploadForm.isKnown(name) ? .field(name, []) : .nothing
    }
  }

  private func take(_ bytes: [UInt8]) throws(HTTPError) {
    switch target {
    case .file: try write(bytes)
    case .field(let name, var value):
      // The target must not hold a second copy while the value grows.
      target = .nothing
      fieldSize += bytes.count
      let limit = node.services.settings.limits.httpBodyBytes
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
    let limit = node.services.settings.limits.fileBytes
    guard fileSize <= limit else {
      throw HTTPError(.contentTooLarge, "The file is larger than \(limit) bytes.")
    }
    waitingBytes += bytes.count
    let (handle, receiver, count) = (node.handle, Confined(self), bytes.count)
    upload?.write(bytes) { result in
      handle.post { _ in receiver.value.didWrite(count, result) }
    }
  }

  private func didWrite(_ count: Int, _ result: Result<Void, any Error>) {
    waitingBytes -= count
    guard upload != nil, let connection = node.transport.connection(connection) else { return }
    account(connection)
    if case .failure(let error) = result {
      node.services.reportFailedUpload(error)
      bodyWasAbandoned()
      connection.respond(HTTPResponse(refusing: .uploadFailed))
    } else if waitingBytes <= Self.lowWaterMark {
      connection.resumeBody()
    }
  }

  private func record(of upload: FileUpload) throws(ServiceError) -> FileRecord {
    let name = try form.text("file_name").flatMap { $0.isEmpty ? nil : $0 } ?? part?.fileName ?? ""
    let type = try form.text("file_type").flatMap { $0.isEmpty ? nil : $0 }
    let fileName = FileName(name)
    return FileRecord(
      id: upload.id, name: fileName.text, type: type ?? part?.contentType ?? "",
      size: Int64(fileSize), url: address.storedURL(ofFile: upload.id, fileName))
  }

  /// The request as it would have been with JSON.
  private func request(_ record: FileRecord?) throws(ServiceError) -> HTTPRequest {
    let file = record.map {
      MessageFile(
        url: address.url(ofFile: $0.id, FileName($0.name)), name: $0.name, type: $0.type,
        size: $0.size)
    }
    return HTTPRequest(head: head, body: try form.body(file))
  }

  private func complete(_ upload: FileUpload, _ record: FileRecord, for request: PlatformRequest) {
    let (handle, id, services) = (node.handle, connection, node.services)
    upload.complete { result in
      switch result {
      case .success:
        let file = UploadedFile(record, in: services.files)
        handle.post { node in
          PlatformAPI.send(request.with(file), node: node, answering: id)
        }
      case .failure(let error):
        services.reportFailedUpload(error)
        upload.discard()
        handle.post { node in
          node.transport.connection(id)?.respond(HTTPResponse(refusing: .uploadFailed))
        }
      }
    }
  }
}

extension ServiceError {
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
  fileprivate func reportFailedUpload(_ error: any Error) {
    logger.error("an uploaded file cannot be stored", metadata: ["reason": "\(error)"])
  }
}
