import CCurl
import Curl

/// The common options of an unfurler's requests, by purpose.
final class RequestForms {
  private let configuration: UnfurlerConfiguration
  private let pageFields: CurlList
  private let embedFields: CurlList
  private let pinnedHosts: CurlList

  init(_ configuration: UnfurlerConfiguration) {
    self.configuration = configuration
    let language = "Accept-Language: \(configuration.acceptLanguage)"
    pageFields = CurlList(["Accept: text/html,application/xhtml+xml;q=0.9", language])
    embedFields = CurlList(["Accept: application/json", language])
    pinnedHosts = CurlList(configuration.pinnedHosts)
  }

  func makeEasy(for purpose: Fetch.Purpose) -> CurlEasy? {
    guard let easy = CurlEasy() else { return nil }
    easy.set(CURLOPT_USERAGENT, to: configuration.userAgent)
    // Empty: all encodings that libcurl can undo.
    easy.set(CURLOPT_ACCEPT_ENCODING, to: "")
    easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, to: 1)
    switch purpose {
    case .page: easy.set(CURLOPT_HTTPHEADER, to: pageFields)
    case .embed: easy.set(CURLOPT_HTTPHEADER, to: embedFields)
    }
    if let proxy = configuration.proxy { easy.set(CURLOPT_PROXY, to: proxy) }
    if let file = configuration.certificateAuthorities { easy.set(CURLOPT_CAINFO, to: file) }
    if !configuration.pinnedHosts.isEmpty { easy.set(CURLOPT_RESOLVE, to: pinnedHosts) }
    return easy
  }
}
