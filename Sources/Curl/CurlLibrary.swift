import CCurl

/// libcurl's one-time initialisation.
enum CurlLibrary {
  /// Whether the library may be used; the first to ask initialises it.
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
