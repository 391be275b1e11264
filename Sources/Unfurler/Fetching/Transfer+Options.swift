import CCurl
import LinkPreview

extension Transfer {
  /// Says everything about the request that differs from the rules of the house.
  func prepare(_ configuration: UnfurlerConfiguration, _ fields: CurlList) {
    easy.receiver = self
    easy.set(CURLOPT_URL, to: fetch.url.textWithoutFragment)
    easy.set(CURLOPT_USERAGENT, to: configuration.userAgent)
    // Empty: all encodings that libcurl can undo.
    easy.set(CURLOPT_ACCEPT_ENCODING, to: "")
    easy.set(CURLOPT_HTTPHEADER, to: fields)
    easy.setDeadline(fetch.deadline)
    guardConnections()
  }

  private func guardConnections() {
    // libcurl calls back only while the handle exists, which lives as long as this object.
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = parley_curl_set_pointer(easy.handle, CURLOPT_OPENSOCKETDATA, context)
    _ = parley_curl_set_opensocket_function(easy.handle) { context, _, address in
      guard let context, let address else { return CURL_SOCKET_BAD }
      return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().openSocket(to: address)
    }
  }
}
