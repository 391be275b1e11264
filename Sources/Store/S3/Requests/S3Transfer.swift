import Basics
import CCurl
import Curl

/// A request in progress, with the call that waits for it.
struct S3Order: CurlQueueRequest, Sendable {
  let id: UInt64
  let request: S3Request
  /// The number of failed attempts.
  var failureCount = 0
  let deadline: ContinuousClock.Instant
  let completion: @Sendable (Result<S3Response, S3Error>) -> Void
}

/// One attempt at a request.
final class S3Transfer: CurlQueueTransfer {
  let request: S3Order
  let easy: CurlEasy
  private let fields: CurlList
  private let response: BoundedResponse

  /// The maximum length of an error that is shown.
  private static let maximumErrorLength = 300
  /// The wait for a server that does not know `Expect: 100-continue`.
  private static let continueMilliseconds = 200
  /// The time limit of connecting.
  private static let connectMilliseconds = 5_000

  /// - Returns: `nil` when out of memory.
  init?(_ order: S3Order, to account: S3Account) {
    guard let easy = CurlEasy() else { return nil }
    request = order
    self.easy = easy
    let request = order.request
    // Set explicitly, since libcurl would otherwise sign without a digest. An additional field without a
    // value would invalidate the signature (libcurl 7.88), so `Expect` stays.
    fields = CurlList(["x-amz-content-sha256: \(request.bodyDigest)"])
    response = BoundedResponse(to: easy, maximumBytes: request.maximumBytes)
    easy.set(CURLOPT_URL, to: account.bucketURL + request.target)
    easy.set(CURLOPT_AWS_SIGV4, to: "aws:amz:\(account.region):s3")
    easy.set(CURLOPT_USERNAME, to: account.key)
    easy.set(CURLOPT_PASSWORD, to: account.secret)
    easy.set(CURLOPT_HTTPHEADER, to: fields)
    easy.set(CURLOPT_HTTP_VERSION, to: CURL_HTTP_VERSION_1_1)
    easy.set(CURLOPT_USERAGENT, to: "Parley")
    easy.set(CURLOPT_EXPECT_100_TIMEOUT_MS, to: Self.continueMilliseconds)
    if let range = request.range {
      easy.set(CURLOPT_RANGE, to: "\(range.lowerBound)-\(range.upperBound - 1)")
    }
    setMethod(request)
    setLimits(order)
  }

  /// The outcome of the attempt.
  func outcome(_ result: CURLcode) -> Outcome {
    guard result == CURLE_OK, let status = easy.status else { return failure(result) }
    if request.request.expected.contains(status), !isBucketMissing(status) {
      return .success(
        S3Response(
          status: status, body: response.body, objectByteCount: objectByteCount(status),
          tag: response.fields("etag").first, date: response.fields("date").first))
    }
    let error = S3Error("\(request.request.description): \(explanation(status))", refusal(status))
    return [429, 500, 502, 503, 504].contains(status) ? .transient(error) : .final(error)
  }

  /// The outcome of an attempt.
  enum Outcome {
    case success(S3Response)
    /// Another attempt may succeed.
    case transient(S3Error)
    case final(S3Error)
  }

  /// Whether a 404 means more than a missing object.
  private func isBucketMissing(_ status: Int) -> Bool {
    status == 404 && text.value("Code") == "NoSuchBucket"
  }

  /// The body of an error.
  private var text: XMLText { XMLText(String(decoding: response.body, as: UTF8.self)) }

  private func setMethod(_ request: S3Request) {
    switch request.method {
    case .get: break
    case .head: easy.set(CURLOPT_NOBODY, to: 1)
    case .put: easy.put(request.body)
    case .post:
      easy.put(request.body)
      easy.set(CURLOPT_CUSTOMREQUEST, to: "POST")
    case .delete: easy.set(CURLOPT_CUSTOMREQUEST, to: "DELETE")
    }
  }

  private func setLimits(_ order: S3Order) {
    easy.setDeadline(order.deadline)
    easy.set(CURLOPT_CONNECTTIMEOUT_MS, to: Self.connectMilliseconds)
    easy.set(CURLOPT_LOW_SPEED_TIME, to: order.request.stallSeconds)
    easy.set(CURLOPT_LOW_SPEED_LIMIT, to: order.request.leastRate)
  }

  private func failure(_ result: CURLcode) -> Outcome {
    let request = request.request
    if response.excess == .body {
      return .final(S3Error("\(request.description): the answer is longer than was asked for"))
    }
    let error = S3Error("\(request.description): \(easy.explanation(of: result))", status: nil)
    return easy.isPeerUntrusted ? .final(error) : .transient(error)
  }

  private func refusal(_ status: Int) -> S3Error.Answer {
    S3Error.Answer(
      status: status, code: text.value("Code"),
      region: response.fields("x-amz-bucket-region").first ?? text.value("Region"),
      date: response.fields("date").first)
  }

  /// The text of an answer, with the code and message of S3 if present.
  private func explanation(_ status: Int) -> String {
    var words = ["status \(status)"]
    if let code = text.value("Code") { words.append(code) }
    if let message = text.value("Message") { words.append(message) }
    if (301...308).contains(status) {
      words.append("the bucket is elsewhere; check endpoint and region")
      if let region = response.fields("x-amz-bucket-region").first {
        words.append("its region is \(region)")
      }
    }
    return DisplayText.shortened(words.joined(separator: ": "), limit: Self.maximumErrorLength)
  }

  private func objectByteCount(_ status: Int) -> Int64? {
    guard status == 206 else {
      return response.fields("content-length").first.flatMap { Int64(decimal: $0) }
    }
    return response.fields("content-range").first?.split(separator: "/").last
      .flatMap { Int64(decimal: $0) }
  }
}

extension S3Request {
  /// The rate in bytes per second below which an attempt is aborted after ``stallSeconds``.
  fileprivate var leastRate: Int {
    switch method {
    case .get, .put: 16_384
    case .head, .post, .delete: 1
    }
  }

  /// Seconds, few enough that time for another attempt remains; S3 takes long for some of its answers to
  /// `POST`.
  fileprivate var stallSeconds: Int {
    switch method {
    case .get, .head, .put, .delete: 8
    case .post: 60
    }
  }
}
