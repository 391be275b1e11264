import HTTP1
import ParleyProtocol
import Store

/// Who operates a channel, below `/v3/open_channels/{url}/operators`.
extension PlatformCall {
  /// `POST`: makes users operators beside those there are.
  func addOperators() throws(ServiceError) -> Work {
    let ids = try request.parameters.userIDs("operator_ids", limit: Limits.operatorCount) ?? []
    guard !ids.isEmpty else { throw .missing("operator_ids") }
    return try inChannel { channel, reply in
      channel.addOperators(ids, by: .platform(onBehalfOf: nil)) { _, result in
        reply(result.encodedEmpty)
      }
    }
  }

  /// `GET`: a page of operators, in the order in which they became so.
  func listOperators() throws(ServiceError) -> Work {
    let limit = try request.pageSize()
    let position = try OperatorPageToken.position(of: try request.pageToken())
    return try inChannel { channel, reply in
      let rest = channel.record.operators.dropFirst(position)
      let next =
        rest.count > limit ? OperatorPageToken.text(at: position.addingClamped(limit)) : ""
      reply(
        .success(
          JSONWriter.bytes { writer in
            writer.object {
              $0.member(
                "operators",
                array: { for user in rest.prefix(limit) { user.encode(into: &$0) } })
              $0.member("next", next)
            }
          }))
    }
  }

  /// `DELETE …?operator_ids=|delete_all=true`: takes the role back; those without it are passed
  /// over.
  func removeOperators() throws(ServiceError) -> Work {
    if try request.boolean("delete_all") == true {
      return try inChannel { channel, reply in
        channel.removeAllOperators(by: .platform(onBehalfOf: nil)) { _, result in
          reply(result.encodedEmpty)
        }
      }
    }
    let ids = try request.userIDs("operator_ids")
    guard !ids.isEmpty else { throw .missing("operator_ids") }
    return try inChannel { channel, reply in
      channel.removeOperators(ids, by: .platform(onBehalfOf: nil)) { _, result in
        reply(result.encodedEmpty)
      }
    }
  }
}

/// Where a page of operators ended: how many came before.
private enum OperatorPageToken {
  static func position(of token: String?) throws(ServiceError) -> Int {
    guard let token else { return 0 }
    guard let position = Int(token, radix: 36), position >= 0 else { throw .pageTokenExpired }
    return position
  }

  static func text(at position: Int) -> String { String(position, radix: 36) }
}

extension Int {
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, isOverflow) = addingReportingOverflow(other)
    return isOverflow ? .max : sum
  }
}
