import Crypto
import ParleyProtocol
import Reactor
import Store

/// Reports and tests for operators.
extension DeliveryLoop {
  /// The state of each URL.
  var reports: [ReceiverReport] {
    let offset = SystemClock.unixMilliseconds - now
    return receivers.indices.map { index in
      let next = schedule.nextAttempt(receiver: index)
      return ReceiverReport(
        id: receivers[index].id, url: health[index].shownURL,
        lastSuccess: health[index].lastSuccess, lastFailure: health[index].lastFailure?.time,
        reason: health[index].lastFailure?.reason ?? "",
        nextAttempt: next.map { max($0, now) + offset })
    }
  }

  /// Posts a test event to every URL, ahead of the events that wait.
  func startTest(_ completion: @escaping @Sendable ([WebhookTestResult]) -> Void) {
    let test = WebhookTest(urls: health.map(\.shownURL), completion: completion)
    let time = SystemClock.unixMilliseconds
    for index in receivers.indices {
      let id = SecureRandom.hex(byteCount: 16)
      let body = WebhookEncoder.body(
        id: id, createdAt: time, events: [WebhookEncoder.test(at: time)])
      let isSent = send(Delivery(receiver: index, purpose: .test(test), id: id, body: body))
      if !isSent {
        test.add(
          .failed(status: nil, reason: "no memory", retryAfter: nil), receiver: index)
      }
    }
  }
}
