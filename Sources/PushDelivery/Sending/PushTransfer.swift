import CCurl
import Curl
import LinkPreview
import Push

/// One request to a push service.
final class PushTransfer: CurlTransfer {
  /// The reason for the request.
  enum Purpose {
    /// - `credential`: The credential in the request that expires, if it has one.
    /// - `ticket`: The position in the history of the host; `nil` for a test.
    case push(PushQueue<QueuedPush>.Turn, credential: String?, ticket: HostCircuits.Ticket?)
    /// An access token of FCM for an account.
    case access(ServiceAccount)
  }

  /// The conditions of a connection.
  enum Connection {
    /// To an address that the operator configured.
    case configured
    /// The same, by HTTP/2 only.
    case http2
    /// To an address that a client chose.
    case guarded(ConnectionGuard)
  }

  let purpose: Purpose
  let easy: CurlEasy
  private let fields: CurlList
  private let connection: Connection
  private let response: BoundedResponse

  /// - Returns: `nil` when out of memory.
  init?(
    _ request: PushRequest, for purpose: Purpose, over connection: Connection,
    _ configuration: PushConfiguration
  ) {
    guard let easy = CurlEasy() else { return nil }
    self.purpose = purpose
    self.easy = easy
    self.connection = connection
    // An empty field disables 100-continue: the body is sent at once, whatever its size.
    fields = CurlList(request.fields + ["Expect:"])
    response = BoundedResponse(to: easy, maximumBytes: PushAnswer.byteLimit)
    easy.set(CURLOPT_URL, to: request.url)
    // Beside the system's folder of authorities, which stays in force.
    if let path = configuration.certificateAuthorities { easy.set(CURLOPT_CAINFO, to: path) }
    easy.set(CURLOPT_USERAGENT, to: configuration.userAgent)
    easy.setDeadline(.now.advanced(by: .milliseconds(configuration.timeout)))
    // The body may be binary.
    easy.put(request.body)
    easy.set(CURLOPT_CUSTOMREQUEST, to: "POST")
    easy.set(CURLOPT_HTTPHEADER, to: fields)
    // Waits for a connection that can be shared, rather than opening one for each request.
    easy.set(CURLOPT_PIPEWAIT, to: 1)
    switch connection {
    case .configured: break
    case .http2:
      if request.url.hasPrefix("http:") {
        easy.set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
      }
    case .guarded(let guardian): guardian.watch(easy)
    }
  }

  /// The answer, or the reason why there is none.
  func answer(_ result: CURLcode) -> Result<PushAnswer, PushTransferProblem> {
    if case .guarded(let guardian) = connection, let refusal = guardian.refused.first,
      easy.status == nil, result != CURLE_OPERATION_TIMEDOUT
    {
      return .failure(.refusedAddress("\(refusal.address) is not a public address"))
    }
    // The status counts, however long the answer is.
    let isCut = response.excess == .body
    guard result == CURLE_OK || isCut, let status = easy.status else {
      let isLate = result == CURLE_OPERATION_TIMEDOUT
      return .failure(.unanswered(isLate ? "no answer in time" : easy.explanation(of: result)))
    }
    if case .http2 = connection, !easy.isHTTP2 {
      return .failure(.unanswered("the service does not speak HTTP/2"))
    }
    return .success(
      PushAnswer(
        status: status, retryAfter: response.fields("retry-after").first,
        body: isCut ? [] : response.body))
  }
}

/// The reason why a service gave no answer.
enum PushTransferProblem: Error {
  /// The endpoint's address may not be called.
  case refusedAddress(String)
  case unanswered(String)

  var outcome: PushOutcome {
    switch self {
    case .refusedAddress(let reason): .failed(PushFault(0, reason))
    case .unanswered(let reason): .unanswered(reason)
    }
  }
}

extension CurlEasy {
  fileprivate var isHTTP2: Bool {
    var version = 0
    _ = parley_curl_get_long(handle, CURLINFO_HTTP_VERSION, &version)
    return version == Int(CURL_HTTP_VERSION_2_0)
  }
}
