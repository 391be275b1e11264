internal import Basics
internal import CCurl
internal import Curl
internal import Glibc
internal import HTTP
internal import ParleyProtocol

/// Calls a gateway's Platform API, one call at a time, reusing one connection if possible.
final class PlatformClient {
  /// The maximum size of a response.
  private static let maximumBytes = 16_777_216
  private static let timeout = 60_000
  private static let connectTimeout = 10_000

  private let base: String
  private let token: String?
  private let route: NetworkRoute
  private let client: CurlClient

  /// - Parameters:
  ///   - base: The base URL, without a trailing slash.
  ///   - token: One word of visible ASCII characters; `nil` for calls that need none.
  init(base: String, token: String?, route: NetworkRoute) throws {
    do throws(CurlError) {
      client = try CurlClient()
    } catch {
      throw CommandFailure.unreachable(error.description)
    }
    self.base = base
    self.token = token
    self.route = route
  }

  /// Makes a call and returns the unmodified response.
  ///
  /// - Parameters:
  ///   - path: The absolute path, such as `/v3/users`, with encoded parts.
  ///   - query: Parameters in order, not encoded.
  ///   - body: The JSON body.
  ///   - form: A form with a file, sent instead of a body.
  func call(
    _ method: String, _ path: String, query: [(String, String)] = [], body: RequestBody? = nil,
    form: FormBody? = nil
  ) throws -> [UInt8] {
    let response = try exchange(method, path, query, body, form)
    guard response.status != 200 else { return response.body }
    throw correction(of: failure(of: response), at: path)
  }

  /// Makes a call and returns the response with any status.
  func exchange(
    _ method: String, _ path: String, _ query: [(String, String)] = [], _ body: RequestBody? = nil,
    _ form: FormBody? = nil
  ) throws -> CurlClient.Response {
    let parameters = query.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    let url = base + path + (parameters.isEmpty ? "" : "?\(parameters)")
    let fields = CurlList(headerLines(isForm: form != nil))
    let result = try withExtendedLifetime((form, fields)) {
      try client.perform(maximumBytes: Self.maximumBytes) { easy throws in
        easy.set(CURLOPT_URL, to: url)
        easy.set(CURLOPT_CUSTOMREQUEST, to: method)
        easy.set(CURLOPT_HTTPHEADER, to: fields)
        easy.set(CURLOPT_TIMEOUT_MS, to: Self.timeout)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, to: Self.connectTimeout)
        setRoute(of: easy)
        if let body { easy.post(body.bytes) }
        try form?.attach(to: easy.handle)
      }
    }
    switch result {
    case .success(let response): return response
    case .failure(let failure):
      throw CommandFailure(
        TransferFailure(failure.result, failure.reason, isUntrusted: failure.isUntrusted),
        connectingTo: base)
    }
  }

  private func headerLines(isForm: Bool) -> [String] {
    var lines = ["Accept: application/json, text/plain"]
    if !isForm { lines.append("Content-Type: application/json") }
    if let token { lines.append("Api-Token: \(token)") }
    return lines
  }

  /// Sets the route to the gateway explicitly, so that libcurl does not read the environment.
  private func setRoute(of easy: CurlEasy) {
    if let proxy = route.proxyURL { easy.set(CURLOPT_PROXY, to: proxy) }
    // The directory with the system's authorities is used in addition to this file.
    if let file = route.authorityFile { easy.set(CURLOPT_CAINFO, to: file) }
  }

  /// The refusal in a response with another status than 200.
  func failure(of response: CurlClient.Response) -> CommandFailure {
    let error = try? JSONDocument(response.body).root
    guard let error, let code = error["code"]?.integer, let text = error["message"]?.string else {
      return .unreachable(
        "\(base) answered with HTTP \(response.status): is it a Parley gateway?")
    }
    return .refused(text, code: Int(clamping: code))
  }
}

/// Series of calls.
extension PlatformClient {
  private static let tooManyCalls = 500_910
  private static let tooManyRequests = 429
  private static let patience = 10

  /// Calls, and retries after a second when the gateway limits the rate of calls.
  func callPatiently(
    _ method: String, _ path: String, query: [(String, String)] = [], body: RequestBody? = nil
  ) throws -> [UInt8] {
    for _ in 0..<Self.patience {
      do {
        return try call(method, path, query: query, body: body)
      } catch CommandFailure.refused(_, Self.tooManyCalls) {
        sleep(1)
      }
    }
    return try call(method, path, query: query, body: body)
  }

  /// Makes a call and returns the response with any status; like ``callPatiently(_:_:query:body:)``.
  func exchangePatiently(
    _ method: String, _ path: String, _ body: RequestBody
  ) throws -> CurlClient.Response {
    for _ in 0..<Self.patience {
      let response = try exchange(method, path, [], body)
      guard response.status == Self.tooManyRequests else { return response }
      sleep(1)
    }
    return try exchange(method, path, [], body)
  }
}
