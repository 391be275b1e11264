package import CCurl

/// A libcurl handle for one request at a time; confined to one thread.
package final class CurlEasy {
  package let handle: UnsafeMutableRawPointer
  /// The receiver of the response; without one, the transfer fails.
  package weak var receiver: (any CurlReceiver)?
  private let errorBuffer: UnsafeMutablePointer<CChar>
  /// The body to send, and the number of bytes already passed to libcurl.
  private var upload: (body: [UInt8], sentCount: Int) = ([], 0)

  /// Creates a handle with the standard options: http and https only, certificates verified by
  /// their subject alternative names, no redirects followed, and nothing taken from the environment
  /// or the user's files.
  package init?() {
    guard let handle = curl_easy_init() else { return nil }
    self.handle = handle
    errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    guard prepare() else { return nil }
  }

  deinit {
    curl_easy_cleanup(handle)
    errorBuffer.deallocate()
  }

  /// libcurl's text for the last error in addition to its code; empty if there is none.
  package var errorText: String { String(cString: errorBuffer) }

  /// Returns libcurl's text for the last error, or for its code if there is none.
  package func explanation(of result: CURLcode) -> String {
    let text = errorText
    return text.isEmpty ? String(cString: curl_easy_strerror(result)) : text
  }

  package func set(_ option: CURLoption, to value: String) {
    _ = parley_curl_set_string(handle, option, value)
  }

  package func set(_ option: CURLoption, to value: Int) {
    _ = parley_curl_set_long(handle, option, value)
  }

  package func set(_ option: CURLoption, to lines: CurlList) {
    _ = parley_curl_set_list(handle, option, lines.list)
  }

  /// Ends the request with `CURLE_OPERATION_TIMEDOUT` at `deadline`, at most an hour from now.
  package func setDeadline(_ deadline: ContinuousClock.Instant) {
    let remaining = ContinuousClock.now.duration(to: deadline).components
    let fraction = Int(remaining.attoseconds / 1_000_000_000_000_000)
    // 0 means no limit to libcurl.
    let whole = Int(clamping: min(remaining.seconds, 3_600)) * 1_000
    let milliseconds = min(max(1, whole + fraction), 3_600_000)
    set(CURLOPT_TIMEOUT_MS, to: milliseconds)
    set(CURLOPT_CONNECTTIMEOUT_MS, to: milliseconds)
  }

  /// Sets a body to post unchanged; libcurl copies it.
  package func post(_ body: [UInt8]) {
    set(CURLOPT_POST, to: 1)
    // Before the body, so that libcurl knows how much to copy.
    set(CURLOPT_POSTFIELDSIZE, to: body.count)
    // JSON text contains no NUL byte.
    set(CURLOPT_COPYPOSTFIELDS, to: String(decoding: body, as: UTF8.self))
  }

  /// Sets a body to send with `PUT`, or with another method that is set afterwards.
  package func put(_ body: [UInt8]) {
    upload = (body, 0)
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = parley_curl_set_pointer(handle, CURLOPT_READDATA, context)
    _ = parley_curl_set_read_function(handle) { buffer, size, count, context in
      guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
      return Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
        .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    }
    _ = parley_curl_set_pointer(handle, CURLOPT_SEEKDATA, context)
    // A reused connection may turn out to be closed while the body is being sent.
    _ = parley_curl_set_seek_function(handle) { context, offset, origin in
      guard let context else { return CURL_SEEKFUNC_FAIL }
      return Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
        .seek(to: Int(offset), from: origin)
    }
    set(CURLOPT_UPLOAD, to: 1)
    set(CURLOPT_INFILESIZE, to: body.count)
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let step = upload.body[upload.sentCount...].prefix(buffer.count)
    buffer.copyBytes(from: step)
    upload.sentCount += step.count
    return step.count
  }

  private func seek(to offset: Int, from origin: Int32) -> Int32 {
    guard origin == SEEK_SET, (0...upload.body.count).contains(offset) else {
      return CURL_SEEKFUNC_CANTSEEK
    }
    upload.sentCount = offset
    return CURL_SEEKFUNC_OK
  }

  /// Clears all options for the next request; connections are kept.
  func reset() {
    curl_easy_reset(handle)
    errorBuffer.pointee = 0
    upload = ([], 0)
    _ = prepare()
  }

  /// - Returns: Whether certificates are verified as required, which is always or never the case.
  private func prepare() -> Bool {
    _ = parley_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorBuffer)
    applyRules()
    setCallbacks()
    return parley_curl_require_alternative_names(handle) == CURLE_OK
  }

  private func applyRules() {
    set(CURLOPT_PROTOCOLS_STR, to: "http,https")
    set(CURLOPT_REDIR_PROTOCOLS_STR, to: "http,https")
    set(CURLOPT_FOLLOWLOCATION, to: 0)
    // Neither the environment nor a file may specify a proxy or credentials.
    set(CURLOPT_PROXY, to: "")
    set(CURLOPT_NOPROXY, to: "")
    set(CURLOPT_NETRC, to: Int(CURL_NETRC_IGNORED.rawValue))
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, to: 1)
    set(CURLOPT_SSL_VERIFYPEER, to: 1)
    set(CURLOPT_SSL_VERIFYHOST, to: 2)
    set(CURLOPT_HTTP_VERSION, to: CURL_HTTP_VERSION_2TLS)
    set(CURLOPT_PATH_AS_IS, to: 1)
    set(CURLOPT_NOSIGNAL, to: 1)
    // Ending a transfer must not wait for a name server.
    set(CURLOPT_QUICK_EXIT, to: 1)
  }

  private func setCallbacks() {
    // libcurl calls back only while the handle exists, and this object frees the handle.
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = parley_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    _ = parley_curl_set_write_function(handle) { bytes, size, count, context in
      CurlEasy.deliver(bytes, size * count, context) { $0.receive($1) }
    }
    _ = parley_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
    _ = parley_curl_set_header_function(handle) { bytes, size, count, context in
      CurlEasy.deliver(bytes, size * count, context) { $0.receiveHead($1) }
    }
  }

  /// - Returns: The number of bytes consumed: all, or none to abort the transfer.
  private static func deliver(
    _ bytes: UnsafeMutablePointer<CChar>?, _ length: Int, _ context: UnsafeMutableRawPointer?,
    to receive: (any CurlReceiver, UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Int {
    guard length > 0, let bytes, let context,
      let receiver = Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue().receiver
    else { return 0 }
    return bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
      receive(receiver, UnsafeBufferPointer(start: $0, count: length)) ? length : 0
    }
  }
}

/// The lines of an option, such as header fields; they must outlive the transfers that use them.
package final class CurlList {
  let list: UnsafeMutablePointer<curl_slist>?

  /// - Parameter lines: The lines, without line breaks.
  package init(_ lines: [String]) {
    list = lines.reduce(nil) { list, line in curl_slist_append(list, line) ?? list }
  }

  deinit { curl_slist_free_all(list) }
}

/// The reason why libcurl, or a thread for it, is unavailable.
package struct CurlError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ reason: String) { description = reason }
}

/// libcurl's one-time initialization.
enum CurlLibrary {
  /// Whether the library may be used; the first access initializes it.
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
