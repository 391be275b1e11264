import CCurl
import LinkPreview

extension Transfer {
  /// Says everything about the request that differs from libcurl's defaults.
  func prepare(_ configuration: UnfurlerConfiguration, _ headers: RequestHeaders) {
    set(CURLOPT_URL, to: fetch.url.textWithoutFragment)
    set(CURLOPT_PROTOCOLS_STR, to: "http,https")
    set(CURLOPT_REDIR_PROTOCOLS_STR, to: "http,https")
    set(CURLOPT_USERAGENT, to: configuration.userAgent)
    // Empty: all encodings that libcurl can undo.
    set(CURLOPT_ACCEPT_ENCODING, to: "")
    // Neither the environment nor a file may name a proxy or credentials.
    set(CURLOPT_PROXY, to: "")
    set(CURLOPT_NETRC, to: Int(CURL_NETRC_IGNORED.rawValue))
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, to: 1)
    // Redirects are followed by us, each one judged like a link.
    set(CURLOPT_FOLLOWLOCATION, to: 0)
    set(CURLOPT_HTTP_VERSION, to: CURL_HTTP_VERSION_2TLS)
    set(CURLOPT_PATH_AS_IS, to: 1)
    set(CURLOPT_SSL_VERIFYPEER, to: 1)
    set(CURLOPT_SSL_VERIFYHOST, to: 2)
    set(CURLOPT_NOSIGNAL, to: 1)
    // Ending a transfer must not wait for a name server.
    set(CURLOPT_QUICK_EXIT, to: 1)
    set(CURLOPT_TIMEOUT_MS, to: remainingMilliseconds)
    set(CURLOPT_CONNECTTIMEOUT_MS, to: remainingMilliseconds)
    _ = parley_curl_set_list(easy, CURLOPT_HTTPHEADER, headers.list)
    setCallbacks()
  }

  private var remainingMilliseconds: Int {
    let remaining = ContinuousClock.now.duration(to: fetch.deadline).components
    let fraction = Int(remaining.attoseconds / 1_000_000_000_000_000)
    // 0 would mean no limit at all.
    return min(max(1, Int(clamping: remaining.seconds) &* 1_000 + fraction), 3_600_000)
  }

  private func setCallbacks() {
    // The handle never outlives this object, which cleans it up.
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = parley_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    _ = parley_curl_set_write_function(easy) { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
      let length = size * count
      return bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
        transfer.receive(UnsafeBufferPointer(start: $0, count: length)) ? length : 0
      }
    }
    _ = parley_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
    _ = parley_curl_set_header_function(easy) { _, size, count, context in
      guard let context else { return 0 }
      let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
      return transfer.receiveHeader(byteCount: size * count) ? size * count : 0
    }
    _ = parley_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
    _ = parley_curl_set_opensocket_function(easy) { context, _, address in
      guard let context, let address else { return CURL_SOCKET_BAD }
      return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().openSocket(to: address)
    }
  }

  private func set(_ option: CURLoption, to value: String) {
    _ = parley_curl_set_string(easy, option, value)
  }

  private func set(_ option: CURLoption, to value: Int) {
    _ = parley_curl_set_long(easy, option, value)
  }
}
