import LinkPreview
import ParleyProtocol
import TestSupport
import Testing

@testable import Unfurler

@Suite("Traces as JSON")
struct UnfurlTraceJSONTests {
  private func read(_ json: String) throws -> UnfurlTrace {
    UnfurlTrace(json: try JSONDocument(json).root)
  }

  private func written(_ trace: UnfurlTrace) throws -> UnfurlTrace {
    UnfurlTrace(json: try JSONDocument(JSONWriter.bytes { trace.encode(into: &$0) }).root)
  }

  private func request(_ number: Int64) -> RequestTrace {
    var request = RequestTrace(
      url: "https://example.com/\(number)", purpose: number % 2 == 0 ? .page : .embed)
    request.address = "93.184.216.34"
    request.status = 200
    request.contentType = "text/html; charset=utf-8"
    request.byteCount = number
    request.waiting = number + 1
    request.nameLookup = number + 2
    request.connect = number + 3
    request.tlsHandshake = number + 4
    request.firstByte = number + 5
    request.total = number + 6
    request.ending = "read to the end of the head"
    return request
  }

  @Test("a trace is read back as it was written")
  func roundTrip() throws {
    var trace = UnfurlTrace()
    #expect(try written(trace) == trace)
    trace.requests = (0..<3).map(request)
    trace.requests.append(RequestTrace(url: "http://a.example/", purpose: .page))
    trace.origins = [PreviewOrigin(member: "og:title", source: "title element")]
    trace.characterSet = "utf-8, named by the header"
    trace.emptiness = "no metadata"
    #expect(try written(trace) == trace)
  }

  @Test("durations are members ending in _us")
  func names() throws {
    let json = JSONWriter.bytes { request(1).encode(into: &$0) }
    let names = try JSONDocument(json).root.members.map(\.name)
    #expect(
      names == [
        "url", "purpose", "address", "status", "content_type", "byte_count", "waiting_us",
        "name_lookup_us", "connect_us", "tls_handshake_us", "first_byte_us", "total_us", "ending",
      ])
  }

  @Test("the maximum number of requests is written, and no more are read")
  func bounds() throws {
    var trace = UnfurlTrace()
    trace.requests = (0..<100).map(request)
    trace.origins = (0..<100).map { PreviewOrigin(member: "m\($0)", source: "s") }
    let told = try written(trace)
    #expect(told.requests == Array(trace.requests.prefix(UnfurlTrace.maximumRequests)))
    #expect(told.origins.count == 32)
    let answer = UnfurlAnswer(UnfurlReport(.success(nil), trace: told))
    #expect(try answer.report().trace == told)
  }

  @Test("unexpected members are ignored")
  func hostile() throws {
    #expect(try read("[]") == UnfurlTrace())
    #expect(try read(#"{"requests":{},"origins":7,"character_set":[]}"#) == UnfurlTrace())
    let trace = try read(
      """
      {"requests": [null, {"url": "x"}, {"url": "x", "purpose": "spy"}, {"purpose": "page"},
        {"url": "http://a\\u0000\\n", "purpose": "page", "status": 7, "byte_count": -1,
         "total_us": 1e300, "waiting_us": "5", "ending": "\\u202e"}],
       "origins": [{"member": "m"}, {"source": "s"}, {"member": "m", "source": " s\\n"}]}
      """)
    #expect(trace.requests == [RequestTrace(url: "http://a", purpose: .page)])
    #expect(trace.origins == [PreviewOrigin(member: "m", source: "s")])
  }
}
