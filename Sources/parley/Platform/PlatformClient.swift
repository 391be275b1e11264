internal import CCurl
internal import ParleyProtocol

/// Calls a gateway's Platform API, one call at a time.
struct PlatformClient {
  /// What is wrong with a call, for the operator.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The largest answer that is read.
  private static let maximumBytes = 16_777_216
  private static let timeout = 60_000

  private let base: String
  private let token: String

  init(base: String, token: String) {
    self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
    self.token = token
  }

  /// Calls and returns the answer as it came.
  ///
  /// - Parameters:
  ///   - path: From the root, such as `/v3/users`.
  ///   - query: Parameters in order, not yet encoded.
  func call(_ method: String, _ path: String, query: [(String, String)] = []) throws -> [UInt8] {
    guard let easy = curl_easy_init() else { throw Failure(description: "libcurl can't start") }
    defer { curl_easy_cleanup(easy) }
    let parameters = query.map { "\($0)=\(Self.encode($1))" }.joined(separator: "&")
    let url = base + path + (parameters.isEmpty ? "" : "?\(parameters)")
    var fields = curl_slist_append(nil, "Api-Token: \(token)")
    fields = curl_slist_append(fields, "Accept: application/json")
    defer { curl_slist_free_all(fields) }
    _ = parley_curl_set_string(easy, CURLOPT_URL, url)
    _ = parley_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, method)
    _ = parley_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    _ = parley_curl_set_list(easy, CURLOPT_HTTPHEADER, fields)
    _ = parley_curl_set_long(easy, CURLOPT_TIMEOUT_MS, Self.timeout)
    _ = parley_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    let answer = try perform(easy)
    return try check(answer, easy)
  }

  private final class Body {
    var bytes: [UInt8] = []
  }

  private func perform(_ easy: UnsafeMutableRawPointer) throws -> [UInt8] {
    let body = Body()
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
    guard result == CURLE_OK else {
      throw Failure(
        description: "\(base) does not answer: \(String(cString: curl_easy_strerror(result)))")
    }
    return body.bytes
  }

  private func check(_ answer: [UInt8], _ easy: UnsafeMutableRawPointer) throws -> [UInt8] {
    var status = 0
    _ = parley_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
    guard status != 200 else { return answer }
    let error = try? JSONDocument(answer).root
    guard let error, let code = error["code"]?.integer, let text = error["message"]?.string else {
      throw Failure(description: "\(base) answered with HTTP \(status): is it a Parley gateway?")
    }
    throw Failure(description: "\(text) (\(code))")
  }

  /// Percent-encodes all but letters, digits and what never needs it (RFC 3986 §2.3).
  private static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
