import Channels
import ParleyProtocol

extension CallOutcome {
  /// The reply to a call; empty for a call without a reply.
  func reply(to id: RPCIdentifier?) -> [UInt8] {
    switch (self, id) {
    case (.success(let result), let id?): RPCReply.result(result, to: id)
    case (.success, nil): []
    case (.failure(let error), _): RPCReply.error(error, to: id)
    }
  }
}
