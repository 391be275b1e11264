import Basics
import CCurl
import Crypto
import Curl
import ParleyProtocol

/// One request to a URL.
final class DeliveryTransfer: CurlTransfer, CurlReceiver {
  let delivery: Delivery
  let easy: CurlEasy
  private let fields: CurlList
  private var headBytes = 0
  private var bodyBytes = 0

  /// The maximum size of an answer that is read and discarded, so that its connection can be reused.
  private static let maximumBytes = 65_536

  /// - Returns: `nil` when out of memory.
  init?(_ delivery: Delivery, url: String, configuration: WebhookConfiguration) {
    guard let easy = CurlEasy(),
      let signature = BodySignature.value(of: delivery.body, secret: configuration.secret)
    else { return nil }
    self.delivery = delivery
    self.easy = easy
    var lines = [
      "Content-Type: application/json", "Parley-Signature: \(signature)",
      "Parley-Delivery: \(delivery.id)",
      // An empty field disables 100-continue: the body is sent at once, whatever its size.
      "Expect:",
    ]
    if let trace = delivery.trace {
      if let id = trace.requestID { lines.append("X-Request-Id: \(id)") }
      if let parent = trace.traceParent { lines.append("traceparent: \(parent)") }
    }
    fields = CurlList(lines)
    easy.receiver = self
    easy.set(CURLOPT_URL, to: url)
    if let path = configuration.certificateAuthorities { easy.set(CURLOPT_CAINFO, to: path) }
    easy.set(CURLOPT_USERAGENT, to: configuration.userAgent)
    easy.set(CURLOPT_HTTPHEADER, to: fields)
    easy.setDeadline(.now.advanced(by: .milliseconds(configuration.timeout)))
    easy.post(delivery.body)
  }

  func receiveHead(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    headBytes += line.count
    return headBytes <= Self.maximumBytes
  }

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bodyBytes += bytes.count
    return bodyBytes <= Self.maximumBytes
  }

  /// The outcome of the request.
  ///
  /// - Parameter now: Unix milliseconds.
  func outcome(_ result: CURLcode, at now: Int64) -> DeliveryOutcome {
    let status = easy.status
    // A 2xx status means that the events were received, however long the answer is.
    let isComplete = result == CURLE_OK || (result == CURLE_WRITE_ERROR && bodyBytes > 0)
    guard isComplete, let status else {
      let reason =
        result == CURLE_OPERATION_TIMEDOUT ? "no answer in time" : easy.explanation(of: result)
      return .failed(status: status, reason: reason, retryAfter: nil)
    }
    if (200...299).contains(status) { return .taken(status: status) }
    let asked = [429, 503].contains(status) ? easy.fields("retry-after").first : nil
    return .failed(
      status: status, reason: "status \(status)",
      retryAfter: asked.flatMap { RetryAfter.milliseconds($0, at: now) })
  }
}

/// The outcome of a request.
enum DeliveryOutcome {
  case taken(status: Int)
  /// - retryAfter: The pause requested by the receiver, in milliseconds.
  case failed(status: Int?, reason: String, retryAfter: Int64?)
}
