import Channels
import ParleyProtocol
import Push
import PushDelivery

/// The deliveries of pushes, below `/v3/parley/push`.
enum PushOperationEndpoints {
  /// `GET …`: the state of the ways.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let services = call.services
    let key = services.pushes.applicationServerKey
    guard let push = services.push else {
      return completion(.success(JSONWriter.bytes { PushReport.encodeNone(into: &$0) }))
    }
    push.report { result in
      completion(result.serviceResult) {
        $0.encode(at: services.clock.now, push.counters, webKey: key, into: &$1)
      }
    }
  }

  /// `POST …/test`: sends a push to each device of a user, and returns the outcomes.
  static func test(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.body.userID()
    try push(call).test(userID) { result in
      completion(result.serviceResult) { results, writer in
        writer.object {
          $0.member("user_id", userID)
          $0.member("results", array: { for result in results { result.encode(into: &$0) } })
        }
      }
    }
  }

  /// `GET …/explain`: the reason why a message is or is not pushed to a user.
  static func explain(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    guard let userID = try call.query.optionalUserID("user_id") else { throw .missing("user_id") }
    let messageID = try call.query.messageID()
    try push(call).explain(userID, messageID: messageID) { result in
      completion(result.serviceResult) { explanation, writer in
        writer.object {
          $0.member("user_id", userID)
          $0.member("message_id", messageID)
          explanation.encode(into: &$0)
        }
      }
    }
  }

  private static func push(_ call: PlatformCall) throws(ServiceError) -> PushDelivery {
    guard let push = call.services.push else {
      throw ServiceError(.combinationNotAcceptable, "there are no pushes: no way is set")
    }
    return push
  }
}
