import Channels
import Glibc
import HTTP1
import ParleyProtocol
import Reactor
import Store
import Transport

/// The door to the files of messages, for anyone who knows the id of one.
enum FileDownload {
  /// `/files/{id}/{name}`: looks the file up, and answers with it later.
  static func begin(_ call: ResourceCall) -> RequestOutcome {
    let fileID = call.arguments["file_id"]
    guard FileID.isValid(fileID) else { return .respond(notFound) }
    let services = call.shard.services
    let (path, id, head) = (call.shard.returnPath, call.exchange.id, call.head)
    services.store.perform(FileLookup(fileID)) { result in
      let answer = FileAnswer(to: head, result.serviceResult, in: services.files)
      path.resume { shard in answer.send(to: id, by: shard.transport) }
    }
    return .respondLater(onAbandonment: nil)
  }

  static let notFound = {
    var response = HTTPResponse(
      refusing: ServiceError(.notFound, "there is no such file, or no longer"))
    response.status = .notFound
    return response
  }()
}

/// The answer to a request for a file.
private enum FileAnswer: Sendable {
  case response(HTTPResponse)
  case content(HTTPResponse, FileSpan)

  /// Looks at the disk, so it is not made on an event loop.
  init(
    to head: HTTPRequestHead, _ found: Result<FileRecord?, ServiceError>, in files: FileStore
  ) {
    switch found {
    case .failure(let error): self = .response(HTTPResponse(refusing: error))
    case .success(nil): self = .response(FileDownload.notFound)
    case .success(let record?):
      self.init(to: head, record, in: files)
    }
  }

  private init(to head: HTTPRequestHead, _ record: FileRecord, in files: FileStore) {
    do throws(SystemError) {
      let file = try files.open(record.id)
      guard file.byteCount == record.size else {
        self = .response(
          HTTPResponse(refusing: ServiceError(.internalError, "the file is damaged")))
        return
      }
      self.init(to: head, record, file)
    } catch  where error.code == ENOENT {
      self = .response(FileDownload.notFound)
    } catch {
      self = .response(
        HTTPResponse(
          refusing: ServiceError(.internalError, "the file can't be read now: try again later")))
    }
  }

  private init(to head: HTTPRequestHead, _ record: FileRecord, _ file: OpenFile) {
    let tag = "\"\(record.id)\""
    var fields = Self.fields(of: record, tag)
    guard !head.hasVersion(tag) else {
      self = .response(HTTPResponse(status: .notModified, fields: fields))
      return
    }
    switch head.range(length: record.size, tag: tag) {
    case .whole: self = .content(HTTPResponse(status: .ok, fields: fields), FileSpan(file))
    case .part(let range):
      fields.append(
        "Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(record.size)")
      self = .content(
        HTTPResponse(status: .partialContent, fields: fields), FileSpan(file, range))
    case .unsatisfiable:
      self = .response(
        HTTPResponse(
          status: .rangeNotSatisfiable, text: "the file has \(record.size) bytes\n",
          fields: ["Content-Range": "bytes */\(record.size)"]))
    }
  }

  func send(to id: Exchange.ID, by transport: Transport) {
    switch self {
    case .response(let response): transport.respond(response, to: id)
    case .content(let head, let file): transport.respond(head, with: file, to: id)
    }
  }

  /// Nothing in a file may run with the rights of a page from here, whatever a browser takes it for.
  private static func fields(of record: FileRecord, _ tag: String) -> HTTPFields {
    let type = MediaType(sent: record.type)
    return [
      "Content-Type": type.field,
      "Content-Disposition": type.disposition.field(fileName: record.name),
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Cross-Origin-Resource-Policy": "cross-origin",
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "private, max-age=31536000, immutable",
      "ETag": tag,
      "Accept-Ranges": "bytes",
    ]
  }
}
