import ParleyProtocol
import Testing

@Suite("Refusals")
struct ServiceErrorTests {
  @Test("an error without details still has an object for data")
  func emptyData() {
    let error = ServiceError(.internalError, "no")
    #expect(
      written(error.encode) == #"{"code":500901,"message":"no","data":{}}"#)
  }

  @Test("a rate limit error has all the values that a client needs to wait")
  func floodDetails() {
    let error = ServiceError.flood(retryAfter: 180, limit: 5, window: 1000)
    #expect(
      written(error.data.encode)
        == #"{"retry_after_ms":180,"limit":5,"window_ms":1000,"scope":"user_channel"}"#)
    #expect(error.code == .flood)
  }

  @Test("a refused value is named in data")
  func field() {
    let error = ServiceError.missing("channel_url")
    #expect(error.code == .missingParameter)
    #expect(written(error.data.encode) == #"{"field":"channel_url"}"#)
  }

  @Test("the body of a refused HTTP request has the published shape")
  func httpBody() {
    let error = ServiceError(.notFound, "no")
    #expect(
      written(error.encodeHTTPBody) == #"{"error":true,"code":400201,"message":"no"}"#)
    let limited = ServiceError.rateLimited(
      retryAfter: 7, limit: 100, window: 1000, scope: "api_token")
    #expect(
      written(limited.encodeHTTPBody)
        == #"{"error":true,"code":500910,"message":"\#(limited.message)","retry_after_ms":7,"#
        + #""limit":100,"window_ms":1000,"scope":"api_token"}"#)
    let draining = ServiceError.draining
    #expect(
      written(draining.encodeHTTPBody)
        == #"{"error":true,"code":400501,"message":"\#(draining.message)","retry_after_ms":1000}"#)
    let tooLong = ServiceError.tooLong("name", limit: 3)
    #expect(
      written(tooLong.encodeHTTPBody)
        == #"{"error":true,"code":400110,"message":"\#(tooLong.message)"}"#)
  }

  @Test(
    "an encoded error is decoded unchanged",
    arguments: [
      ServiceError.flood(retryAfter: 1, limit: 2, window: 3), .missing("a"), .internalError,
      .tooLong("message", limit: 5000), .notFound(.channel, "lobby"),
    ])
  func roundTrip(_ error: ServiceError) throws {
    #expect(ServiceError(json: try node(written(error.encode))) == error)
  }

  @Test("an external value is shown truncated and without control characters")
  func excerpts() {
    let error = ServiceError.notFound(.channel, "a\nb" + text(1000))
    #expect(error.message == "there is no channel \"a\u{fffd}b" + text(37) + "…\"")
  }
}
