import CCurl
import Crypto
import Curl
import ParleyProtocol

/// A request to the app's back end, and its answer.
final class HookTransfer: CurlTransfer {
  let id: HookDesk.ID
  let hook: HookName
  let easy: CurlEasy
  private let fields: CurlList
  private var headBytes = 0
  private var body: [UInt8] = []
  private var isTooLarge = false

  private static let maximumHeadBytes = 65_536

  /// - Parameter timeout: Milliseconds.
  /// - Returns: `nil` when out of memory.
  init?(
    _ id: HookDesk.ID, _ hook: HookName, _ body: [UInt8], to url: String, timeout: Int64,
    _ configuration: HookConfiguration
  ) {
    guard let easy = CurlEasy(),
      let signature = BodySignature.value(of: body, secret: configuration.secret)
    else { return nil }
    self.id = id
    self.hook = hook
    self.easy = easy
    fields = CurlList([
      "Content-Type: application/json", "Parley-Signature: \(signature)",
      "Parley-Hook: \(hook.rawValue)",
      // An empty field disables 100-continue: the body is sent at once, whatever its size.
      "Expect:",
    ])
    easy.receiver = self
    easy.set(CURLOPT_URL, to: url)
    if let path = configuration.certificateAuthorities { easy.set(CURLOPT_CAINFO, to: path) }
    easy.set(CURLOPT_USERAGENT, to: configuration.userAgent)
    easy.set(CURLOPT_HTTPHEADER, to: fields)
    easy.setDeadline(.now.advanced(by: .milliseconds(max(1, timeout))))
    easy.post(body)
  }

  func receiveHead(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    headBytes += line.count
    isTooLarge = headBytes > Self.maximumHeadBytes
    return !isTooLarge
  }

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    isTooLarge = body.count + bytes.count > HookAnswer.maximumBytes
    if !isTooLarge { body.append(contentsOf: bytes) }
    return !isTooLarge
  }

  /// Returns the answer.
  func answer(_ result: CURLcode) -> Result<HookAnswer, HookProblem> {
    switch result {
    case CURLE_OK: break
    case CURLE_OPERATION_TIMEDOUT: return .failure(HookProblem("no answer in time"))
    case _ where isTooLarge: return .failure(HookProblem("the answer is too large"))
    default: return .failure(HookProblem(String(cString: curl_easy_strerror(result))))
    }
    guard let status = easy.status, status == 200 else {
      return .failure(HookProblem("status \(easy.status ?? 0), and not 200"))
    }
    return Result { () throws(HookProblem) in try HookAnswer(body, to: hook) }
  }
}
