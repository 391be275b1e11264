import Channels
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
      path.resume { shard in answer.send(to: id, by: shard) }
    }
    return .respondLater(onAbandonment: nil)
  }

  static let notFound = {
    var response = HTTPResponse(
      refusing: ServiceError(.notFound, "there is no such file, or no longer"))
    response.status = .notFound
    return response
  }()

  /// Another length than that which was uploaded.
  static let damaged = HTTPResponse(
    refusing: ServiceError(.internalError, "the file is damaged"))

  static func response(to error: FileReadError) -> HTTPResponse {
    switch error {
    case .missing: notFound
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

/// The answer to a request for a file.
private enum FileAnswer: Sendable {
  case response(HTTPResponse)
  case local(HTTPResponse, FileSpan)
  case remote(HTTPResponse, any RemoteFile, RequestedContent)

  /// Looks at the disk, so it is not made on an event loop.
  init(
    to head: HTTPRequestHead, _ found: Result<FileRecord?, ServiceError>, in files: FileStore
  ) {
    switch found {
    case .failure(let error): self = .response(HTTPResponse(refusing: error))
    case .success(nil): self = .response(FileDownload.notFound)
    case .success(let record?):
      do throws(FileReadError) {
        self.init(to: head, record, try files.open(record.id))
      } catch {
        self = .response(FileDownload.response(to: error))
      }
    }
  }

  private init(to head: HTTPRequestHead, _ record: FileRecord, _ file: ReadableFile) {
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

  func send(to id: Exchange.ID, by shard: Shard) {
    switch self {
    case .response(let response): shard.transport.respond(response, to: id)
    case .local(let head, let file): shard.transport.respond(head, with: file, to: id)
    case .remote(let head, let file, let content):
      RemoteDownload(file, content, on: shard, to: id).begin(head)
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
