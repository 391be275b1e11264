import Channels
import ParleyProtocol

extension CallOutcome {
  /// Encodes the reply to a call; empty for one that wants none.
  func reply(to id: RPCIdentifier?) -> [UInt8] {
    var bytes: [UInt8] = []
    switch (self, id) {
    case (.success(let result), let id?):
      bytes.reserveCapacity(result.count + 64)
      RPCReply.appendResult(to: &bytes, id: id, raw: result)
    case (.success, nil): break
    case (.failure(let error), _): RPCReply.appendError(to: &bytes, id: id, error)
    }
    return bytes
  }
}
