import Basics
import CCurl
import Curl
import Glibc
import LinkPreview

/// The problem of a failed request, with a description.
struct TransferProblem {
  let error: UnfurlError
  let text: String

  init(
    _ result: CURLcode, _ easy: CurlEasy, url: WebURL, hasHead: Bool, isReading: Bool,
    refused: [AddressRefusal]
  ) {
    if result == CURLE_OPERATION_TIMEDOUT {
      error = .timedOut
      text =
        "timed out while \(Self.phase(easy, url.scheme, hasHead: hasHead, isReading: isReading))"
    } else {
      text = Self.text(result, easy, url.host, hasHead: hasHead && !isReading, refused)
      error = .failed(text)
    }
  }

  private static func phase(
    _ easy: CurlEasy, _ scheme: WebURL.Scheme, hasHead: Bool, isReading: Bool
  ) -> String {
    if isReading { return "reading the body" }
    if hasHead { return "reading the response's head" }
    if easy.microseconds(until: CURLINFO_PRETRANSFER_TIME_T) > 0 {
      return "waiting for the response"
    }
    if easy.microseconds(until: CURLINFO_NAMELOOKUP_TIME_T) == 0 { return "looking the name up" }
    // libcurl counts a connection as established only when its handshake is also complete.
    return scheme == .https ? "connecting or agreeing on TLS" : "connecting"
  }

  private static func text(
    _ result: CURLcode, _ easy: CurlEasy, _ host: Host, hasHead: Bool, _ refused: [AddressRefusal]
  ) -> String {
    switch result {
    case CURLE_COULDNT_RESOLVE_HOST: "the name \(host.text) has no address"
    case CURLE_COULDNT_RESOLVE_PROXY: "the proxy's name has no address"
    case CURLE_COULDNT_CONNECT where !refused.isEmpty: refusal(of: refused, host)
    case CURLE_COULDNT_CONNECT: "cannot connect: \(systemError(easy))"
    case CURLE_GOT_NOTHING: "the server closed the connection without an answer"
    case CURLE_PARTIAL_FILE: "the body broke off before its end"
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: "the answer is not HTTP"
    // Our own rejections of bytes have their own texts; the remaining ones come from decoders.
    case CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: "the body's compression is broken"
    // libcurl's error for a line that exceeds its own limit.
    case CURLE_OUT_OF_MEMORY where hasHead: "the response's head is too large"
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      "TLS: \(detail(result, easy))"
    default: detail(result, easy)
    }
  }

  private static func refusal(of refusals: [AddressRefusal], _ host: Host) -> String {
    let isOwn = refusals.contains { $0.reason == .ownAddress }
    guard case .name(let name) = host else {
      return isOwn
        ? "\(host.text) is an address of this machine" : "\(host.text) is not a public address"
    }
    let list = refusals.map(\.address.description).joined(separator: ", ")
    if refusals.count == 1 {
      return "\(name) has the address \(list), which is \(isOwn ? "this machine's" : "not public")"
    }
    return
      "\(name) has the addresses \(list), which are not public\(isOwn ? " or this machine's" : "")"
  }

  private static func systemError(_ easy: CurlEasy) -> String {
    let code = easy.systemErrorCode
    guard code != 0, let text = strerror(code) else { return "no address answers" }
    return String(cString: text)
  }

  private static func detail(_ result: CURLcode, _ easy: CurlEasy) -> String {
    let text = DisplayText.line(easy.errorText, limit: 200)
    return text.isEmpty ? String(cString: curl_easy_strerror(result)) : text
  }
}
