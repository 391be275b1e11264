import ParleyProtocol
import Store
import Transport

/// Exports of messages, channels and users, below `/v3/export/{data_type}`, and their rows page by page.
enum ExportEndpoints {
  /// The least time between two requests, in milliseconds.
  private static let spacing: Int64 = 60_000

  /// `POST`: schedules an export.
  static func start(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let parameters = try ExportParameters(call.exportSubject, call.body)
    let request = NewLongRequest(
      .export, parameters.subject.rawValue, params: parameters.json, call)
    let services = call.services
    services.store.perform(LongRequestCreation(request, spacing: spacing)) { result in
      switch result.serviceResult {
      case .success(.created(let request)):
        services.shards.onFirstShard { $0.longRequests?.wake() }
        completion { LongRequestAnswer(services).encode(request, into: &$0) }
      case .success(.tooSoon(let wait)):
        completion.fail(
          .rateLimited(retryAfter: wait, limit: 1, window: spacing, scope: "exports"))
      case .failure(let error): completion.fail(error)
      }
    }
  }

  /// `GET`: the exports of a kind of data, newest first.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let answer = LongRequestAnswer(call.services)
    let listing = LongRequestListing(
      .export, subject: try call.exportSubject.rawValue, limit: try call.query.pageSize(),
      token: try call.query.pageToken(),
      as: JSONPageEncoder<LongRequest> { answer.encode($0, into: &$1) })
    call.perform(listing, completion) { $0.encoded(as: "exported_data") }
  }

  /// `GET …/{request_id}`.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (subject, id) = (try call.exportSubject, call.arguments["request_id"])
    let services = call.services
    services.store.perform(LongRequestLookup(.export, id)) { result in
      switch result.serviceResult {
      case .success(let request?) where request.subject == subject.rawValue:
        completion { LongRequestAnswer(services).encode(request, into: &$0) }
      case .success: completion.fail(.notFound(.request, id))
      case .failure(let error): completion.fail(error)
      }
    }
  }

  /// `GET /v3/parley/export/{data_type}`: some rows as text, and the place after them.
  static func page(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let parameters = try ExportParameters(call.exportSubject, call.query)
    let limit = try call.query.integer("limit", in: 1...2_000) ?? 1_000
    let after = try call.query.pageToken("after")
    let position = after.flatMap(ExportPosition.init)
    guard after == nil || position != nil else { throw .pageTokenExpired }
    let lines = ExportLines(parameters, call.services)
    let (services, caller) = (call.services, call.caller)
    // Characters of the text take up to six bytes in the answer.
    let size = ExportPageSize(rowCount: Int(limit), byteCount: Limits.answerByteCount / 8)
    lines.read(
      from: services.store, after: position, size: size, for: caller.principal,
      at: services.clock.now
    ) { result, cost in
      caller.pay(cost, to: services)
      completion(result.serviceResult) { page, writer in
        let head = position == nil ? lines.head : []
        writer.object {
          $0.member("lines", String(decoding: head + page.bytes, as: UTF8.self))
          $0.member("rows", page.rowCount)
          $0.member("next", page.isLast ? "" : page.position.text)
        }
      }
    }
  }
}

extension PlatformCall {
  /// The kind of data in the path.
  ///
  /// - Throws: 400111 for another one.
  fileprivate var exportSubject: ExportParameters.Subject {
    get throws(ServiceError) {
      let text = arguments["data_type"]
      guard let subject = ExportParameters.Subject(rawValue: text) else {
        let names = ExportParameters.Subject.allCases.map(\.rawValue)
        throw .invalid("data_type", text, expected: names.joined(separator: " or "))
      }
      return subject
    }
  }
}
