import Basics
import Configuration
import ParleyProtocol
import Store

/// The newest lines of the audit log, below `/v3/parley/audit`.
enum AuditEndpoints {
  /// `GET ?token_id=&path=`: the calls that this server recorded since its start, newest first.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let tokenID = try call.query.text("token_id", limit: Limits.apiTokenNameLength)
    let part = try call.query.text("path", limit: Limits.fileURLLength)
    let limit = try call.query.pageSize()
    let cursor = PageCursor<Int64>(of: ["audit", tokenID ?? "", part ?? ""])
    var start: Int64?
    if let token = try call.query.pageToken() {
      guard let number = cursor.position(in: token) else { throw ServiceError.pageTokenExpired }
      start = number
    }
    let memory = call.services.audit?.memory
    let page = memory?.lines(
      before: start, limit: limit, tokenID: tokenID.nonEmpty, containing: part.nonEmpty)
    let services = call.services
    completion { writer in
      writer.object {
        $0.member("is_on", memory != nil)
        $0.member("server", services.lone.name)
        $0.member("records", array: { for line in page?.lines ?? [] { $0.value(raw: line.json) } })
        let next = page?.hasMore == true ? page?.lines.last?.number : nil
        $0.member("next", next.map { cursor.token(after: $0) } ?? "")
      }
    }
  }
}

extension String? {
  fileprivate var nonEmpty: String? { self?.isEmpty == true ? nil : self }
}
