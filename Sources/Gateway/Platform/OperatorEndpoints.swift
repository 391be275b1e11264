import ParleyProtocol

/// The operators of a channel, below `/v3/open_channels/{url}/operators`.
enum OperatorEndpoints {
  /// `POST`: makes users operators beside those there are.
  static func add(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let ids = try call.body.userIDs("operator_ids", limit: Limits.operatorCount) ?? []
    guard !ids.isEmpty else { throw .missing("operator_ids") }
    try call.inChannel(completion) { channel in
      channel.addOperators(ids, by: .platform(onBehalfOf: nil)) { completion.empty($1) }
    }
  }

  /// `GET`: a page of operators, in the order in which they became so.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let limit = try call.query.pageSize()
    let token = try call.query.pageToken()
    try call.inChannel(completion) { channel in
      do throws(ServiceError) {
        let page = try channel.operatorPage(limit: limit, token: token)
        completion(.success(page.encoded(as: "operators")))
      } catch {
        completion.fail(error)
      }
    }
  }

  /// `DELETE …?operator_ids=|delete_all=true`: takes the role back; those without it are passed
  /// over.
  static func remove(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    if try call.query.boolean("delete_all") == true {
      return try call.inChannel(completion) { channel in
        channel.removeAllOperators(by: .platform(onBehalfOf: nil)) { completion.empty($1) }
      }
    }
    let ids = try call.query.userIDs("operator_ids") ?? []
    guard !ids.isEmpty else { throw .missing("operator_ids") }
    try call.inChannel(completion) { channel in
      channel.removeOperators(ids, by: .platform(onBehalfOf: nil)) { completion.empty($1) }
    }
  }
}
