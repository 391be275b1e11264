internal import Bytes
internal import HTTP1
internal import CCurl
internal import ParleyProtocol

/// Calls a gateway's Platform API, one call at a time, over one connection where that lasts.
final class PlatformClient {
  /// The largest answer that is read.
  private static let maximumBytes = 16_777_216
  private static let timeout = 60_000
  private static let connectTimeout = 10_000

  private let base: String
  private let token: String?
  private let route: NetworkRoute
  private let easy: UnsafeMutableRawPointer
  /// Libcurl's description of a failure, written until the handle is freed.
  private let explanation: UnsafeMutablePointer<CChar>

  /// - Parameters:
  ///   - base: Without a slash at its end.
  ///   - token: One word of visible ASCII characters; `nil` for what needs none.
  init(base: String, token: String?, route: NetworkRoute) throws {
    guard let easy = curl_easy_init() else { throw CommandFailure.unreachable("no libcurl") }
    self.base = base
    self.token = token
    self.route = route
    self.easy = easy
    explanation = .allocate(capacity: Int(CURL_ERROR_SIZE))
    explanation.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(easy)
    explanation.deallocate()
  }

  /// Calls and returns the answer as it came.
  ///
  /// - Parameters:
  ///   - path: From the root, such as `/v3/users`, its parts encoded.
  ///   - query: Parameters in order, not yet encoded.
  ///   - body: What is sent as JSON.
  ///   - form: What is sent with a file, in place of a body.
  func call(
    _ method: String, _ path: String, query: [(String, String)] = [], body: RequestBody? = nil,
    form: FormBody? = nil
  ) throws -> [UInt8] {
    let parameters = query.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    let url = base + path + (parameters.isEmpty ? "" : "?\(parameters)")
    var fields = curl_slist_append(nil, "Accept: application/json, text/plain")
    if form == nil { fields = curl_slist_append(fields, "Content-Type: application/json") }
    if let token { fields = curl_slist_append(fields, "Api-Token: \(token)") }
    defer { curl_slist_free_all(fields) }
    curl_easy_reset(easy)
    setRoute()
    _ = parley_curl_set_string(easy, CURLOPT_URL, url)
    _ = parley_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, method)
    _ = parley_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    _ = parley_curl_set_list(easy, CURLOPT_HTTPHEADER, fields)
    _ = parley_curl_set_long(easy, CURLOPT_TIMEOUT_MS, Self.timeout)
    _ = parley_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, Self.connectTimeout)
    _ = parley_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    if let body { attach(body.bytes) }
    try form?.attach(to: easy)
    return try withExtendedLifetime(form) { try check(perform()) }
  }

  /// Says where to go through, so that libcurl does not look into the environment by itself.
  private func setRoute() {
    _ = parley_curl_set_string(easy, CURLOPT_PROXY, route.proxyURL ?? "")
    _ = parley_curl_set_string(easy, CURLOPT_NOPROXY, "")
    // The directory with the system's authorities counts beside this file.
    if let file = route.authorityFile { _ = parley_curl_set_string(easy, CURLOPT_CAINFO, file) }
  }

  private func attach(_ bytes: [UInt8]) {
    _ = parley_curl_set_long(easy, CURLOPT_POSTFIELDSIZE, bytes.count)
    // JSON text holds no NUL byte, and libcurl copies it.
    _ = parley_curl_set_string(
      easy, CURLOPT_COPYPOSTFIELDS, String(decoding: bytes, as: UTF8.self))
  }

  private final class Body {
    var bytes: [UInt8] = []
  }

  private func perform() throws -> [UInt8] {
    let body = Body()
    explanation.pointee = 0
    _ = parley_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, explanation)
    let result = withExtendedLifetime(body) {
      _ = parley_curl_set_pointer(
        easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(body).toOpaque())
      _ = parley_curl_set_write_function(easy) { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let body = Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        guard body.bytes.count + piece.count <= PlatformClient.maximumBytes else { return 0 }
        body.bytes.append(contentsOf: piece)
        return piece.count
      }
      return curl_easy_perform(easy)
    }
    guard result == CURLE_OK else { throw failure(result) }
    return body.bytes
  }

  private func failure(_ result: CURLcode) -> CommandFailure {
    let said = String(cString: explanation)
    var verification = 0
    _ = parley_curl_get_long(easy, CURLINFO_SSL_VERIFYRESULT, &verification)
    return CommandFailure(
      TransferFailure(
        result, said.isEmpty ? String(cString: curl_easy_strerror(result)) : said,
        isUntrusted: verification != 0), connectingTo: base)
  }

  private func check(_ answer: [UInt8]) throws -> [UInt8] {
    var status = 0
    _ = parley_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
    guard status != 200 else { return answer }
    let error = try? JSONDocument(answer).root
    guard let error, let code = error["code"]?.integer, let text = error["message"]?.string else {
      throw CommandFailure.unreachable(
        "\(base) answered with HTTP \(status): is it a Parley gateway?")
    }
    throw CommandFailure.refused(text, code: Int(clamping: code))
  }
}
