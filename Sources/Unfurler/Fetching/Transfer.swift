import CCurl
import LinkPreview
import ParleyProtocol

/// One request for one page, and what has come of it.
final class Transfer: CurlTransfer {
  let fetch: Fetch
  let easy: CurlEasy
  let addressPolicy: AddressPolicy
  private let maximumBytes: Int
  private var state = State.awaitingBody
  private var headerBytes = 0
  private var refusedAddress: IPAddress?

  /// How many bytes of header fields are taken, interim responses (1xx) included: libcurl bounds
  /// each response's, but not how many of those there are.
  private static let maximumHeaderBytes = 262_144

  private enum State {
    case awaitingBody
    case reading(OpenGraphExtractor, byteCount: Int)
    /// Enough was read; the rest was not waited for.
    case enough(OpenGraphExtractor)
    /// The response is no page, or sends elsewhere; its body was not read.
    case uninteresting
  }

  /// What is to be done when the transfer has ended.
  enum Outcome {
    case answer(Result<OpenGraphTag?, UnfurlError>)
    case redirect(String)
  }

  init?(_ fetch: Fetch, configuration: UnfurlerConfiguration, fields: CurlList) {
    guard let easy = CurlEasy() else { return nil }
    self.fetch = fetch
    self.easy = easy
    addressPolicy = configuration.addressPolicy
    maximumBytes = configuration.maximumBytes
    prepare(configuration, fields)
  }

  func noteRefusal(of address: IPAddress) { refusedAddress = address }

  func receiveHead(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    headerBytes += line.count
    return headerBytes <= Self.maximumHeaderBytes
  }

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if case .awaitingBody = state { state = beginBody() }
    guard case .reading(var extractor, let count) = state else { return false }
    // Out of the enum while it grows, or its storage would be copied.
    state = .uninteresting
    let room = max(0, maximumBytes - count)
    let part = UnsafeBufferPointer(rebasing: bytes.prefix(room))
    let progress = extractor.receive(part.span)
    if progress == .finished || bytes.count >= room {
      state = .enough(extractor)
      return false
    }
    state = .reading(extractor, byteCount: count + bytes.count)
    return true
  }

  private func beginBody() -> State {
    let response = Response(easy.handle)
    guard response.isSuccess, let contentType = response.pageType else { return .uninteresting }
    return .reading(OpenGraphExtractor(pageURL: fetch.url, contentType: contentType), byteCount: 0)
  }

  /// What the end of the transfer means.
  func outcome(of result: CURLcode) -> Outcome {
    switch result {
    case CURLE_OPERATION_TIMEDOUT: return .answer(.failure(.timedOut))
    case CURLE_OK: return complete()
    case CURLE_WRITE_ERROR where headerBytes > Self.maximumHeaderBytes:
      return .answer(.failure(.failed("the response's head is too large")))
    case CURLE_WRITE_ERROR where !isReading: return complete()
    default: return .answer(salvage(after: result))
    }
  }

  private var isReading: Bool {
    if case .reading = state { return true }
    return false
  }

  private func complete() -> Outcome {
    if let tag = finishReading() { return .answer(.success(tag)) }
    let response = Response(easy.handle)
    return response.redirectLocation.map { .redirect($0) } ?? .answer(.success(nil))
  }

  /// A body that broke off may have said enough before.
  private func salvage(after result: CURLcode) -> Result<OpenGraphTag?, UnfurlError> {
    if let tag = finishReading() { return .success(tag) }
    if let refusedAddress, result == CURLE_COULDNT_CONNECT {
      return .failure(.failed("\(refusedAddress) is not a public address"))
    }
    return .failure(.failed(String(cString: curl_easy_strerror(result))))
  }

  private func finishReading() -> OpenGraphTag? {
    switch state {
    case .reading(var extractor, _), .enough(var extractor): extractor.finish().tag
    case .awaitingBody, .uninteresting: nil
    }
  }
}
