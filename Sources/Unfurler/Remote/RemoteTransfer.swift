import Basics
import CCurl
import Curl
import LinkPreview

/// One query to the service, and its response.
final class RemoteTransfer: CurlQueueTransfer {
  let request: RemoteQuestion
  let ticket: CircuitBreaker.Ticket
  let easy: CurlEasy
  let response: BoundedResponse

  init?(
    _ question: RemoteQuestion, _ ticket: CircuitBreaker.Ticket, service: WebURL,
    configuration: RemoteUnfurlerConfiguration, fields: CurlList
  ) {
    guard let easy = CurlEasy() else { return nil }
    request = question
    self.ticket = ticket
    self.easy = easy
    response = BoundedResponse(to: easy, maximumBytes: UnfurlAnswer.maximumBytes)
    easy.set(CURLOPT_URL, to: service.textWithoutFragment)
    // Closing the connection cancels a query, so each query has its own connection.
    easy.set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_1_1))
    if let path = configuration.certificateAuthorities { easy.set(CURLOPT_CAINFO, to: path) }
    easy.set(CURLOPT_USERAGENT, to: configuration.userAgent)
    easy.set(CURLOPT_HTTPHEADER, to: fields)
    easy.setDeadline(question.deadline.advanced(by: configuration.grace))
    ask()
  }

  private func ask() {
    let remaining = ContinuousClock.now.duration(to: request.deadline) / Duration.milliseconds(1)
    let timeout = Int64(min(max(remaining, 0), 1e9))
    let json = UnfurlQuestion(request.link, timeout: timeout).json
    easy.post(json)
  }

  /// The answer, once the transfer has succeeded.
  var answer: UnfurlAnswer {
    let fields = response.fields("cache-control")
    return UnfurlAnswer(
      status: response.status, cacheControl: fields.isEmpty ? nil : fields.joined(separator: ", "),
      body: response.body)
  }
}
