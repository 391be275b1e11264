import ParleyProtocol
import Store
import Transport

/// Erasures and archives of users, below `/v3/privacy/gdpr`.
enum PrivacyEndpoints {
  /// `POST`: schedules a request.
  static func start(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let parameters = try PrivacyParameters(call.body)
    let request = NewLongRequest(
      .privacy, parameters.action.rawValue, params: parameters.json, call)
    let services = call.services
    services.store.perform(LongRequestCreation(request)) { result in
      switch result.serviceResult {
      case .success(.created(let request)):
        services.shards.onFirstShard { $0.longRequests?.wake() }
        completion { LongRequestAnswer(services).encode(request, into: &$0) }
      case .success(.tooSoon): completion.fail(.internalError)
      case .failure(let error): completion.fail(error)
      }
    }
  }

  /// `GET`: the requests, newest first.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let answer = LongRequestAnswer(call.services)
    let action = try call.query.choice("action", of: PrivacyParameters.Action.self)
    let listing = LongRequestListing(
      .privacy, subject: action?.rawValue, limit: try call.query.pageSize(),
      token: try call.query.pageToken(),
      as: JSONPageEncoder<LongRequest> { answer.encode($0, into: &$1) })
    call.perform(listing, completion) { $0.encoded(as: "requests") }
  }

  /// `GET …/{request_id}`.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (services, id) = (call.services, call.arguments["request_id"])
    services.store.perform(LongRequestLookup(.privacy, id)) { result in
      switch result.serviceResult {
      case .success(let request?):
        completion { LongRequestAnswer(services).encode(request, into: &$0) }
      case .success(nil): completion.fail(.notFound(.request, id))
      case .failure(let error): completion.fail(error)
      }
    }
  }

  /// `DELETE …/{request_id}`: cancels a request at which the work has not begun.
  static func cancel(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let id = call.arguments["request_id"]
    call.services.store.perform(LongRequestCancellation(.privacy, id)) { result in
      switch result.serviceResult {
      case .success(.cancelled): completion { $0.object { _ in } }
      case .success(.absent): completion.fail(.notFound(.request, id))
      case .success(.begun(let status)):
        completion.fail(
          ServiceError(
            .combinationNotAcceptable,
            "the request is \(status.rawValue): only one that is scheduled can be cancelled",
            field: "request_id"))
      case .failure(let error): completion.fail(error)
      }
    }
  }
}
