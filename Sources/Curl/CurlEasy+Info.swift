package import CCurl
internal import Glibc

/// Information about the request from libcurl, once it has started.
extension CurlEasy {
  /// The response's status; `nil` if there was none.
  package var status: Int? {
    var status = 0
    _ = parley_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
    return status == 0 ? nil : status
  }

  /// The number of connections that the request opened: 0 if it reused one.
  package var openedConnectionCount: Int {
    var count = 0
    _ = parley_curl_get_long(handle, CURLINFO_NUM_CONNECTS, &count)
    return count
  }

  /// The `errno` of the last system call that failed; 0 if none did.
  package var systemErrorCode: Int32 {
    var code = 0
    _ = parley_curl_get_long(handle, CURLINFO_OS_ERRNO, &code)
    return Int32(clamping: code)
  }

  /// Whether the peer's certificate has no trusted issuer or is currently invalid.
  package var isPeerUntrusted: Bool {
    var verification = 0
    _ = parley_curl_get_long(handle, CURLINFO_SSL_VERIFYRESULT, &verification)
    return verification != 0
  }

  /// The address at the other end of the connection.
  package var peerAddress: String? {
    var text: UnsafePointer<CChar>?
    guard parley_curl_get_string(handle, CURLINFO_PRIMARY_IP, &text) == CURLE_OK, let text,
      text.pointee != 0
    else { return nil }
    return String(cString: text)
  }

  /// The declared length of the body before decompression; `nil` if the server declared none.
  package var declaredBodyLength: Int64? {
    let length = number(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    return length < 0 ? nil : length
  }

  /// The number of bytes of the body received, before decompression.
  package var receivedBodyLength: Int64 { number(CURLINFO_SIZE_DOWNLOAD_T) }

  /// Returns a time, in microseconds from the start of the request; 0 if the event has not happened.
  package func microseconds(until info: CURLINFO) -> Int64 { max(0, number(info)) }

  /// Returns the values of a header field of the last response, in order; at most eight.
  package func fields(_ name: String) -> [String] {
    var values: [String] = []
    var field: UnsafeMutablePointer<curl_header>?
    // If there are several responses, -1 is the last one.
    while values.count < 8,
      curl_easy_header(handle, name, values.count, UInt32(CURLH_HEADER), -1, &field) == CURLHE_OK,
      let value = field?.pointee.value
    {
      values.append(String(cString: value))
    }
    return values
  }

  /// Returns the bytes of the first value of a header field of the last response.
  package func fieldBytes(_ name: String) -> [UInt8]? {
    var field: UnsafeMutablePointer<curl_header>?
    guard curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &field) == CURLHE_OK,
      let value = field?.pointee.value
    else { return nil }
    return Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
  }

  private func number(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    _ = parley_curl_get_offset(handle, info, &value)
    return Int64(value)
  }
}
