import Channels
import HTTP1
import ParleyProtocol
import Store

/// Who operates a channel, below `/v3/open_channels/{url}/operators`.
extension PlatformCall {
  /// `POST`: makes users operators beside those there are.
  func addOperators() throws(ServiceError) -> Work {
    let ids = try request.parameters.userIDs("operator_ids", limit: Limits.operatorCount) ?? []
    guard !ids.isEmpty else { throw .missing("operator_ids") }
    return try perform(.addOperators(ids))
  }

  /// `GET`: a page of operators, in the order in which they became so.
  func listOperators() throws(ServiceError) -> Work {
    let limit = try request.pageSize()
    let token = try request.pageToken()
    return try inChannel { channel, reply in
      do throws(ServiceError) {
        reply(
          .success(try channel.operatorPage(limit: limit, token: token).encoded(as: "operators")))
      } catch {
        reply(.failure(error))
      }
    }
  }

  /// `DELETE …?operator_ids=|delete_all=true`: takes the role back; those without it are passed
  /// over.
  func removeOperators() throws(ServiceError) -> Work {
    if try request.boolean("delete_all") == true {
      return try perform(.removeAllOperators)
    }
    let ids = try request.userIDs("operator_ids")
    guard !ids.isEmpty else { throw .missing("operator_ids") }
    return try perform(.removeOperators(ids))
  }
}

extension HomeChannel {
  /// A page of operators, as many as an answer holds.
  ///
  /// A position, not an operator, is where a page ended: whoever became one since comes at the end.
  fileprivate func operatorPage(
    limit: Int, token: String?
  ) throws(ServiceError) -> ListPage<[UInt8]> {
    let query = ["operators", url]
    var position = 0
    if let token, !token.isEmpty {
      guard let bytes = PageToken.decode(token, query: query), bytes.count == 4 else {
        throw .pageTokenExpired
      }
      position = bytes.reduce(0) { $0 << 8 | Int($1) }
    }
    var room = PageRoom.answer
    var page = ListPage<[UInt8]>(items: [], next: "")
    for user in view.channel.operators.dropFirst(position).prefix(limit) {
      let item = PageItem { user.encode(into: &$0) }
      guard room.admit(byteCount: item.byteCount) else { break }
      page.items.append(item.value)
    }
    let end = position + page.items.count
    if end < view.channel.operators.count {
      let bytes = withUnsafeBytes(of: UInt32(clamping: end).bigEndian, Array.init)
      page.next = PageToken.encode(bytes, query: query)
    }
    return page
  }
}
