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
  private let response: BoundedResponse

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
    response = BoundedResponse(to: easy, maximumBytes: HookAnswer.maximumBytes)
    easy.set(CURLOPT_URL, to: url)
    if let path = configuration.certificateAuthorities { easy.set(CURLOPT_CAINFO, to: path) }
    easy.set(CURLOPT_USERAGENT, to: configuration.userAgent)
    easy.set(CURLOPT_HTTPHEADER, to: fields)
    easy.setDeadline(.now.advanced(by: .milliseconds(max(1, timeout))))
    easy.post(body)
  }

  /// Returns the answer.
  func answer(_ result: CURLcode) -> Result<HookAnswer, HookProblem> {
    switch response.ending(result) {
    case .complete: break
    case .timedOut: return .failure(HookProblem("no answer in time"))
    case .tooLarge: return .failure(HookProblem("the answer is too large"))
    case .broken(let reason): return .failure(HookProblem(reason))
    }
    guard response.status == 200 else {
      return .failure(HookProblem("status \(response.status), and not 200"))
    }
    return Result { () throws(HookProblem) in try HookAnswer(response.body, to: hook) }
  }
}
